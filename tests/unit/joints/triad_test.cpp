// The carrier of natural coordinates: its pose, columns and rates for axes that are not orthonormal, and
// what it reads back from those that are [TR].
#include "kinegrad/joints/triad.hpp"

#include <gtest/gtest.h>

#include "support/element_oracles.hpp"
#include "support/joint_tolerances.hpp"

namespace kinegrad {
namespace {

using test::block_error;
using test::kElementTolerance;
using Q = Vec<double, 12>;

/// Axes bent and stretched by up to a third: the rows of rigid bodies allow far less.
Q bent(std::mt19937_64& rng) {
  const Vec<double, 4> e = test::random_vector<4>(rng);
  const Mat3 R = Eigen::Quaterniond(e(0), e(1), e(2), e(3)).normalized().toRotationMatrix();
  Q q = test::random_vector<12>(rng, -0.3, 0.3);
  for (int k = 0; k < 3; ++k) q.segment<3>(3 + 3 * k) += R.col(k);
  return q;
}

/// Ten times what shorter formulas of other joints leave.
void expect_same(const Mat<double, 6, 12>& actual, const Mat<double, 6, 12>& expected) {
  EXPECT_LE(block_error(actual, expected), 10 * kElementTolerance);
}

template <typename Oracle>
void expect_derivatives(const Q& q, const Q& v, const Q& a) {
  using T = typename Oracle::Number;
  Mat<double, 6, 12> H;
  for (int k = 0; k < 12; ++k) {
    const Q unit = Q::Unit(k);
    const Pose<T> X = Triad::pose<T>(test::seed<Oracle, 12>(q, unit));
    const Pose<double> at = Triad::pose<double>(q);
    const Mat3 W = test::derivative<Oracle>(X.R) * at.R.transpose();
    EXPECT_LE((W + W.transpose()).norm(), 10 * kElementTolerance) << "a rotation stays one";
    const Vec3 w = la::unskew(W);
    H.col(k) << w, (test::derivative<Oracle>(X.p) - la::cross(w, at.p));
  }
  expect_same(Triad::motion<double>(q), H);
  const auto qt = test::seed<Oracle, 12>(q, v), vt = test::seed<Oracle, 12>(v, a);
  expect_same(Triad::motion_dot<double>(q, v), test::derivative<Oracle>(Triad::motion<T>(qt)));
  expect_same(Triad::motion_ddot<double>(q, v, a),
              test::derivative<Oracle>(Triad::motion_dot<T>(qt, vt)));
}

TEST(Triad, ColumnsAndRatesAreDerivativesOfThePose) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 rng(seed);
    const Q q = bent(rng), v = test::random_vector<12>(rng), a = test::random_vector<12>(rng);
    SCOPED_TRACE(seed);
    expect_derivatives<test::DualOracle>(q, v, a);
    expect_derivatives<test::ComplexOracle>(q, v, a);
  }
}

TEST(Triad, OrthonormalAxesAreThePose) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 rng(seed);
    const Pose<double> X = Triad::pose<double>(bent(rng));
    const Q q = Triad::coordinates_of<double>(X);
    const Pose<double> back = Triad::pose<double>(q);
    EXPECT_LE((back.R - X.R).norm(), kElementTolerance);
    EXPECT_EQ(back.p, X.p);
    // a turn that all three axes make together is read back and given again
    const Twist<double> V = test::random_vector<6>(rng);
    const Q v = Triad::speeds_of<double>(q, V);
    EXPECT_LE((Triad::motion<double>(q) * v - V).norm(), 10 * kElementTolerance);
    for (int k = 3; k < 12; k += 3) {
      EXPECT_LE(std::abs(q.segment<3>(k).dot(v.segment<3>(k))), kElementTolerance);
    }
  }
}

/// Off the constraints the third axis does nothing: it is held by rows alone.
TEST(Triad, TheThirdAxisMovesNothing) {
  std::mt19937_64 rng(3);
  const Mat<double, 6, 12> H = Triad::motion<double>(bent(rng));
  EXPECT_EQ(H.rightCols<3>().norm(), 0);
}

}  // namespace
}  // namespace kinegrad

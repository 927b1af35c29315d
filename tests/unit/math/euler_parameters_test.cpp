#include "kinegrad/math/euler_parameters.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "kinegrad/math/derivative_check.hpp"
#include "kinegrad/math/rotation.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

/// Points off the unit sphere, and near the identity: p, ṗ, p̈ of each trial.
class EulerParameters : public ::testing::TestWithParam<int> {
 protected:
  EulerParameters() {
    std::mt19937_64 random(100 + static_cast<unsigned>(GetParam()));
    std::uniform_real_distribution<double> uniform(-1.5, 1.5);
    for (Vec<double, 4>* v : {&p_, &pdot_, &pddot_}) {
      for (double& entry : *v) entry = uniform(random);
    }
    if (GetParam() == 0) p_ << 1, 0, 0, 0;
    if (GetParam() == 1) p_ << 1, 1e-8, -1e-8, 2e-8;
  }

  /// Along p(τ) = p + τṗ + τ²p̈/2, the derivative at τ = 0 of a matrix function of p, ṗ.
  template <typename F>
  MatX along(const F& f) const {
    const Complex tau(0, kComplexStep);
    const Vec<Complex, 4> p = p_.cast<Complex>() + tau * pdot_.cast<Complex>();
    const Vec<Complex, 4> pdot = pdot_.cast<Complex>() + tau * pddot_.cast<Complex>();
    return f(p, pdot).imag() / kComplexStep;
  }

  Vec<double, 4> p_, pdot_, pddot_;
};
INSTANTIATE_TEST_SUITE_P(Points, EulerParameters, ::testing::Range(0, 12));

TEST_P(EulerParameters, RotationIsOrthogonalOffTheUnitSphere) {
  const Mat3 A = euler_rotation<double>(p_);
  EXPECT_LE((A * A.transpose() - Mat3::Identity()).norm(), tolerance::kElement);
  EXPECT_NEAR(A.determinant(), 1, tolerance::kElement);
  EXPECT_LE((A - euler_rotation<double>(2.5 * p_)).norm(), tolerance::kElement);
}

TEST_P(EulerParameters, RotationIsEGtOverItsSquare) {
  Mat<double, 3, 4> G = euler_E<double>(p_);
  G.rightCols<3>() = -la::skew(p_.tail<3>()) + p_(0) * Mat3::Identity();
  const Mat3 expected = euler_E<double>(p_) * G.transpose() / p_.squaredNorm();
  EXPECT_LE((euler_rotation<double>(p_) - expected).norm(), tolerance::kElement);
}

TEST_P(EulerParameters, RateMapGivesTheAngularVelocityInAllFourDirections) {
  for (int k = 0; k < 5; ++k) {
    if (k < 4) pdot_ = Vec<double, 4>::Unit(k);
    if (k == 4) pdot_ = p_;  // along p nothing turns
    const MatX Adot = along([](const Vec<Complex, 4>& p, const Vec<Complex, 4>&) {
      return euler_rotation<Complex>(p);
    });
    const Vec3 omega = euler_rate_map<double>(p_) * pdot_;
    const MatX expected = la::skew(omega) * euler_rotation<double>(p_);
    EXPECT_LE((Adot - expected).norm(), tolerance::kElement * (1 + expected.norm())) << k;
  }
}

TEST_P(EulerParameters, RateMapDerivatives) {
  const MatX Ldot = along(
      [](const Vec<Complex, 4>& p, const Vec<Complex, 4>&) { return euler_rate_map<Complex>(p); });
  const MatX Ldot_hand = euler_rate_map_dot<double>(p_, pdot_);
  EXPECT_LE((Ldot_hand - Ldot).norm(), tolerance::kElement * (1 + Ldot.norm()));
  const MatX Lddot = along([](const Vec<Complex, 4>& p, const Vec<Complex, 4>& pdot) {
    return euler_rate_map_dot<Complex>(p, pdot);
  });
  const MatX Lddot_hand = euler_rate_map_ddot<double>(p_, pdot_, pddot_);
  EXPECT_LE((Lddot_hand - Lddot).norm(), tolerance::kElement * 10 * (1 + Lddot.norm()));
}

TEST_P(EulerParameters, OfARotationTheyGiveTheRotationBack) {
  const Mat3 A = euler_rotation<double>(p_);
  const Vec<double, 4> p = euler_parameters<double>(A);
  EXPECT_NEAR(p.norm(), 1, tolerance::kElement);
  EXPECT_LE((euler_rotation<double>(p) - A).norm(), tolerance::kElement);
  for (int axis = 0; axis < 3; ++axis) {  // half turns: every pivot
    Mat3 half = -Mat3::Identity();
    half(axis, axis) = 1;
    EXPECT_LE((euler_rotation<double>(euler_parameters<double>(half)) - half).norm(),
              tolerance::kElement);
  }
}

TEST_P(EulerParameters, AreAnalyticInTheRotation) {
  const auto f = [](const auto& x) {
    using T = typename std::decay_t<decltype(x)>::Scalar;
    const Mat3T<T> A = euler_rotation<T>(Vec<T, 4>(x));
    return VecXT<T>(euler_parameters<T>(A));
  };
  const VecX p = p_;
  const MatX complex = complex_step_jacobian(f, p), dual = dual_jacobian(f, p);
  const MatX expected = (MatX::Identity(4, 4) - p * p.transpose() / p.squaredNorm()) / p.norm();
  const double sign = VecX(f(p)).dot(p) > 0 ? 1 : -1;  // p and −p are one rotation
  EXPECT_LE((complex - sign * expected).norm(), tolerance::kElement * (1 + expected.norm()));
  EXPECT_LE((dual - sign * expected).norm(), tolerance::kElement * (1 + expected.norm()));
}

}  // namespace
}  // namespace kinegrad

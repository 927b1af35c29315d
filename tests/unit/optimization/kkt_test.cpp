#include "kinegrad/optimization/kkt.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <limits>
#include <random>

namespace kinegrad {
namespace {

/// Signs by trying every set of columns that may differ from zero.
double best_by_trying(const MatX& A, const VecX& b, const VecX& sign) {
  const auto n = A.cols();
  double best = std::numeric_limits<double>::infinity();
  for (int set = 0; set < (1 << n); ++set) {
    MatX part = A;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (!(set >> i & 1)) part.col(i).setZero();
    }
    const VecX y = part.completeOrthogonalDecomposition().solve(-b);
    if ((y.cwiseProduct(sign).array() < -1e-12).any()) continue;
    best = std::min(best, (A * y + b).norm());
  }
  return best;
}

TEST(Kkt, SignedLeastSquaresAreTheBestOfAllSets) {
  std::mt19937_64 rng(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::uniform_int_distribution<int> signs(-1, 1);
  for (int sample = 0; sample < 50; ++sample) {
    MatX A(4, 3);
    VecX b(4), sign(3);
    for (double& a : A.reshaped()) a = uniform(rng);
    for (double& x : b) x = uniform(rng);
    for (double& s : sign) s = signs(rng);
    const VecX y = least_squares_signed(A, b, sign);
    EXPECT_GE(y.cwiseProduct(sign).minCoeff(), -1e-12);
    EXPECT_NEAR((A * y + b).norm(), best_by_trying(A, b, sign), 1e-10) << sample;
  }
}

/// Two columns that are the same: any share of them is right, none of them infinite.
TEST(Kkt, RepeatedConstraintsShare) {
  MatX A(2, 2);
  A << 1, 1, 2, 2;
  const VecX y = least_squares_signed(A, Eigen::Vector2d(-1, -2), Eigen::Vector2d(1, 1));
  EXPECT_NEAR(y.sum(), 1, 1e-12);
}

/// A program that is nothing but its bounds.
class Shape final : public Nlp {
 public:
  Shape() {
    start_.setZero(2);
    lower_ = Eigen::Vector2d(0, -1);
    upper_ = Eigen::Vector2d(1, 1);
    c_lower_ = VecX::Constant(1, -std::numeric_limits<double>::infinity());
    c_upper_ = VecX::Constant(1, 2);
  }
  const NlpPoint& at(const VecX&) override { return point_; }
  bool finished() const override { return false; }

 private:
  NlpPoint point_;
};

NlpPoint point_with(const Eigen::Vector2d& f_x, double c, const Eigen::Vector2d& c_x) {
  NlpPoint point;
  point.f_x = f_x;
  point.c = VecX::Constant(1, c);
  point.c_x = c_x.transpose();
  return point;
}

TEST(Kkt, ProjectedGradientCountsWhatBoundsDoNotHold) {
  const Shape shape;
  const NlpPoint point = point_with({3, -0.25}, 0, {1, 1});
  const Kkt inside = kkt_of(shape, Eigen::Vector2d(0.5, 0), point, 1e-6);
  EXPECT_EQ(inside.stationarity, 0.5) << "no farther than to the bound at 0";
  const Kkt at_bound = kkt_of(shape, Eigen::Vector2d(0, 0), point, 1e-6);
  EXPECT_EQ(at_bound.stationarity, 0.25);
  EXPECT_EQ(at_bound.z(0), -3) << "lower: negative";
  EXPECT_EQ(at_bound.lambda(0), 0) << "off its bound";
}

TEST(Kkt, ActiveConstraintTakesItsShare) {
  const Shape shape;
  const NlpPoint point = point_with({3, -2}, 2, {0, 1});
  const Kkt kkt = kkt_of(shape, Eigen::Vector2d(0, 0.5), point, 1e-6);
  EXPECT_NEAR(kkt.lambda(0), 2, 1e-12);
  EXPECT_NEAR(kkt.stationarity, 0, 1e-12);
  const NlpPoint wrong_way = point_with({3, 2}, 2, {0, 1});
  EXPECT_EQ(kkt_of(shape, Eigen::Vector2d(0, 0.5), wrong_way, 1e-6).lambda(0), 0);
}

/// In a corner more conditions meet than there are variables; there are multipliers all the same.
TEST(Kkt, CornersHaveMultipliers) {
  const Shape shape;
  const NlpPoint point = point_with({1, -1}, 2, {-1, 1});
  const Kkt kkt = kkt_of(shape, Eigen::Vector2d(0, 1), point, 1e-6);
  EXPECT_NEAR(kkt.stationarity, 0, 1e-12);
}

}  // namespace
}  // namespace kinegrad

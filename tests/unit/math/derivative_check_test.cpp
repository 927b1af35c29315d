#include "kinegrad/math/derivative_check.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

/// ℝ² → ℝ³ with a Jacobian known by hand.
struct Example {
  template <typename T>
  VecXT<T> operator()(const VecXT<T>& x) const {
    using std::exp;
    using std::sin;
    VecXT<T> y(3);
    y << sin(x(0)) * x(1), exp(x(0) * x(1)), x(0) * x(0) - x(1);
    return y;
  }
};

MatX exact(const VecX& x) {
  MatX J(3, 2);
  const double e = std::exp(x(0) * x(1));
  J << std::cos(x(0)) * x(1), std::sin(x(0)), x(1) * e, x(0) * e, 2 * x(0), -1;
  return J;
}

class DerivativeCheck : public ::testing::Test {
 protected:
  const VecX x_{{0.7, -1.3}};
  const MatX exact_ = exact(x_);
};

TEST_F(DerivativeCheck, ComplexStepIsExact) {
  const MatX J = complex_step_jacobian(Example(), x_);
  EXPECT_LE((J - exact_).norm(), tolerance::kElement * exact_.norm());
}

TEST_F(DerivativeCheck, DualNumbersAreExact) {
  const MatX J = dual_jacobian(Example(), x_);
  EXPECT_LE((J - exact_).norm(), tolerance::kElement * exact_.norm());
}

TEST_F(DerivativeCheck, RiddersIsCloseAndKnowsHowClose) {
  const RiddersResult result = ridders_jacobian(Example(), x_);
  EXPECT_LE((result.jacobian - exact_).norm(), tolerance::kRidders * exact_.norm());
  for (Eigen::Index k = 0; k < exact_.size(); ++k) {
    const double error = std::abs(result.jacobian(k) - exact_(k));
    EXPECT_LE(error, 10 * result.error(k) + tolerance::kElement);
  }
}

TEST_F(DerivativeCheck, RiddersScalesItsStepWithTheArgument) {
  const auto cube = [](const VecX& x) { return VecX(x.array().cube()); };
  const VecX x = VecX::Constant(1, 1e6);
  EXPECT_NEAR(ridders_jacobian(cube, x).jacobian(0), 3e12, tolerance::kRidders * 3e12);
}

}  // namespace
}  // namespace kinegrad

#include "kinegrad/constraints/expression.hpp"

#include <gtest/gtest.h>

#include "support/constraint_oracles.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using test::model_of;
using test::row_value;
constexpr double kRounding = tolerance::kComposed;

/// A bead on the parabola y = k x².
TEST(ExpressionConstraint, CurveInThePlane) {
  const Model model = model_of(R"(
parameters: {k: 0.5}
bodies: {bead: {mass: 1}}
joints: {A: {type: planar, bodies: [ground, bead], axis: z}}
constraints: {c: {type: expression, expression: bead.com.y - k*bead.com.x^2}}
)");
  const std::vector<double> q{3, 1, 0}, v{2, 5, 0}, a{0.5, 7, 0};
  EXPECT_NEAR(row_value(model, 0, q, v, a), 1 - 0.5 * 9, kRounding);
  EXPECT_NEAR(row_value(model, 1, q, v, a), 5 - 3 * 2, kRounding);
  EXPECT_NEAR(row_value(model, 2, q, v, a), 7 - (2 * 2 + 3 * 0.5), kRounding);
  EXPECT_EQ(model.constraint_expressions()[0].slopes.size(), 2u);
}

TEST(ExpressionConstraint, MayUseSignals) {
  const Model model = model_of(R"(
bodies: {rod: {mass: 1}}
joints: {A: {type: revolute, bodies: [ground, rod], axis: z}}
signals: {error: A.q - t^2}
constraints: {c: {type: expression, expression: 2*error}}
)");
  EXPECT_DOUBLE_EQ(row_value(model, 0, {1}, {}, {}, 3), -16);
  EXPECT_DOUBLE_EQ(row_value(model, 2, {1}, {}, {}, 3), -4);
}

}  // namespace
}  // namespace kinegrad

#include "kinegrad/math/expression_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/base/error.hpp"
#include "support/tape_oracles.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using ::testing::ElementsAre;

TEST(ExpressionGraph, EqualExpressionsAreOneNode) {
  ExpressionGraph g;
  const NodeId x = g.input(0), y = g.input(1);
  EXPECT_EQ(g.input(0), x);
  EXPECT_EQ(g.binary(Op::kAdd, x, y), g.binary(Op::kAdd, y, x));
  EXPECT_EQ(g.binary(Op::kMul, x, y), g.binary(Op::kMul, y, x));
  EXPECT_NE(g.binary(Op::kSub, x, y), g.binary(Op::kSub, y, x));
  const int size = g.size();
  g.unary(Op::kSin, g.binary(Op::kAdd, x, y));
  g.unary(Op::kSin, g.binary(Op::kAdd, x, y));
  EXPECT_EQ(g.size(), size + 1);
}

TEST(ExpressionGraph, ConstantsFold) {
  ExpressionGraph g;
  const NodeId two = g.constant(2), three = g.constant(3);
  const NodeId sum = g.binary(Op::kAdd, two, three);
  ASSERT_TRUE(g.is_constant(sum));
  EXPECT_EQ(g.constant_value(sum), 5);
  EXPECT_EQ(g.constant_value(g.binary(Op::kPow, two, three)), 8);
  EXPECT_EQ(g.constant_value(g.unary(Op::kCos, g.constant(0))), 1);
  EXPECT_TRUE(std::isnan(g.constant_value(g.unary(Op::kSqrt, g.constant(-1)))));
}

TEST(ExpressionGraph, IdentitiesSimplify) {
  ExpressionGraph g;
  const NodeId x = g.input(0), y = g.input(1);
  const NodeId zero = g.constant(0), one = g.constant(1), minus = g.constant(-1);
  EXPECT_EQ(g.binary(Op::kAdd, x, zero), x);
  EXPECT_EQ(g.binary(Op::kAdd, zero, x), x);
  EXPECT_EQ(g.binary(Op::kSub, x, zero), x);
  EXPECT_EQ(g.binary(Op::kSub, zero, x), g.unary(Op::kNeg, x));
  EXPECT_EQ(g.binary(Op::kSub, x, x), zero);
  EXPECT_EQ(g.binary(Op::kMul, x, one), x);
  EXPECT_EQ(g.binary(Op::kMul, one, x), x);
  EXPECT_EQ(g.binary(Op::kMul, x, zero), zero);
  EXPECT_EQ(g.binary(Op::kMul, zero, x), zero);
  EXPECT_EQ(g.binary(Op::kMul, minus, x), g.unary(Op::kNeg, x));
  EXPECT_EQ(g.binary(Op::kMul, x, minus), g.unary(Op::kNeg, x));
  EXPECT_EQ(g.binary(Op::kDiv, x, one), x);
  EXPECT_EQ(g.binary(Op::kDiv, zero, x), zero);
  EXPECT_EQ(g.binary(Op::kPow, x, one), x);
  EXPECT_EQ(g.binary(Op::kPow, x, zero), one);
  EXPECT_EQ(g.unary(Op::kNeg, g.unary(Op::kNeg, x)), x);
  EXPECT_EQ(g.select(x, y, y), y);
  EXPECT_EQ(g.select(one, x, y), x);
  EXPECT_EQ(g.select(minus, x, y), y);
}

TEST(ExpressionGraph, KnowsItsInputs) {
  ExpressionGraph g;
  const int spline = g.add_spline({SplineType::kCubic, {0, 1, 2}}, 10);
  const NodeId t = g.input(3);
  const NodeId f = g.binary(Op::kMul, g.input(1), g.unary(Op::kSin, t));
  EXPECT_THAT(g.inputs_of(f), ElementsAre(1, 3));
  EXPECT_TRUE(g.depends_on(f, 3));
  EXPECT_FALSE(g.depends_on(f, 2));
  EXPECT_THAT(g.inputs_of(g.spline(spline, 0, t)), ElementsAre(3, 10, 11, 12, 13, 14, 15));
  EXPECT_THAT(g.inputs_of(g.constant(1)), ElementsAre());
}

TEST(ExpressionGraph, DerivativeOfWhatDoesNotDependIsTheConstantZero) {
  ExpressionGraph g;
  const NodeId f = g.unary(Op::kSqrt, g.binary(Op::kPow, g.input(0), g.input(1)));
  const NodeId d = g.derivative(f, 2);
  ASSERT_TRUE(g.is_constant(d));
  EXPECT_EQ(g.constant_value(d), 0);
}

TEST(ExpressionGraph, DerivativeOfADeepChainNeedsNoDeepStack) {
  ExpressionGraph g;
  NodeId f = g.input(0);
  for (int k = 0; k < 200000; ++k) f = g.unary(k % 2 == 0 ? Op::kSin : Op::kCos, f);
  EXPECT_TRUE(g.depends_on(f, 0));
  EXPECT_FALSE(g.is_constant(g.derivative(f, 0)));
}

TEST(ExpressionGraph, SecondDerivativeOfASplineInTime) {
  ExpressionGraph g;
  const int spline = g.add_spline({SplineType::kCubic, {0, 1, 2}}, 1);
  const NodeId t = g.input(0);
  const NodeId f = g.spline(spline, 0, g.binary(Op::kMul, g.constant(2), t));
  const NodeId second = g.derivative(g.derivative(f, 0), 0);
  VecX x(7);
  x << 0.3, 1, -2, 4, 0.5, 0.25, -1;
  const NodeId outputs[] = {second, g.spline(spline, 2, g.constant(0.6))};
  const VecX y = testing::run_tape(Tape(g, outputs), x);
  EXPECT_NEAR(y(0), 4 * y(1), tolerance::kElement * std::abs(y(0)));
  EXPECT_THROW(g.derivative(f, 2), InvalidArgument);
  EXPECT_THROW(g.derivative(f, 6), InvalidArgument);
  EXPECT_NO_THROW(g.derivative(f, 7));
}

TEST(ExpressionGraph, ReferenceValuesFollowTheInputs) {
  ExpressionGraph g;
  const int spline = g.add_spline({SplineType::kCubic, {0, 1}}, 2);
  const NodeId x = g.input(0);
  const NodeId f = g.binary(Op::kAdd, g.binary(Op::kMul, x, g.input(1)), g.constant(1));
  const NodeId s = g.spline(spline, 0, x);
  EXPECT_TRUE(std::isnan(g.reference_value(f)));
  g.set_reference_input(0, 1);
  g.set_reference_input(1, 3);
  EXPECT_EQ(g.reference_value(f), 4);
  EXPECT_EQ(g.reference_value(g.unary(Op::kNeg, f)), -4);
  const double y[] = {1, 4, 7, 9, 0, 0};  // x = 1 is the second knot: the value 9
  g.set_reference_inputs(y);
  EXPECT_EQ(g.reference_value(f), 5);
  EXPECT_EQ(g.reference_value(s), 9);
  g.set_reference_input(3, 11);
  EXPECT_EQ(g.reference_value(s), 11);
}

}  // namespace
}  // namespace kinegrad

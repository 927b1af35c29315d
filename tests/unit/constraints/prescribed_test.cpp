#include "kinegrad/constraints/prescribed.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/constraint_oracles.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using test::model_of;
using test::row_value;
constexpr double kRounding = tolerance::kComposed;

std::string hinge_with(const std::string& fields) {
  return R"(
splines: {f: {nodes: [0, 1, 2, 3], values: [0, 1, 8, 27]}}
bodies: {rod: {mass: 1, points: {P: [2, 0, 0]}}}
joints: {A: {type: revolute, bodies: [ground, rod], axis: z}}
constraints: {c: {type: prescribed, )" +
         fields + "}}\n";
}

TEST(Prescribed, CoordinateLessTheFunction) {
  const Model model = model_of(hinge_with("coordinate: A.q, value: sin(2*t)"));
  const double t = 0.6;
  EXPECT_NEAR(row_value(model, 0, {0.3}, {5}, {7}, t), 0.3 - std::sin(2 * t), kRounding);
  EXPECT_NEAR(row_value(model, 1, {0.3}, {5}, {7}, t), 5 - 2 * std::cos(2 * t), kRounding);
  EXPECT_NEAR(row_value(model, 2, {0.3}, {5}, {7}, t), 7 + 4 * std::sin(2 * t), kRounding);
  ASSERT_EQ(model.constraint_expressions()[0].slopes.size(), 1u);
  EXPECT_TRUE(model.constraint_expressions()[0].slopes[0].coordinate);
}

TEST(Prescribed, ComponentOfAPoint) {
  const Model model = model_of(hinge_with("coordinate: P.y, value: t"));
  EXPECT_NEAR(row_value(model, 0, {0.3}, {0}, {0}, 0.25), 2 * std::sin(0.3) - 0.25, kRounding);
  EXPECT_NEAR(row_value(model, 1, {0.3}, {5}, {0}, 0.25), 10 * std::cos(0.3) - 1, kRounding);
}

/// The rates of the curve through the nodes.
TEST(Prescribed, Spline) {
  const Model model = model_of(hinge_with("coordinate: A.q, value: f(t)"));
  SplineKnots knots;
  knots.x = {0, 1, 2, 3};
  const Spline spline(knots);
  const std::vector<double> values{0, 1, 8, 27};
  std::vector<double> slopes(4);
  spline.slopes<double>(values, slopes);
  for (const double t : {0.2, 1.7, 2.5}) {
    for (int order = 0; order < 3; ++order) {
      const auto w = spline.weights(t, order);
      const auto i = static_cast<std::size_t>(w.interval);
      const double f = w.weight[0] * values[i] + w.weight[1] * values[i + 1] +
                       w.weight[2] * slopes[i] + w.weight[3] * slopes[i + 1];
      EXPECT_NEAR(row_value(model, order, {0}, {}, {}, t), -f, tolerance::kSplineSolve * 27);
    }
  }
}

TEST(Prescribed, AnglesInDegreesIfTheFileSaysSo) {
  const Model model = model_of("degrees: true" + hinge_with("coordinate: A.q, value: 90*t"));
  EXPECT_NEAR(row_value(model, 0, {std::numbers::pi}, {}, {}, 2), 0, kRounding);
  const Model length = model_of("degrees: true" + hinge_with("coordinate: P.x, value: 2"));
  EXPECT_NEAR(row_value(length, 0, {0}), 0, kRounding);
}

}  // namespace
}  // namespace kinegrad

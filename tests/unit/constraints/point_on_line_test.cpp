#include "kinegrad/constraints/point_on_line.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/constraint_oracles.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using test::model_of;
using test::row_values;
constexpr double kRounding = tolerance::kComposed;

TEST(PointOnLine, RowsMeasureTheDistanceFromTheLine) {
  const Model model = model_of(R"(
bodies: {block: {mass: 1}}
joints: {A: {type: planar, bodies: [ground, block], axis: z}}
constraints: {c: {type: point-on-line, point: block.com, through: [0, 1, 0], along: [3, 4, 0]}}
)");
  ASSERT_EQ(model.holonomic_rows(), 2);
  const auto distance = [&](double x, double y) {
    const std::vector<double> phi = row_values(model, {0, {x, y, 0.3}, {0, 0, 0}, {0, 0, 0}}, 0);
    return std::hypot(phi[0], phi[1]);
  };
  EXPECT_NEAR(distance(0.6, 1.8), 0, kRounding);
  EXPECT_NEAR(distance(-3, -3), 0, kRounding);
  EXPECT_NEAR(distance(0, 0), 0.6, kRounding);  // (0, 1) is 1 away, at a sine of 3/5
}

TEST(PointOnLine, TheLineMovesWithItsBody) {
  const Model model = model_of(R"(
bodies: {rod: {mass: 1, points: {Q: [1, 0, 0]}, vectors: {u: [1, 0, 0]}}}
joints: {A: {type: revolute, bodies: [ground, rod], axis: z}}
constraints: {c: {type: point-on-line, point: [2, 0, 0], through: Q, along: u}}
)");
  const double q = 0.4;  // the line through the origin at the angle q
  const std::vector<double> phi = row_values(model, {0, {q}, {0}, {0}}, 0);
  EXPECT_NEAR(std::hypot(phi[0], phi[1]), 2 * std::sin(q), kRounding);
}

}  // namespace
}  // namespace kinegrad

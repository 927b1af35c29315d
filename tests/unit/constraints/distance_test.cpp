#include "kinegrad/constraints/distance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/constraint_oracles.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using test::model_of;
using test::row_value;
constexpr double kRounding = tolerance::kComposed;

// The tip of a rod of length 2 on a hinge at the origin, and the point (3, 0, 0):
// d² = 13 − 12 cos q.
std::string rod_with(const std::string& length) {
  return R"(
parameters: {L: 2.5}
bodies: {rod: {mass: 1, points: {P: [2, 0, 0]}}}
joints: {A: {type: revolute, bodies: [ground, rod], axis: z}}
constraints: {c: {type: distance, points: [P, [3, 0, 0]], length: )" +
         length + "}}\n";
}

TEST(Distance, HalfTheDifferenceOfSquares) {
  const Model model = model_of(rod_with("L"));
  const double q = 0.7, v = 1.1, a = -0.4;
  EXPECT_NEAR(row_value(model, 0, {q}), 0.5 * (13 - 12 * std::cos(q) - 2.5 * 2.5), kRounding);
  EXPECT_NEAR(row_value(model, 1, {q}, {v}), 6 * std::sin(q) * v, kRounding);
  EXPECT_NEAR(row_value(model, 2, {q}, {v}, {a}), 6 * (std::cos(q) * v * v + std::sin(q) * a),
              kRounding);
}

TEST(Distance, LengthMayVaryWithTime) {
  const Model model = model_of(rod_with("L + t^2"));
  const double t = 0.5, L = 2.75;  // L̇ = 1, L̈ = 2
  EXPECT_NEAR(row_value(model, 0, {0}, {}, {}, t), 0.5 * (1 - L * L), kRounding);
  EXPECT_NEAR(row_value(model, 1, {0}, {}, {}, t), -L, kRounding);
  EXPECT_NEAR(row_value(model, 2, {0}, {}, {}, t), -1 - 2 * L, kRounding);
}

}  // namespace
}  // namespace kinegrad

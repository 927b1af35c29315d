#include "kinegrad/constraints/angle.hpp"

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

std::string hinge_with(const std::string& options, const std::string& value) {
  return options + R"(
bodies: {rod: {mass: 1, vectors: {u: [3, 0, 0]}}}
joints: {A: {type: revolute, bodies: [ground, rod], axis: z}}
constraints: {c: {type: angle, directions: [x, u], axis: z, value: )" +
         value + "}}\n";
}

TEST(Angle, SineOfTheErrorAtEveryAngle) {
  const Model model = model_of(hinge_with("", "1.3*t"));
  for (double q = -3.5; q <= 3.5; q += 0.5) {
    const double t = 0.4, e = q - 1.3 * t, v = 0.9, a = 2;
    EXPECT_NEAR(row_value(model, 0, {q}, {v}, {a}, t), std::sin(e), kRounding);
    EXPECT_NEAR(row_value(model, 1, {q}, {v}, {a}, t), std::cos(e) * (v - 1.3), kRounding);
    EXPECT_NEAR(row_value(model, 2, {q}, {v}, {a}, t),
                std::cos(e) * a - std::sin(e) * (v - 1.3) * (v - 1.3), kRounding);
  }
}

TEST(Angle, PositiveAboutTheAxis) {
  const Model model = model_of(hinge_with("", "0.5"));
  EXPECT_NEAR(row_value(model, 0, {0.5}), 0, kRounding);
  EXPECT_GT(row_value(model, 1, {0.5}, {1}), 0);
}

TEST(Angle, InDegreesIfTheFileSaysSo) {
  const Model model = model_of(hinge_with("degrees: true", "90*t"));
  EXPECT_NEAR(row_value(model, 0, {std::numbers::pi / 4}, {}, {}, 0.5), 0, kRounding);
}

}  // namespace
}  // namespace kinegrad

#include "kinegrad/constraints/dot.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/constraint_oracles.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using test::model_of;
using test::row_value;
constexpr double kRounding = tolerance::kComposed;

TEST(Dot, CosineOfTheAngle) {
  const Model model = model_of(R"(
bodies: {rod: {mass: 1, vectors: {u: [2, 0, 0]}}}
joints: {A: {type: revolute, bodies: [ground, rod], axis: z}}
constraints: {c: {type: dot, directions: [x, u], value: sin(t)}}
)");
  const double q = 2.2, v = 1.5, a = 0.3, t = 0.8;
  EXPECT_NEAR(row_value(model, 0, {q}, {v}, {a}, t), 2 * std::cos(q) - std::sin(t), kRounding);
  EXPECT_NEAR(row_value(model, 1, {q}, {v}, {a}, t), -2 * std::sin(q) * v - std::cos(t), kRounding);
  EXPECT_NEAR(row_value(model, 2, {q}, {v}, {a}, t),
              -2 * (std::cos(q) * v * v + std::sin(q) * a) + std::sin(t), kRounding);
}

TEST(Dot, ZeroIfNoValueIsGiven) {
  const Model model = model_of(R"(
bodies: {rod: {mass: 1, vectors: {u: [1, 0, 0]}}}
joints: {A: {type: revolute, bodies: [ground, rod], axis: z}}
constraints: {c: {type: dot, directions: [u, y]}}
)");
  EXPECT_TRUE(model.constraint_expressions().empty());
  EXPECT_NEAR(row_value(model, 0, {0.3}), std::sin(0.3), kRounding);
}

}  // namespace
}  // namespace kinegrad

#include "kinegrad/constraints/knife_edge.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/constraint_oracles.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using test::model_of;
using test::row_value;
constexpr double kRounding = tolerance::kComposed;

std::string skate(const std::string& across) {
  return R"(
bodies: {skate: {mass: 1, points: {P: [0.5, 0, 0], S: [0.5, 2, 0]}, vectors: {u: [0, 3, 0]}}}
joints: {A: {type: planar, bodies: [ground, skate], axis: z}}
constraints: {c: {type: knife-edge, point: P, )" +
         across + "}}\n";
}

/// Velocity of the point 0.5 ahead of the centre, across the skate: −ẋ sin h + ẏ cos h + 0.5 ω.
TEST(KnifeEdge, VelocityAcross) {
  const double h = 0.7, x = 2, y = 3, w = 1.5;
  const std::vector<double> q{0.1, 0.2, h}, v{x, y, w}, a{4, 5, 6};
  const double across = -x * std::sin(h) + y * std::cos(h) + 0.5 * w;
  EXPECT_NEAR(row_value(model_of(skate("direction: u")), 1, q, v, a), across, kRounding);
  EXPECT_NEAR(row_value(model_of(skate("segment: [P, S]")), 1, q, v, a), 2 * across, kRounding);
}

TEST(KnifeEdge, MovesFreelyAlong) {
  const double h = -0.4;
  const std::vector<double> q{0, 0, h}, v{std::cos(h), std::sin(h), 0};
  EXPECT_NEAR(row_value(model_of(skate("direction: u")), 1, q, v), 0, kRounding);
}

}  // namespace
}  // namespace kinegrad

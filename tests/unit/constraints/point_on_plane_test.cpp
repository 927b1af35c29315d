#include "kinegrad/constraints/point_on_plane.hpp"

#include <gtest/gtest.h>

#include "support/constraint_oracles.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using test::model_of;
using test::row_value;
constexpr double kRounding = tolerance::kComposed;

TEST(PointOnPlane, HeightLessTheOffset) {
  const Model model = model_of(R"(
bodies: {block: {mass: 1}}
joints: {A: {type: prismatic, bodies: [ground, block], axis: z}}
constraints:
  c: {type: point-on-plane, point: block.com, through: [7, 8, 1], normal: [0, 0, 2], offset: 3*t^2}
)");
  EXPECT_NEAR(row_value(model, 0, {5}, {1}, {4}, 0.5), 5 - 1 - 0.75, kRounding);
  EXPECT_NEAR(row_value(model, 1, {5}, {1}, {4}, 0.5), 1 - 3, kRounding);
  EXPECT_NEAR(row_value(model, 2, {5}, {1}, {4}, 0.5), 4 - 6, kRounding);
}

}  // namespace
}  // namespace kinegrad

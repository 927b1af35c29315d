#include "kinegrad/constraints/coincident.hpp"

#include <gtest/gtest.h>

#include "support/constraint_oracles.hpp"

namespace kinegrad {
namespace {

using test::model_of;
using test::row_values;

TEST(Coincident, RowsAreTheDifference) {
  const Model model = model_of(R"(
bodies: {block: {mass: 1, points: {P: [0.5, 0, 0]}}}
joints: {A: {type: prismatic, bodies: [ground, block], axis: y}}
constraints: {c: {type: coincident, points: [[1, 2, 3], P]}}
)");
  ASSERT_EQ(model.holonomic_rows(), 3);
  // P = (0.5, q, 0)
  const std::vector<double> phi = row_values(model, {0, {0.25}, {3}, {5}}, 0);
  EXPECT_DOUBLE_EQ(phi[0], -0.5);
  EXPECT_DOUBLE_EQ(phi[1], -1.75);
  EXPECT_DOUBLE_EQ(phi[2], -3);
  EXPECT_DOUBLE_EQ(row_values(model, {0, {0.25}, {3}, {5}}, 1)[1], 3);
  EXPECT_DOUBLE_EQ(row_values(model, {0, {0.25}, {3}, {5}}, 2)[1], 5);
}

}  // namespace
}  // namespace kinegrad

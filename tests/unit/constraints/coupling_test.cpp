#include "kinegrad/constraints/coupling.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "support/constraint_oracles.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using test::model_of;
using test::row_value;
constexpr double kRounding = tolerance::kComposed;

std::string gears(const std::string& options, const std::string& fields) {
  return options + R"(
parameters: {ratio: 2.5}
bodies: {a: {mass: 1}, b: {mass: 1}}
joints:
  A: {type: revolute, bodies: [ground, a], axis: z}
  B: {type: revolute, bodies: [ground, b], axis: z}
constraints: {c: {type: coupling, )" +
         fields + "}}\n";
}

TEST(Coupling, SumOfCoordinates) {
  const Model model =
      model_of(gears("", "coordinates: [A.q, B.q], factors: [1, -ratio], value: ratio/5"));
  EXPECT_DOUBLE_EQ(row_value(model, 0, {2, 0.4}), 2 - 2.5 * 0.4 - 0.5);
  EXPECT_DOUBLE_EQ(row_value(model, 1, {2, 0.4}, {3, 7}), 3 - 2.5 * 7);
  EXPECT_DOUBLE_EQ(row_value(model, 2, {2, 0.4}, {3, 7}, {1, 4}), 1 - 2.5 * 4);
}

TEST(Coupling, ValueOfAnglesInDegreesIfTheFileSaysSo) {
  const std::string fields = "coordinates: [A.q, B.q], factors: [1, 1], value: 90";
  EXPECT_NEAR(row_value(model_of(gears("degrees: true", fields)), 0, {std::numbers::pi / 2, 0}), 0,
              kRounding);
  const std::string mixed = "coordinates: [A.q, b.com.x], factors: [1, 1], value: 90";
  EXPECT_DOUBLE_EQ(row_value(model_of(gears("degrees: true", mixed)), 0, {0, 0}), -90);
}

}  // namespace
}  // namespace kinegrad

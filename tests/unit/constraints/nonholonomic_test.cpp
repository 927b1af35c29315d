#include "kinegrad/constraints/nonholonomic.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/constraint_oracles.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using test::model_of;
using test::row_value;
constexpr double kRounding = tolerance::kComposed;

/// A rear axle at the heading q₃: no velocity across it, but a side wind of speed t.
TEST(Nonholonomic, SkateInThePlane) {
  const Model model = model_of(R"(
bodies: {car: {mass: 1}}
joints: {A: {type: planar, bodies: [ground, car], axis: z}}
constraints: {c: {type: nonholonomic, expression: cos(A.q3)*A.v2 - sin(A.q3)*A.v1 - t}}
)");
  EXPECT_EQ(model.holonomic_rows(), 0);
  ASSERT_EQ(model.constraint_rows().size(), 1u);
  EXPECT_EQ(model.constraint_expressions()[0].value[0], -1);
  const double h = 0.7, x = 2, y = 3, w = 1.5, t = 0.25;
  const std::vector<double> q{0.1, 0.2, h}, v{x, y, w}, a{4, 5, 6};
  const double c = std::cos(h), s = std::sin(h);
  EXPECT_NEAR(row_value(model, 1, q, v, a, t), c * y - s * x - t, kRounding);
  EXPECT_NEAR(row_value(model, 2, q, v, a, t), c * 5 - s * 4 - w * (s * y + c * x) - 1, kRounding);
}

}  // namespace
}  // namespace kinegrad

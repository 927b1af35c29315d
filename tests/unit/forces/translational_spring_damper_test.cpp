#include "kinegrad/forces/translational_spring_damper.hpp"

#include <gtest/gtest.h>

namespace kinegrad {
namespace {

using Input = ForceInput<TranslationalSpringDamper, double>;
using Vec1 = Vec<double, 1>;

/// k = 10, c = 2, q₀ = 0.5.
Input input(double q, double qdot) { return {Vec1(q), Vec1(qdot), 0.0, Vec3(10, 2, 0.5)}; }

TEST(TranslationalSpringDamperTest, PullsBackToRestOnBothSidesOfZero) {
  EXPECT_EQ(TranslationalSpringDamper::effort<double>(input(0.5, 0))(0), 0);
  EXPECT_DOUBLE_EQ(TranslationalSpringDamper::effort<double>(input(1.5, 0))(0), -10);
  EXPECT_DOUBLE_EQ(TranslationalSpringDamper::effort<double>(input(-0.5, 0))(0), 10);
}

TEST(TranslationalSpringDamperTest, DamperOpposesTheSpeed) {
  EXPECT_DOUBLE_EQ(TranslationalSpringDamper::effort<double>(input(0.5, 3))(0), -6);
}

TEST(TranslationalSpringDamperTest, ActsOnLengths) {
  EXPECT_EQ(force_model<TranslationalSpringDamper>().coordinate_kind(), CoordinateKind::kLength);
}

}  // namespace
}  // namespace kinegrad

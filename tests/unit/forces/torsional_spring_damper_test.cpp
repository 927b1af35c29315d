#include "kinegrad/forces/torsional_spring_damper.hpp"

#include <gtest/gtest.h>

namespace kinegrad {
namespace {

using Input = ForceInput<TorsionalSpringDamper, double>;
using Vec1 = Vec<double, 1>;

/// k = 10, c = 2, q₀ = 0.5.
Input input(double q, double qdot) { return {Vec1(q), Vec1(qdot), 0.0, Vec3(10, 2, 0.5)}; }

TEST(TorsionalSpringDamperTest, TorqueTurnsBackToRest) {
  EXPECT_EQ(TorsionalSpringDamper::effort<double>(input(0.5, 0))(0), 0);
  EXPECT_DOUBLE_EQ(TorsionalSpringDamper::effort<double>(input(1.5, 0))(0), -10);
  EXPECT_DOUBLE_EQ(TorsionalSpringDamper::effort<double>(input(-0.5, 0))(0), 10);
}

TEST(TorsionalSpringDamperTest, TorqueOpposesTheSpeed) {
  EXPECT_DOUBLE_EQ(TorsionalSpringDamper::effort<double>(input(0.5, 3))(0), -6);
}

TEST(TorsionalSpringDamperTest, AFullTurnWindsTheSpring) {
  const double turn = 6.283185307179586;
  EXPECT_DOUBLE_EQ(TorsionalSpringDamper::effort<double>(input(0.5 + turn, 0))(0), -10 * turn);
}

TEST(TorsionalSpringDamperTest, EnergyIsQuadratic) {
  EXPECT_DOUBLE_EQ(TorsionalSpringDamper::energy<double>(input(2.5, 7)), 0.5 * 10 * 4);
}

TEST(TorsionalSpringDamperTest, ActsOnAngles) {
  EXPECT_EQ(force_model<TorsionalSpringDamper>().coordinate_kind(), CoordinateKind::kAngle);
}

}  // namespace
}  // namespace kinegrad

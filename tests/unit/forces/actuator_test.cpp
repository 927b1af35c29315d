#include "kinegrad/forces/actuator.hpp"

#include <gtest/gtest.h>

namespace kinegrad {
namespace {

/// Positive forces push point 2 away from point 1, along their line, whatever the distance.
TEST(Actuator, PushesThePointsApart) {
  ForceInput<Actuator, double> in{Vec3(3, 0, 4), Vec3(1, 2, 3), 0.5, Vec<double, 1>(10)};
  EXPECT_LE((Actuator::effort<double>(in) - Vec3(6, 0, 8)).norm(), 1e-15 * 10);
  in.x *= 7;
  EXPECT_LE((Actuator::effort<double>(in) - Vec3(6, 0, 8)).norm(), 1e-15 * 10);
  // the power is F times the rate of the distance
  EXPECT_NEAR(Actuator::effort<double>(in).dot(in.xdot), 10 * (3 * 1 + 4 * 3) / 5.0, 1e-14 * 30);
}

}  // namespace
}  // namespace kinegrad

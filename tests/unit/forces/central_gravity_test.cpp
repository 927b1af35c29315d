#include "kinegrad/forces/central_gravity.hpp"

#include <gtest/gtest.h>

namespace kinegrad {
namespace {

ForceInput<CentralGravity, double> at(const Vec3& x) {
  return {x, Vec3::Zero(), 0.0,
          Vec<double, 4>(398600.4418, 1, 0, 0)};  // the earth in km, at (1, 0, 0)
}

/// GM/r² at 6778.137 km from the centre, 400 km above the equator: 8.675 m/s².
TEST(CentralGravityTest, PullsTowardsTheCentre) {
  const Vec3 e = CentralGravity::effort<double>(at(Vec3(1, 6778.137, 0)));
  EXPECT_NEAR(e(1), -398600.4418 / (6778.137 * 6778.137), 1e-17);
  EXPECT_NEAR(1e3 * e(1), -8.676, 1e-3);
  EXPECT_EQ(e(0), 0);
}

TEST(CentralGravityTest, EnergyVanishesAtInfinity) {
  EXPECT_NEAR(CentralGravity::energy<double>(at(Vec3(1, 0, 1e12))), 0, 1e-6);
  EXPECT_LT(CentralGravity::energy<double>(at(Vec3(1, 0, 7000))),
            CentralGravity::energy<double>(at(Vec3(1, 0, 8000))));
}

}  // namespace
}  // namespace kinegrad

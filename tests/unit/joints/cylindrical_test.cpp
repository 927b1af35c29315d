#include "kinegrad/joints/cylindrical.hpp"

#include <gtest/gtest.h>

#include "support/joint_tolerances.hpp"

namespace kinegrad {
namespace {

using test::kElementTolerance;
using Vec2 = Vec<double, 2>;
constexpr double kPi = 3.14159265358979323846;

TEST(CylindricalTest, TranslationComesFirst) {
  EXPECT_EQ(unit_of(Cylindrical::coordinates[0].kind), "m");
  EXPECT_EQ(unit_of(Cylindrical::coordinates[1].kind), "rad");
  const Pose<double> X = Cylindrical::pose<double>(Vec2(2, kPi / 2));
  EXPECT_LE((X * Vec3(1, 0, 0) - Vec3(0, 1, 2)).norm(), 2 * kElementTolerance);
}

TEST(CylindricalTest, ScrewMotion) {
  // A point at radius r on a screw: speed v₂ r around, v₁ along.
  const Vec2 q(0, 0), v(0.5, 4);
  const Twist<double> V = Cylindrical::motion<double>(q) * v;
  const Vec3 velocity = V.tail<3>() + la::cross(V.head<3>(), Vec3(2, 0, 0));
  EXPECT_EQ(velocity, Vec3(0, 8, 0.5));
}

TEST(CylindricalTest, ReadsBack) {
  const Vec2 q(-1.5, 3);
  const auto X = Cylindrical::pose<double>(q);
  EXPECT_LE((Cylindrical::coordinates_of<double>(X) - q).norm(), 3 * kElementTolerance);
}

}  // namespace
}  // namespace kinegrad

#include "kinegrad/joints/planar.hpp"

#include <gtest/gtest.h>

#include "support/joint_tolerances.hpp"

namespace kinegrad {
namespace {

using test::kElementTolerance;
constexpr double kPi = 3.14159265358979323846;

TEST(PlanarTest, MovesInThePlaneAndTurnsAboutItsNormal) {
  const Pose<double> X = Planar::pose<double>(Vec3(3, 4, kPi / 2));
  EXPECT_LE((X * Vec3(1, 0, 0) - Vec3(3, 5, 0)).norm(), 5 * kElementTolerance);
  EXPECT_LE((X * Vec3(0, 0, 7) - Vec3(3, 4, 7)).norm(), 7 * kElementTolerance);
}

TEST(PlanarTest, TranslationsAreAlongTheAxesOfTheFirstBody) {
  // The same translation after a quarter turn: not carried by the rotation.
  const Vec3 q(3, 4, kPi / 2);
  const Twist<double> V = Planar::motion<double>(q) * Vec3(1, 0, 0);
  EXPECT_EQ(V.tail<3>(), Vec3(1, 0, 0));
}

TEST(PlanarTest, SpinLeavesMoInPlace) {
  const Vec3 q(3, 4, 0.2);
  const Twist<double> V = Planar::motion<double>(q) * Vec3(0, 0, 1);
  EXPECT_EQ(V.head<3>(), Vec3(0, 0, 1));
  const Vec3 velocity_of_Mo = V.tail<3>() + la::cross(V.head<3>(), Vec3(3, 4, 0));
  EXPECT_EQ(velocity_of_Mo, Vec3(0, 0, 0));
}

TEST(PlanarTest, ReadsBack) {
  const Vec3 q(-3, 4, -2.9);
  const auto X = Planar::pose<double>(q);
  EXPECT_LE((Planar::coordinates_of<double>(X) - q).norm(), 5 * kElementTolerance);
}

}  // namespace
}  // namespace kinegrad

#include "kinegrad/joints/revolute.hpp"

#include <gtest/gtest.h>

#include "support/joint_tolerances.hpp"

namespace kinegrad {
namespace {

using test::kElementTolerance;
constexpr double kPi = 3.14159265358979323846;

TEST(RevoluteTest, PositiveAngleTurnsXTowardsY) {
  const Pose<double> X = Revolute::pose<double>(Vec<double, 1>(kPi / 2));
  EXPECT_LE((X * Vec3(1, 0, 0) - Vec3(0, 1, 0)).norm(), kElementTolerance);
  EXPECT_LE((X * Vec3(0, 0, 1) - Vec3(0, 0, 1)).norm(), kElementTolerance);
}

TEST(RevoluteTest, PositiveSpeedMovesXTowardsY) {
  const Vec<double, 1> q(0.0), v(2.0);
  const Twist<double> V = Revolute::motion<double>(q) * v;
  const Vec3 velocity = V.tail<3>() + la::cross(V.head<3>(), Vec3(3, 0, 0));
  EXPECT_EQ(velocity, Vec3(0, 6, 0));
}

TEST(RevoluteTest, AngleIsReadBackInEveryQuadrant) {
  for (const double angle : {0.0, 0.3, 1.5, 2.0, 3.0, -0.3, -1.5, -2.0, -3.0}) {
    const auto X = Revolute::pose<double>(Vec<double, 1>(angle));
    EXPECT_NEAR(Revolute::coordinates_of<double>(X)(0), angle, kElementTolerance);
  }
}

TEST(RevoluteTest, FullTurnsAreNotSeenByThePose) {
  const auto X = Revolute::pose<double>(Vec<double, 1>(0.5 + 2 * kPi));
  EXPECT_NEAR(Revolute::coordinates_of<double>(X)(0), 0.5, kElementTolerance);
}

TEST(RevoluteTest, ReversedTurnsTheOtherWay) {
  const Pose<double> X = Reversed<Revolute>::pose<double>(Vec<double, 1>(kPi / 2));
  EXPECT_LE((X * Vec3(1, 0, 0) - Vec3(0, -1, 0)).norm(), kElementTolerance);
}

}  // namespace
}  // namespace kinegrad

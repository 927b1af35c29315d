#include "kinegrad/joints/cartesian.hpp"

#include <gtest/gtest.h>

namespace kinegrad {
namespace {

TEST(CartesianTest, MovesInSpaceWithoutTurning) {
  const Pose<double> X = Cartesian::pose<double>(Vec3(3, -4, 5));
  EXPECT_EQ(X * Vec3(1, 2, 7), Vec3(4, -2, 12));
}

TEST(CartesianTest, SpeedsAreThoseOfAllPoints) {
  const Twist<double> V = Cartesian::motion<double>(Vec3(3, -4, 5)) * Vec3(0.5, 2, -1);
  EXPECT_EQ(V.head<3>(), Vec3(0, 0, 0));
  EXPECT_EQ(V.tail<3>(), Vec3(0.5, 2, -1));
}

TEST(CartesianTest, TakesAwayTheRotations) {
  EXPECT_EQ(joint_model<Cartesian>().freedom(), 3);
  EXPECT_EQ(Cartesian::closure.size(), 3u);
}

}  // namespace
}  // namespace kinegrad

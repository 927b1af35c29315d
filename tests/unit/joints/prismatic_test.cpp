#include "kinegrad/joints/prismatic.hpp"

#include <gtest/gtest.h>

namespace kinegrad {
namespace {

TEST(PrismaticTest, MovesAlongZWithoutTurning) {
  const Pose<double> X = Prismatic::pose<double>(Vec<double, 1>(0.7));
  EXPECT_EQ(X * Vec3(1, 2, 3), Vec3(1, 2, 3.7));
}

TEST(PrismaticTest, EveryPointHasTheSameVelocity) {
  const Twist<double> V = Prismatic::motion<double>(Vec<double, 1>(0.7)) * Vec<double, 1>(2.0);
  EXPECT_EQ(V.head<3>(), Vec3(0, 0, 0));
  EXPECT_EQ(V.tail<3>(), Vec3(0, 0, 2));
}

TEST(PrismaticTest, ReadsOnlyTheDistanceAlongTheAxis) {
  Pose<double> X;
  X.p = Vec3(5, 6, -0.25);
  EXPECT_EQ(Prismatic::coordinates_of<double>(X)(0), -0.25);
}

TEST(PrismaticTest, CoordinateIsALength) {
  EXPECT_EQ(unit_of(Prismatic::coordinates[0].kind), "m");
}

}  // namespace
}  // namespace kinegrad

#include "kinegrad/joints/rectangular.hpp"

#include <gtest/gtest.h>

namespace kinegrad {
namespace {

using Vec2 = Vec<double, 2>;

TEST(RectangularTest, MovesInThePlaneWithoutTurning) {
  const Pose<double> X = Rectangular::pose<double>(Vec2(3, -4));
  EXPECT_EQ(X * Vec3(1, 2, 7), Vec3(4, -2, 7));
}

TEST(RectangularTest, SpeedsAreAlongTheAxesOfTheFirstBody) {
  const Twist<double> V = Rectangular::motion<double>(Vec2(3, -4)) * Vec2(0.5, 2);
  EXPECT_EQ(V.head<3>(), Vec3(0, 0, 0));
  EXPECT_EQ(V.tail<3>(), Vec3(0.5, 2, 0));
}

TEST(RectangularTest, TakesAwayFourFreedoms) {
  EXPECT_EQ(joint_model<Rectangular>().freedom(), 2);
  EXPECT_EQ(Rectangular::closure.size(), 4u);  // one equation each
}

}  // namespace
}  // namespace kinegrad

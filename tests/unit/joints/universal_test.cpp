#include "kinegrad/joints/universal.hpp"

#include <gtest/gtest.h>

#include "support/joint_tolerances.hpp"

namespace kinegrad {
namespace {

using test::kElementTolerance;
using Vec2 = Vec<double, 2>;
constexpr double kPi = 3.14159265358979323846;

TEST(UniversalTest, FirstAngleTurnsAboutZOfTheFirstBody) {
  const Pose<double> X = Universal::pose<double>(Vec2(kPi / 2, 0));
  EXPECT_LE((X * Vec3(1, 0, 0) - Vec3(0, 1, 0)).norm(), kElementTolerance);
  EXPECT_LE((X * Vec3(0, 0, 1) - Vec3(0, 0, 1)).norm(), kElementTolerance);
}

TEST(UniversalTest, SecondAngleTurnsAboutXOfTheSecondBody) {
  const Pose<double> X = Universal::pose<double>(Vec2(0, kPi / 2));
  EXPECT_LE((X * Vec3(0, 1, 0) - Vec3(0, 0, 1)).norm(), kElementTolerance);
  EXPECT_LE((X * Vec3(1, 0, 0) - Vec3(1, 0, 0)).norm(), kElementTolerance);
}

TEST(UniversalTest, SecondAxisIsCarriedByTheFirstAngle) {
  const Vec2 q(0.4, -1.1);
  const Pose<double> X = Universal::pose<double>(q);
  const Twist<double> V = Universal::motion<double>(q) * Vec2(0, 1);
  EXPECT_LE((V.head<3>() - X.R.col(0)).norm(), kElementTolerance) << "second axis is x_M";
  EXPECT_LE(std::abs(V(2)), kElementTolerance) << "and stays across the first";
}

TEST(UniversalTest, SecondAngleIsTheBendBetweenTheNormals) {
  const Pose<double> X = Universal::pose<double>(Vec2(0.3, 0.8));
  EXPECT_NEAR(std::acos(X.R(2, 2)), 0.8, kElementTolerance);
}

TEST(UniversalTest, BothAnglesAreReadBackBeyondARightAngle) {
  const Vec2 q(2.5, -2.8);
  EXPECT_LE((Universal::coordinates_of<double>(Universal::pose<double>(q)) - q).norm(),
            kElementTolerance);
}

TEST(UniversalTest, AngularAccelerationHasTheGyroscopicTerm) {
  // ω̇ = v₁v₂ z × x_M at constant speeds.
  const Vec2 q(0.7, 0.2), v(3, 5);
  const Twist<double> bias = Universal::motion_dot<double>(q, v) * v;
  const Vec3 x_M = Universal::pose<double>(q).R.col(0);
  EXPECT_LE((bias.head<3>() - 15 * la::cross(Vec3(0, 0, 1), x_M)).norm(), 15 * kElementTolerance);
}

}  // namespace
}  // namespace kinegrad

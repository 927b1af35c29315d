#include "kinegrad/joints/floating.hpp"

#include <gtest/gtest.h>

#include "support/joint_tolerances.hpp"

namespace kinegrad {
namespace {

using test::kElementTolerance;
using Vec7 = Vec<double, 7>;

TEST(FloatingTest, PositionOfMoIsTheFirstThree) {
  Vec7 q;
  q << 1, 2, 3, std::sqrt(0.5), 0, 0, std::sqrt(0.5);  // a quarter turn about z
  const Pose<double> X = Floating::pose<double>(q);
  EXPECT_EQ(X.p, Vec3(1, 2, 3));
  EXPECT_LE((X * Vec3(1, 0, 0) - Vec3(1, 3, 3)).norm(), 3 * kElementTolerance);
}

TEST(FloatingTest, TranslationSpeedsAreTheVelocityOfMo) {
  // Whatever the spin, the point Mo moves with (ẋ, ẏ, ż).
  Vec7 q, v;
  q << 1, 2, 3, 0.5, -0.5, 0.1, 0.7;
  v << 4, 5, 6, 0.3, 0.2, -0.8, 0.1;
  const Twist<double> V = Floating::motion<double>(q) * v;
  const Vec3 velocity = V.tail<3>() + la::cross(V.head<3>(), Vec3(1, 2, 3));
  EXPECT_LE((velocity - Vec3(4, 5, 6)).norm(), 10 * kElementTolerance);
}

TEST(FloatingTest, AccelerationOfMoIsTheSecondDerivative) {
  // r̈ = a whatever the rotation does: v̇_Fo + ω̇×r + ω×(v_Fo + ω×r) must lose every spin term. The
  // twist is taken at the fixed point Fo, so the material acceleration there is v̇ + ω×v.
  Vec7 q, v, a;
  q << 1, 2, 3, 0.5, -0.5, 0.1, 0.7;
  v << 4, 5, 6, 0.3, 0.2, -0.8, 0.1;
  a << -1, 0.5, 2, 0.1, -0.4, 0.2, 0.6;
  const Vec3 r(1, 2, 3);
  const Twist<double> V = Floating::motion<double>(q) * v;
  const Twist<double> A = Floating::motion<double>(q) * a + Floating::motion_dot<double>(q, v) * v;
  const Vec3 w = V.head<3>(), wdot = A.head<3>();
  const Vec3 velocity = V.tail<3>() + la::cross(w, r);
  const Vec3 acceleration = A.tail<3>() + la::cross(wdot, r) + la::cross(w, velocity);
  EXPECT_LE((acceleration - Vec3(-1, 0.5, 2)).norm(), 100 * kElementTolerance);
}

TEST(FloatingTest, RotationIsThatOfTheSphericalJoint) {
  Vec7 q;
  q << 1, 2, 3, 0.5, -0.5, 0.1, 0.7;
  const Vec<double, 4> p = q.tail<4>();
  EXPECT_EQ(Floating::pose<double>(q).R, euler_rotation<double>(p));
}

}  // namespace
}  // namespace kinegrad

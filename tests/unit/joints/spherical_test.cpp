#include "kinegrad/joints/spherical.hpp"

#include <gtest/gtest.h>

#include "kinegrad/math/rotation.hpp"
#include "support/joint_tolerances.hpp"

namespace kinegrad {
namespace {

using test::kElementTolerance;
using Vec4 = Vec<double, 4>;
constexpr double kPi = 3.14159265358979323846;

/// (cos φ/2, u sin φ/2).
Vec4 about(const Vec3& u, double angle) {
  Vec4 p;
  p << std::cos(angle / 2), u * std::sin(angle / 2);
  return p;
}

TEST(SphericalTest, RotationAboutAnAxis) {
  const Pose<double> X = Spherical::pose<double>(about(Vec3(0, 0, 1), kPi / 2));
  EXPECT_LE((X * Vec3(1, 0, 0) - Vec3(0, 1, 0)).norm(), kElementTolerance);
  const Vec3 u = Vec3(1, 2, -2) / 3;
  EXPECT_LE((Spherical::pose<double>(about(u, 1.2)).R - rotation_about<double>(u, 1.2)).norm(),
            kElementTolerance);
}

TEST(SphericalTest, LengthAndSignOfTheParametersDoNotMatter) {
  const Vec4 p = about(Vec3(0.6, 0, 0.8), 0.9);
  const Mat3 R = Spherical::pose<double>(p).R;
  EXPECT_LE((Spherical::pose<double>(3 * p).R - R).norm(), kElementTolerance);
  EXPECT_LE((Spherical::pose<double>(-p).R - R).norm(), kElementTolerance);
}

TEST(SphericalTest, AngularVelocityOfATurnAboutAFixedAxis) {
  // p = (cos φ/2, u sin φ/2) with φ̇ = 2: ω = 2u, in axes of F.
  const Vec3 u(0.6, 0, 0.8);
  const double angle = 0.9, rate = 2;
  Vec4 pdot;
  pdot << -std::sin(angle / 2), u * std::cos(angle / 2);
  pdot *= rate / 2;
  const Twist<double> V = Spherical::motion<double>(about(u, angle)) * pdot;
  EXPECT_LE((V.head<3>() - rate * u).norm(), kElementTolerance);
  EXPECT_EQ(V.tail<3>(), Vec3(0, 0, 0));
}

TEST(SphericalTest, AngularVelocityIsInAxesOfTheFirstFrame) {
  // First a quarter turn about x, then the body turns about its own z, which is now −y of F.
  const Vec4 p = about(Vec3(1, 0, 0), kPi / 2);
  const Vec4 v = Spherical::speeds_of<double>(p, (Twist<double>() << 0, -1, 0, 0, 0, 0).finished());
  const double h = 1e-6;
  const Mat3 before = Spherical::pose<double>(p).R, after = Spherical::pose<double>(p + h * v).R;
  const Mat3 own_turn = before.transpose() * after;
  EXPECT_NEAR(own_turn(1, 0), h, 1e-12) << "a turn by h about its own z, to order h²";
}

TEST(SphericalTest, SpeedsOffTheUnitSphere) {
  // Three times the parameters need three times the rates for the same ω.
  const Vec4 p = about(Vec3(0.6, 0, 0.8), 0.9);
  Twist<double> V;
  V << 0.1, -0.2, 0.3, 0, 0, 0;
  const Vec4 v = Spherical::speeds_of<double>(3 * p, V);
  EXPECT_LE((v - 3 * Spherical::speeds_of<double>(p, V)).norm(), kElementTolerance);
  EXPECT_LE((Spherical::motion<double>(3 * p) * v - V).norm(), kElementTolerance);
}

TEST(SphericalTest, ReadBackOfHalfTurns) {
  // e₀ = 0: another component is the pivot, and it comes back positive.
  for (int k = 1; k < 4; ++k) {
    Vec4 p = Vec4::Zero();
    p(k) = 1;
    const Vec4 back = Spherical::coordinates_of<double>(Spherical::pose<double>(p));
    EXPECT_LE((back - p).norm(), kElementTolerance);
  }
}

}  // namespace
}  // namespace kinegrad

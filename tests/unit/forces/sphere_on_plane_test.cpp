#include "kinegrad/forces/sphere_on_plane.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

namespace kinegrad {
namespace {

using In = ForceInput<SphereOnPlane, double>;

/// A sphere of radius 0.1 whose centre is at that height, moving and turning so.
In at(double height, const Vec3& rate, const Vec3& omega) {
  In in;
  in.x.setZero();
  in.x(2) = height;
  for (int i = 0; i < 3; ++i) in.x(3 + 4 * i) = 1;
  in.xdot << omega, rate;
  in.t = 0;
  in.p.setZero();
  in.p(0) = 0.1;
  in.p.segment<3>(2) << 2000, 1.5, 0.3;
  in.p.segment<3>(10) << 0.25, 0.4, 1e-2;
  return in;
}

TEST(SphereOnPlane, NormalForceIsHuntAndCrossleys) {
  const In in = at(0.09, {0, 0, -2}, {0, 0, 0});
  const Vec<double, 6> e = SphereOnPlane::effort<double>(in);
  EXPECT_NEAR(e(5), 2000 * std::pow(0.01, 1.5) * (1 + 0.3 * 2), 1e-13);
  EXPECT_LE(e.head<5>().norm(), 1e-15);
  EXPECT_NEAR(SphereOnPlane::energy<double>(in), 2000 * std::pow(0.01, 2.5) / 2.5, 1e-15);
}

/// Neither outside nor while it leaves faster than 1/χ is there a force.
TEST(SphereOnPlane, NeverPulls) {
  EXPECT_EQ(SphereOnPlane::effort<double>(at(0.1001, {1, 0, -5}, {0, 3, 0})).norm(), 0);
  EXPECT_EQ(SphereOnPlane::effort<double>(at(0.09, {1, 0, 4}, {0, 3, 0})).norm(), 0);
  EXPECT_EQ(SphereOnPlane::energy<double>(at(0.1001, {0, 0, 0}, {0, 0, 0})), 0);
}

/// Friction is against the velocity of the contact, with μ_d F far from standstill, and turns the sphere.
TEST(SphereOnPlane, FrictionOfSliding) {
  const In in = at(0.09, {3, 4, 0}, {0, 0, 7});
  const Vec<double, 6> e = SphereOnPlane::effort<double>(in);
  const double F = 2000 * std::pow(0.01, 1.5);
  const Vec3 expected = -0.25 * F * Vec3(0.6, 0.8, 0);
  // what is left of the hump at 500 v_s: (μ_s − μ_d)·16/500³
  EXPECT_LE((e.tail<3>() - Vec3(0, 0, F) - expected).norm(), 1e-6 * F);
  EXPECT_LE((e.head<3>() - Vec3(0, 0, -0.09).cross(Vec3(e.tail<3>()))).norm(), 1e-14);
}

/// A sphere that rolls has no friction: v = ω×(height z).
TEST(SphereOnPlane, RollingIsFree) {
  const In in = at(0.09, {0.09 * 5, 0, 0}, {0, 5, 0});
  EXPECT_LE(SphereOnPlane::effort<double>(in).head<5>().norm(), 1e-15);
}

/// The largest friction is at v_s and near μ_s: 0.9995 of it for 0.4/0.3 (Brown and McPhee).
TEST(SphereOnPlane, PeakOfFriction) {
  double largest = 0;
  for (double v = 1e-4; v < 0.1; v *= 1.01) {
    In in = at(0.09, {v, 0, 0}, {0, 0, 0});
    in.p(10) = 0.3;
    const Vec<double, 6> e = SphereOnPlane::effort<double>(in);
    largest = std::max(largest, -e(3) / e(5));
  }
  EXPECT_NEAR(largest, 0.9995 * 0.4, 2e-4);
}

}  // namespace
}  // namespace kinegrad

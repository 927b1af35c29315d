#include "kinegrad/math/spatial.hpp"

#include <gtest/gtest.h>

#include "kinegrad/math/rotation.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

const Pose<double> kX{rotation_about<double>(Vec3(1, 2, -1).normalized(), 0.8), Vec3(0.3, -1, 2)};
const Pose<double> kY{rotation_about<double>(Vec3(0, 1, 3).normalized(), -1.7), Vec3(1, 0.5, -0.2)};
const Twist<double> kV = (Twist<double>() << 0.4, -1, 0.7, 2, 0.1, -0.6).finished();
const Twist<double> kW = (Twist<double>() << -0.3, 0.9, 1.1, -0.5, 1.4, 0.2).finished();

TEST(Spatial, PosesComposeAndInvert) {
  const Vec3 point(0.2, 3, -1);
  EXPECT_LE(((kX * kY) * point - kX * (kY * point)).norm(), tolerance::kElement * 10);
  const Pose<double> same = kX * kX.inverse();
  EXPECT_LE((same.R - Mat3::Identity()).norm(), tolerance::kElement);
  EXPECT_LE(same.p.norm(), tolerance::kElement);
  const Pose<double> identity;
  EXPECT_EQ(identity * point, point);
}

TEST(Spatial, TwistsTransformLikeTheFrameTheyBelongTo) {
  const auto chained = transform_twist(kX, transform_twist(kY, kV));
  EXPECT_LE((transform_twist(kX * kY, kV) - chained).norm(), tolerance::kElement * 10);
  EXPECT_LE((transform_twist(kX.inverse(), transform_twist(kX, kV)) - kV).norm(),
            tolerance::kElement * 10);
}

/// A body turning about a line through the point c: the point of the body at the origin moves with
/// c × ω.
TEST(Spatial, ATwistIsTakenAtTheOrigin) {
  const Vec3 axis(0, 0, 2), c(1, 0, 0);
  Twist<double> spin = Twist<double>::Zero();
  spin.head<3>() = axis;
  const Twist<double> moved = transform_twist(Pose<double>{Mat3::Identity(), c}, spin);
  EXPECT_EQ(Vec3(moved.head<3>()), axis);
  EXPECT_EQ(Vec3(moved.tail<3>()), Vec3(0, -2, 0));
}

TEST(Spatial, CrossIsAntisymmetricObeysJacobiAndTransforms) {
  EXPECT_LE(twist_cross(kV, kV).norm(), tolerance::kElement);
  EXPECT_LE((twist_cross(kV, kW) + twist_cross(kW, kV)).norm(), tolerance::kElement);
  const Twist<double> U = kV + 2 * kW.reverse();
  const Twist<double> jacobi = twist_cross(kV, twist_cross(kW, U)) +
                               twist_cross(kW, twist_cross(U, kV)) +
                               twist_cross(U, twist_cross(kV, kW));
  EXPECT_LE(jacobi.norm(), tolerance::kElement * 10);
  const auto moved = twist_cross(transform_twist(kX, kV), transform_twist(kX, kW));
  EXPECT_LE((transform_twist(kX, twist_cross(kV, kW)) - moved).norm(), tolerance::kElement * 10);
}

/// d/dt Ad(X) W = ad(V) Ad(X) W for a frame that moves with the twist V.
TEST(Spatial, CrossIsTheRateOfACarriedTwist) {
  const double h = 1e-30;
  Pose<Complex> moving{kX.R.cast<Complex>(), kX.p.cast<Complex>()};
  const Mat3 Rdot = la::skew(kV.head<3>()) * kX.R;
  const Vec3 pdot = kV.tail<3>() + la::cross(kV.head<3>(), kX.p);
  moving.R += Complex(0, h) * Rdot.cast<Complex>();
  moving.p += Complex(0, h) * pdot.cast<Complex>();
  const Twist<double> rate = transform_twist(moving, kW.cast<Complex>().eval()).imag() / h;
  const Twist<double> expected = twist_cross(kV, transform_twist(kX, kW));
  EXPECT_LE((rate - expected).norm(), tolerance::kElement * expected.norm());
}

}  // namespace
}  // namespace kinegrad

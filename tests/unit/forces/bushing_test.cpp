#include "kinegrad/forces/bushing.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>
#include <random>

namespace kinegrad {
namespace {

using In = ForceInput<Bushing, double>;

In at(const Vec3& d, const Vec3& phi) {
  In in;
  const double angle = phi.norm();
  const Mat3 R =
      angle > 0 ? Eigen::AngleAxisd(angle, phi / angle).toRotationMatrix() : Mat3(Mat3::Identity());
  in.x.head<3>() = d;
  for (int i = 0; i < 3; ++i) in.x.segment<3>(3 + 3 * i) = R.row(i).transpose();
  in.xdot.setZero();
  in.t = 0;
  in.p.setZero();
  return in;
}

void set_diagonal(In& in, int first, const Vec<double, 6>& k) {
  for (int i = 0; i < 6; ++i) in.p(first + 7 * i) = k(i);
}

/// Against the axis of a turn the torque is that of a torsional spring, also far from zero.
TEST(Bushing, TurnsBackAboutOneAxis) {
  Vec<double, 6> k;
  k << 100, 200, 300, 4, 5, 6;
  for (const double angle : {1e-9, 1e-3, 0.03, 0.1, 1.0, 2.0, 3.1}) {
    In in = at({0.1, 0.2, 0.3}, angle * Vec3::UnitZ());
    set_diagonal(in, 0, k);
    const Vec<double, 6> e = Bushing::effort<double>(in);
    EXPECT_LE((e.head<3>() + 6 * angle * Vec3::UnitZ()).norm(), 1e-13 * angle) << angle;
    EXPECT_LE((e.tail<3>() - Vec3(-10, -40, -90)).norm(), 1e-13 * 90) << angle;
    EXPECT_NEAR(Bushing::energy<double>(in), 0.5 * (1 + 8 + 27 + 6 * angle * angle), 1e-12)
        << angle;
  }
}

/// The rotation vector of a turn is the vector that made it, on both sides of the series' limits.
TEST(Bushing, RotationVectorIsTheLogarithm) {
  std::mt19937_64 rng(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const double angle : {0.0, 1e-12, 1e-6, 0.0316, 0.0317, 0.0999, 0.1001, 1.5, 1.6, 3.0}) {
    for (int k = 0; k < 10; ++k) {
      const Vec3 phi = angle * Vec3(uniform(rng), uniform(rng), uniform(rng)).normalized();
      const In in = at(Vec3::Zero(), phi);
      Mat3 R;
      for (int i = 0; i < 3; ++i) R.row(i) = in.x.segment<3>(3 + 3 * i).transpose();
      // close to half a turn the sine forgets digits: 1e-16 / (π − angle)
      EXPECT_LE((rotation_vector<double>(R) - phi).norm(), 1e-14) << angle;
    }
  }
}

/// φ̇ = Bω with Ṙ = ω~R, by a difference of the logarithm that is exact to its square.
TEST(Bushing, RateOfTheRotationVector) {
  const Vec3 phi(0.7, -1.1, 0.4), omega(0.3, 0.9, -0.5);
  const auto moved = [&](double increment) {
    const Mat3 R = Eigen::AngleAxisd(phi.norm(), phi.normalized()).toRotationMatrix();
    return rotation_vector<double>(
        Eigen::AngleAxisd(increment * omega.norm(), omega.normalized()).toRotationMatrix() * R);
  };
  constexpr double kIncrement = 1e-5;
  const Vec3 rate = (moved(kIncrement) - moved(-kIncrement)) / (2 * kIncrement);
  EXPECT_LE((rate - rotation_vector_rate<double>(phi) * omega).norm(), 1e-9);
}

/// The damper takes u̇ᵀC u̇, however far the frames are turned.
TEST(Bushing, DampingTakesPower) {
  In in = at({0.1, -0.2, 0.3}, {1.0, -0.5, 0.8});
  Vec<double, 6> c;
  c << 1, 2, 3, 4, 5, 6;
  set_diagonal(in, 36, c);
  in.xdot << 0.3, -0.4, 0.5, 1, 2, 3;
  const Vec3 rate = rotation_vector_rate<double>(Vec3(1.0, -0.5, 0.8)) * in.xdot.head<3>();
  Vec<double, 6> udot;
  udot << in.xdot.tail<3>(), rate;
  EXPECT_NEAR(Bushing::effort<double>(in).dot(in.xdot), -udot.cwiseAbs2().dot(c), 1e-12);
}

}  // namespace
}  // namespace kinegrad

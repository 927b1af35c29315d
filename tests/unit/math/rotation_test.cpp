#include "kinegrad/math/rotation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "kinegrad/math/derivative_check.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using std::numbers::pi;

void expect_rotation(const Mat3& R) {
  EXPECT_LE((R * R.transpose() - Mat3::Identity()).norm(), tolerance::kElement);
  EXPECT_NEAR(R.determinant(), 1, tolerance::kElement);
}

TEST(Rotation, AboutTheAxesTurnsTheNextAxisOntoTheOneAfter) {
  const auto near = [](const Vec3& a, const Vec3& b) {
    return (a - b).norm() < tolerance::kElement;
  };
  const double quarter = pi / 2;
  EXPECT_TRUE(near(rotation_x(quarter) * Vec3::UnitY(), Vec3::UnitZ()));
  EXPECT_TRUE(near(rotation_y(quarter) * Vec3::UnitZ(), Vec3::UnitX()));
  EXPECT_TRUE(near(rotation_z(quarter) * Vec3::UnitX(), Vec3::UnitY()));
}

TEST(Rotation, AboutAVectorIsThatOfTheAxesAndFixesTheVector) {
  for (const double angle : {-3.0, -0.2, 0.0, 1e-8, 1.1, 3.1}) {
    EXPECT_LE((rotation_about<double>(Vec3::UnitX(), angle) - rotation_x(angle)).norm(),
              tolerance::kElement);
    EXPECT_LE((rotation_about<double>(Vec3::UnitY(), angle) - rotation_y(angle)).norm(),
              tolerance::kElement);
    EXPECT_LE((rotation_about<double>(Vec3::UnitZ(), angle) - rotation_z(angle)).norm(),
              tolerance::kElement);
    const Vec3 u = Vec3(1, -2, 0.5).normalized();
    const Mat3 R = rotation_about<double>(u, angle);
    expect_rotation(R);
    EXPECT_LE((R * u - u).norm(), tolerance::kElement);
  }
}

TEST(Rotation, DerivativeInTheAngleIsTheSpinAboutTheAxis) {
  const Vec3 u = Vec3(1, -2, 0.5).normalized();
  const auto entries = [&u](const auto& x) {  // dR/dφ = ũ R
    using T = typename std::decay_t<decltype(x)>::Scalar;
    const Mat3T<T> R = rotation_about<T>(u.cast<T>(), x(0));
    return VecXT<T>(Eigen::Map<const VecXT<T>>(R.data(), 9));
  };
  for (const double angle : {-2.0, 0.0, 0.4}) {
    const Mat3 expected = la::skew(u) * rotation_about<double>(u, angle);
    const MatX complex = complex_step_jacobian(entries, VecX::Constant(1, angle));
    const MatX dual = dual_jacobian(entries, VecX::Constant(1, angle));
    const Eigen::Map<const VecX> column(expected.data(), 9);
    EXPECT_LE((complex - column).norm(), tolerance::kElement * column.norm());
    EXPECT_LE((dual - column).norm(), tolerance::kElement * column.norm());
  }
}

TEST(Rotation, FrameFromAxisHasItsAxisAndReference) {
  const Vec3 axis(0, 3, 4), reference(1, 2, -1);
  const Mat3 R = frame_from_axis<double>(axis, reference);
  expect_rotation(R);
  EXPECT_LE((R.col(2) - axis / 5).norm(), tolerance::kElement);
  EXPECT_NEAR(R.col(1).dot(reference), 0, tolerance::kElement);
  EXPECT_GT(R.col(0).dot(reference), 0);
}

TEST(Rotation, AngleOfIsAtan2AndAnalyticInBothParts) {
  const auto angle = [](const auto& x) {
    using T = typename std::decay_t<decltype(x)>::Scalar;
    return VecXT<T>(VecXT<T>::Constant(1, angle_of(x(0), x(1))));
  };
  for (int k = 0; k < 16; ++k) {
    const double phi = -pi + 0.01 + 2 * pi * k / 16, r = 1.7;
    const VecX x{{r * std::cos(phi), r * std::sin(phi)}};
    EXPECT_NEAR(angle(x)(0), std::atan2(x(1), x(0)), tolerance::kElement);
    MatX expected(1, 2);
    expected << -x(1) / (r * r), x(0) / (r * r);
    EXPECT_LE((complex_step_jacobian(angle, x) - expected).norm(), tolerance::kElement);
    EXPECT_LE((dual_jacobian(angle, x) - expected).norm(), tolerance::kElement);
  }
}

}  // namespace
}  // namespace kinegrad

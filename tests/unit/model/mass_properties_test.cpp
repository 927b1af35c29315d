#include "kinegrad/model/mass_properties.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// Midpoint rule over a box around the solid: an oracle that shares nothing with the formulas.
template <typename Inside>
MassProperties<double> by_quadrature(const Vec3& low, const Vec3& high, int n, double density,
                                     const Inside& inside) {
  const Vec3 cell = (high - low) / n;
  const double dm = density * cell.prod();
  double m = 0;
  Vec3 first = Vec3::Zero();
  Mat3 J = Mat3::Zero();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const Vec3 r = low + cell.cwiseProduct(Vec3(i + 0.5, j + 0.5, k + 0.5));
        if (!inside(r)) continue;
        m += dm;
        first += dm * r;
        J += dm * unit_inertia(r);
      }
    }
  }
  const Vec3 c = first / m;
  return {m, c, J - m * unit_inertia(c)};
}

void expect_near(const MassProperties<double>& a, const MassProperties<double>& b,
                 double relative) {
  EXPECT_NEAR(a.mass, b.mass, relative * b.mass);
  EXPECT_LT((a.com - b.com).norm(), relative * (1 + b.com.norm()));
  EXPECT_LT((a.inertia - b.inertia).norm(), relative * b.inertia.norm());
}

/// The midpoint rule with 120³ cells sees curved faces to about 1 %.
constexpr double kQuadrature = 1e-2;

TEST(MassProperties, CapsuleByQuadrature) {
  const Vec3 from(0.1, -0.2, 0.3), to(0.5, 0.4, 0.1);
  const double r = 0.25;
  const Vec3 u = (to - from).normalized();
  const double length = (to - from).norm();
  const auto inside = [&](const Vec3& x) {
    const double along = std::clamp((x - from).dot(u), 0.0, length);
    return (x - from - along * u).norm() <= r;
  };
  const Vec3 low = from.cwiseMin(to).array() - r, high = from.cwiseMax(to).array() + r;
  expect_near(capsule_mass<double>(from, to, r, 700), by_quadrature(low, high, 120, 700, inside),
              kQuadrature);
}

TEST(MassProperties, CylinderByQuadrature) {
  const Vec3 from(0.1, -0.2, 0.3), to(0.5, 0.4, 0.1);
  const double r = 0.25;
  const Vec3 u = (to - from).normalized();
  const double length = (to - from).norm();
  const auto inside = [&](const Vec3& x) {
    const double along = (x - from).dot(u);
    return along >= 0 && along <= length && (x - from - along * u).norm() <= r;
  };
  const Vec3 low = from.cwiseMin(to).array() - r, high = from.cwiseMax(to).array() + r;
  expect_near(cylinder_mass<double>(from, to, r, 700), by_quadrature(low, high, 120, 700, inside),
              kQuadrature);
}

TEST(MassProperties, BoxByQuadrature) {
  const Vec3 size(0.4, 0.7, 0.2), c(0.3, -0.1, 0.2);
  const Mat3 R = rotation_about<double>(Vec3(2, -1, 2) / 3, 0.7);
  const auto inside = [&](const Vec3& x) {
    return ((R.transpose() * (x - c)).cwiseAbs() - size / 2).maxCoeff() <= 0;
  };
  const Vec3 half = (R.cwiseAbs() * size) / 2;
  expect_near(box_mass<double>(size, R, c, 300),
              by_quadrature(c - half, c + half, 120, 300, inside), kQuadrature);
}

TEST(MassProperties, SphereIsAPointlessCapsuleLimit) {
  const double r = 0.3, density = 500;
  const MassProperties<double> sphere = sphere_mass<double>(r, Vec3(1, 2, 3), density);
  EXPECT_NEAR(sphere.mass, 4.0 / 3 * kPi * r * r * r * density, 1e-12 * sphere.mass);
  const Vec3 tiny(0, 0, 1e-9);
  const MassProperties<double> capsule =
      capsule_mass<double>(Vec3(1, 2, 3) - tiny / 2, Vec3(1, 2, 3) + tiny / 2, r, density);
  expect_near(capsule, sphere, 1e-8);  // the cylinder between the halves is 3e-9 of the sphere
}

TEST(MassProperties, HalvesMakeTheWhole) {
  const Vec3 a(0, 0, 0), b(0.3, 0.5, -0.2), m = (a + b) / 2;
  const MassProperties<double> whole = cylinder_mass<double>(a, b, 0.1, 100);
  const MassProperties<double> joined =
      combined(cylinder_mass<double>(a, m, 0.1, 100), cylinder_mass<double>(m, b, 0.1, 100));
  expect_near(joined, whole, 10 * tolerance::kElement);  // three steps of the parallel axis theorem
}

}  // namespace
}  // namespace kinegrad

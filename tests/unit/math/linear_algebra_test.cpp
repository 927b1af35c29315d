#include "kinegrad/math/linear_algebra.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

const Vec3 kA(1.5, -2, 0.25), kB(0.5, 3, -1);

TEST(LinearAlgebra, ProductsAreEigensOnRealVectors) {
  EXPECT_NEAR(la::dot(kA, kB), kA.dot(kB), tolerance::kElement);
  EXPECT_EQ(la::cross(kA, kB), kA.cross(kB));
  EXPECT_NEAR(la::norm(kA), kA.norm(), tolerance::kElement);
  EXPECT_NEAR(la::squared_norm(kA), kA.squaredNorm(), tolerance::kElement);
  EXPECT_LE((la::normalized(kA) - kA.normalized()).norm(), tolerance::kElement);
}

TEST(LinearAlgebra, SkewIsTheCrossProduct) {
  EXPECT_LE((la::skew(kA) * kB - la::cross(kA, kB)).norm(), tolerance::kElement);
  EXPECT_EQ(la::unskew(la::skew(kA)), kA);
  EXPECT_EQ(la::skew(kA).transpose(), -la::skew(kA));
}

TEST(LinearAlgebra, UnitVectors) {
  for (int k = 0; k < 3; ++k) EXPECT_EQ(la::unit<double>(k), Vec3::Unit(k));
}

/// The reason the functions exist: with Eigen's own, which conjugate, these derivatives are wrong.
TEST(LinearAlgebra, IsAnalytic) {
  const double h = 1e-30;
  const Vec3T<Complex> a = kA.cast<Complex>() + Complex(0, h) * kB.cast<Complex>();
  EXPECT_NEAR(la::dot(a, a).imag() / h, 2 * kA.dot(kB), tolerance::kElement * 10);
  EXPECT_NEAR(la::norm(a).imag() / h, kA.dot(kB) / kA.norm(), tolerance::kElement * 10);
  EXPECT_EQ(a.dot(a).imag(), 0);  // Eigen's: the derivative is lost
  const Vec3T<Complex> c = la::cross(a, kB.cast<Complex>().eval());
  EXPECT_LE((c.imag() / h).norm(), tolerance::kElement);  // b × b = 0
  const Vec3 d = la::normalized(a).imag() / h;            // the part of b across a, over |a|
  const Vec3 across = (kB - kA * (kA.dot(kB) / kA.squaredNorm())) / kA.norm();
  EXPECT_LE((d - across).norm(), tolerance::kElement * 10);
}

}  // namespace
}  // namespace kinegrad

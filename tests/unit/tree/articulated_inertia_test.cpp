// The twenty-one numbers of an articulated inertia against the 6×6 matrix they stand for.
#include "kinegrad/tree/articulated_inertia.hpp"

#include <gtest/gtest.h>

#include <random>

#include "kinegrad/tree/reference_point.hpp"

namespace kinegrad {
namespace {

constexpr double kRounding = 1e-14;
using Mat6 = Mat<double, 6, 6>;

class ArticulatedInertiaTest : public ::testing::Test {
 protected:
  Twist<double> random_twist() {
    std::uniform_real_distribution<double> uniform(-1, 1);
    Twist<double> x;
    for (int i = 0; i < 6; ++i) x(i) = uniform(rng_);
    return x;
  }
  Mat6 random_matrix() {
    Mat6 I = Mat6::Identity();
    for (int k = 0; k < 3; ++k) {
      const Twist<double> x = random_twist();
      I += x * x.transpose();
    }
    return I;
  }

  std::mt19937_64 rng_{5};
};

TEST_F(ArticulatedInertiaTest, IsItsMatrix) {
  const Mat6 I = random_matrix();
  EXPECT_EQ(ArticulatedInertia<double>(I).matrix(), I);
  RigidInertia<double> body;
  body.m = 2;
  body.h = {0.1, -0.2, 0.3};
  body.J << 3, 0.1, 0.2, 0.1, 4, -0.3, 0.2, -0.3, 5;
  EXPECT_EQ(ArticulatedInertia<double>(body).matrix(), body.matrix());
  EXPECT_EQ(ArticulatedInertia<double>::zero().matrix(), Mat6::Zero());
}

TEST_F(ArticulatedInertiaTest, ProductSumAndElimination) {
  const Mat6 I = random_matrix(), other = random_matrix();
  const Twist<double> x = random_twist(), U = random_twist();
  ArticulatedInertia<double> inertia(I);
  Twist<double> product;
  (inertia * Halves<double>(x)).store(product);
  EXPECT_LE((product - I * x).norm(), kRounding * I.norm());
  inertia += ArticulatedInertia<double>(other);
  inertia.eliminate(Halves<double>(U), 0.25);
  EXPECT_LE((inertia.matrix() - (I + other - 0.25 * U * U.transpose())).norm(),
            kRounding * I.norm());
}

TEST_F(ArticulatedInertiaTest, ShiftIsACongruence) {
  Mat6 I = random_matrix();
  const Vec3 d(0.7, -1.1, 0.4);
  ArticulatedInertia<double> inertia(I);
  inertia.shift_back(Triple<double>(d));
  shift_inertia_back<double>(I, d);
  EXPECT_LE((inertia.matrix() - I).norm(), kRounding * I.norm());
}

}  // namespace
}  // namespace kinegrad

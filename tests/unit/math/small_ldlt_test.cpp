// L D Lᵀ of bordered matrices: solutions, several right sides at once, what it refuses.
#include "kinegrad/math/small_ldlt.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>
#include <random>

#include "kinegrad/math/views.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

/// [N Jᵀ; J −E] with N positive definite; the last row is `apart` from the one before.
MatX bordered(int n, int m, double apart, double E, std::mt19937_64& rng) {
  MatX B(n, n), K = MatX::Zero(n + m, n + m);
  for (double& x : B.reshaped()) x = test::uniform(rng);
  K.topLeftCorner(n, n) = B * B.transpose() + MatX::Identity(n, n);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const double x = test::uniform(rng);
      K(n + i, j) = i + 1 == m && m > 1 ? K(n + i - 1, j) + apart * x : x;
      K(j, n + i) = K(n + i, j);
    }
    K(n + i, n + i) = -E;
  }
  return K;
}

bool factorize(const MatX& K, int n, double part, SmallLdlt<double>& out) {
  const auto size = static_cast<int>(K.rows());
  out.resize(size);
  for (int j = 0; j < size; ++j) {
    for (int i = j; i < size; ++i) out.at(i, j) = K(i, j);
  }
  return out.factorize(n, part);
}

TEST(SmallLdlt, Solutions) {
  std::mt19937_64 rng(41);
  for (const int n : {1, 4, 9, 40}) {
    for (const double E : {0.0, 0.3}) {
      const MatX K = bordered(n, n > 2 ? 2 : 0, 1, E, rng);
      const auto size = static_cast<int>(K.rows());
      SmallLdlt<double> factors;
      ASSERT_TRUE(factorize(K, n, 1e-4, factors));
      EXPECT_EQ(factors.lost(), -1);
      constexpr int kWidth = 4;
      std::vector<double> block(std::size_t(size * kWidth));
      for (double& x : block) x = test::uniform(rng);
      const MatX right = Eigen::Map<MatX>(block.data(), kWidth, size).transpose();
      factors.solve_rows<kWidth>(block.data());
      for (int c = 0; c < kWidth; ++c) {
        VecX x = right.col(c);
        factors.solve(out(x));
        EXPECT_LE((K * x - right.col(c)).norm(),
                  1e-11 * (1 + x.norm()));  // conditions of a thousand
        for (int i = 0; i < size; ++i) {
          EXPECT_NEAR(block[std::size_t(i * kWidth + c)], x(i), 1e-12 * (1 + x.norm()));
        }
      }
    }
  }
}

/// Sizes with loops that are unrolled, and those beyond; half of the entries are zero.
TEST(SmallLdlt, EverySmallSize) {
  std::mt19937_64 rng(43);
  for (int size = 1; size <= unrolled::kMost + 2; ++size) {
    for (int m = 0; 2 * m < size; ++m) {
      const int n = size - m;
      MatX K = bordered(n, m, 1, 0.2, rng);
      for (int j = 0; j < size; ++j) {
        for (int i = j + 1; i < size; ++i) {
          if (test::uniform(rng) < 0) K(i, j) = K(j, i) = 0;
        }
      }
      K.diagonal().head(n).array() += size;  // positive definite without them
      SmallLdlt<double> factors;
      ASSERT_TRUE(factorize(K, n, 0, factors)) << size << " " << m;
      VecX right(size);
      for (double& x : right) x = test::uniform(rng);
      VecX x = right;
      factors.solve(out(x));
      EXPECT_LE((K * x - right).norm(), 1e-13 * K.norm() * (1 + x.norm())) << size << " " << m;
      for (int lost = 0; lost < n; ++lost) {
        MatX singular = K;
        singular.row(lost).setZero();
        singular.col(lost).setZero();
        EXPECT_FALSE(factorize(singular, n, 0, factors));
        EXPECT_EQ(factors.lost(), lost);
      }
      K(size - 1, size - 1) = std::numeric_limits<double>::quiet_NaN();
      EXPECT_FALSE(factorize(K, n, 0, factors));
      EXPECT_EQ(factors.lost(), size - 1);
    }
  }
}

TEST(SmallLdlt, WhatIsLost) {
  std::mt19937_64 rng(42);
  SmallLdlt<double> factors;
  EXPECT_FALSE(factorize(bordered(6, 2, 1e-3, 0, rng), 6, 1e-4, factors));
  EXPECT_EQ(factors.lost(), 7);
  EXPECT_FALSE(factorize(bordered(6, 2, 0, 0, rng), 6, 1e-4, factors));
  EXPECT_TRUE(factorize(bordered(6, 2, 0, 1e-3, rng), 6, 0, factors));  // its border holds it
  MatX K = bordered(6, 2, 1, 0, rng);
  K.row(3).head(6).setZero();
  K.col(3).head(6).setZero();
  EXPECT_FALSE(factorize(K, 6, 0, factors));
  EXPECT_EQ(factors.lost(), 3);
}

}  // namespace
}  // namespace kinegrad

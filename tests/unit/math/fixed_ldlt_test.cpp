// L D Lᵀ in a fixed order against dense LU: random sparse saddle-point matrices, real and complex, with the rows of the
// border after all that they bind; pivots that are lost; what redundant rows do.
#include "kinegrad/math/fixed_ldlt.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>
#include <random>

#include "kinegrad/math/views.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

/// Blocks of N that are positive definite, as of bodies, and rows that couple two of them.
MatX bodies_and_joints(int bodies, int width, int joints, double E, std::mt19937_64& rng) {
  const int n = bodies * width;
  MatX K = MatX::Zero(n + joints, n + joints);
  for (int b = 0; b < bodies; ++b) {
    MatX B(width, width);
    for (double& x : B.reshaped()) x = test::uniform(rng);
    K.block(b * width, b * width, width, width) = B * B.transpose() + MatX::Identity(width, width);
  }
  for (int i = 0; i < joints; ++i) {
    for (const int b : {i % bodies, (i * 7 + 1) % bodies}) {
      for (int c = 0; c < width; ++c) K(n + i, b * width + c) = test::uniform(rng);
    }
    K.col(n + i).head(n) = K.row(n + i).head(n).transpose();
    K(n + i, n + i) = -E;
  }
  return K;
}

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

template <typename T>
FixedLdlt<T> filled(const Matrix<T>& K, int n) {
  std::vector<std::pair<int, int>> entries;
  const auto size = static_cast<int>(K.rows());
  for (int j = 0; j < size; ++j) {
    for (int i = j; i < size; ++i) {
      if (K(i, j) != T(0)) entries.emplace_back(i, j);
    }
  }
  FixedLdlt<T> factors;
  factors.analyse(size, n, entries);
  for (int pass = 0; pass < 2; ++pass) {  // clear() leaves nothing
    factors.clear();
    for (const auto& [i, j] : entries) factors.value(factors.place(j, i)) = K(i, j);
  }
  return factors;
}

template <typename T>
void check_solution(const Matrix<T>& K, int n, std::mt19937_64& rng) {
  FixedLdlt<T> factors = filled(K, n);
  ASSERT_TRUE(factors.factorize());
  EXPECT_EQ(factors.lost(), -1);
  VecXT<T> right(K.rows());
  for (T& x : right) x = T(test::uniform(rng));
  VecXT<T> x = right;
  factors.solve(out(x));
  EXPECT_LE((K * x - right).norm(), 1e-11 * (1 + x.norm()));  // conditions of a thousand
}

TEST(FixedLdlt, Solutions) {
  std::mt19937_64 rng(7);
  for (int trial = 0; trial < 300; ++trial) {
    const int bodies = 1 + trial % 6, width = 1 + trial % 5;
    const int joints = std::min(trial % 9, bodies * width);
    const MatX K = bodies_and_joints(bodies, width, joints, trial % 2 ? 1e-2 : 0.3, rng);
    check_solution<double>(K, bodies * width, rng);
    Matrix<Complex> turned = K.cast<Complex>();
    for (int j = 0; j < turned.cols(); ++j) {
      for (int i = j; i < turned.rows(); ++i) {
        if (K(i, j) == 0) continue;
        turned(i, j) += Complex(0, 0.1 * test::uniform(rng));
        turned(j, i) = turned(i, j);
      }
    }
    check_solution<Complex>(turned, bodies * width, rng);
  }
}

TEST(FixedLdlt, RowsComeAfterWhatTheyBind) {
  std::mt19937_64 rng(8);
  const int n = 24;
  const MatX K = bodies_and_joints(6, 4, 12, 0.1, rng);
  std::vector<std::pair<int, int>> entries;
  for (int j = 0; j < K.cols(); ++j) {
    for (int i = j; i < K.rows(); ++i) {
      if (K(i, j) != 0) entries.emplace_back(i, j);
    }
  }
  FixedElimination pattern;
  pattern.analyse(static_cast<int>(K.rows()), n, entries);
  for (const auto& [i, j] : entries) {
    if (i >= n && j < n) {
      EXPECT_GT(pattern.position[std::size_t(i)], pattern.position[std::size_t(j)]);
    }
  }
  const double whole = double(K.rows()) * double(K.rows()) * double(K.rows()) / 6;
  EXPECT_LT(pattern.products(), 0.5 * whole);  // of a sparse matrix; a full one has all of them
}

/// Two equal rows with a tiny E: x is that of one row, and the two multipliers are halves of its one.
TEST(FixedLdlt, RedundantRows) {
  std::mt19937_64 rng(9);
  for (int trial = 0; trial < 100; ++trial) {
    const int n = 12, m = 4;
    MatX K = bodies_and_joints(3, 4, m, 0, rng);
    const int twin = n + trial % m;
    K.conservativeResizeLike(MatX::Zero(n + m + 1, n + m + 1));
    K.row(n + m).head(n) = K.row(twin).head(n);
    K.col(n + m).head(n) = K.col(twin).head(n);
    constexpr double kE = 1e-9;
    for (int i = n; i <= n + m; ++i) K(i, i) = -kE;
    FixedLdlt<double> factors = filled(K, n);
    ASSERT_TRUE(factors.factorize());
    VecX x(n + m + 1);
    for (double& value : x) value = test::uniform(rng);
    x(n + m) = x(twin);
    const MatX one = K.topLeftCorner(n + m, n + m);
    const VecX expected = one.fullPivLu().solve(x.head(n + m));
    factors.solve(out(x));
    EXPECT_LE((x.head(n) - expected.head(n)).norm(), 1e-6 * (1 + expected.norm()));  // E
    EXPECT_NEAR(x(twin) + x(n + m), expected(twin), 1e-5 * (1 + expected.norm()));
  }
}

TEST(FixedLdlt, LostPivots) {
  std::mt19937_64 rng(10);
  MatX K = bodies_and_joints(3, 4, 3, 0.1, rng);
  K.row(5) = K.row(4), K.col(5) = K.col(4);
  K(5, 5) = K(4, 4) = K(4, 5);
  FixedLdlt<double> factors = filled(K, 12);
  EXPECT_FALSE(factors.factorize());
  EXPECT_TRUE(factors.lost() >= 4 && factors.lost() < 8) << factors.lost();
  K(2, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(filled(K, 12).factorize());
}

}  // namespace
}  // namespace kinegrad

// What elimination can fill, against eliminations of random matrices; factors in a pattern are those of the
// whole matrix, bit for bit.
#include "kinegrad/math/elimination_pattern.hpp"

#include <gtest/gtest.h>

#include <random>

#include "kinegrad/math/small_ldlt.hpp"
#include "kinegrad/math/views.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

/// [N Jᵀ; J −E] with few entries, N positive definite.
MatX sparse_matrix(int n, int m, double share, std::mt19937_64& rng) {
  MatX K = MatX::Zero(n + m, n + m);
  for (int j = 0; j < n + m; ++j) {
    for (int i = j + 1; i < n + m; ++i) {
      if (j < n && 0.5 * (1 + test::uniform(rng)) < share) K(i, j) = K(j, i) = test::uniform(rng);
    }
  }
  for (int j = 0; j < n; ++j) K(j, j) = 1 + K.col(j).cwiseAbs().sum();
  for (int i = n; i < n + m; ++i) K(i, i) = -0.3;
  return K;
}

EliminationPattern pattern_of(const MatX& K) {
  EliminationPattern pattern(static_cast<int>(K.rows()));
  for (int j = 0; j < K.cols(); ++j) {
    for (int i = 0; i < K.rows(); ++i) {
      if (K(i, j) != 0) pattern.add(i, j);
    }
  }
  pattern.complete();
  return pattern;
}

void fill(const MatX& K, SmallLdlt<double>& out) {
  for (int j = 0; j < K.cols(); ++j) {
    for (int i = j; i < K.rows(); ++i) {
      if (K(i, j) != 0) out.at(i, j) = K(i, j);
    }
  }
}

bool covers(const EliminationPattern& pattern, int i, int j) {
  for (const RowRun& run : pattern.runs(j)) {
    if (run.first <= i && i < run.end) return true;
  }
  return false;
}

TEST(EliminationPattern, HasAllThatIsFilled) {
  std::mt19937_64 rng(5);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 1 + trial % 30, m = trial % 7;
    const MatX K = sparse_matrix(n, m, 0.02 * (trial % 11), rng);
    const EliminationPattern pattern = pattern_of(K);
    SmallLdlt<double> whole;
    whole.resize(n + m);
    fill(K, whole);
    ASSERT_TRUE(whole.factorize(n));
    for (int j = 0; j < n + m; ++j) {
      for (int i = j + 1; i < n + m; ++i) {
        if (whole.at(i, j) != 0) {
          EXPECT_TRUE(covers(pattern, i, j)) << i << " " << j;
        }
      }
    }
  }
}

/// The first in a memory that holds other factors: nothing of them is read.
TEST(EliminationPattern, FactorsAreTheSameBits) {
  std::mt19937_64 rng(7);
  SmallLdlt<double> some;
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 8 + trial % 40, m = trial % 9;
    const MatX K = sparse_matrix(n, m, 0.02 * (trial % 11), rng);
    const EliminationPattern pattern = pattern_of(K);
    some.resize(pattern);
    fill(K, some);
    SmallLdlt<double> whole;
    whole.resize(n + m);
    fill(K, whole);
    ASSERT_TRUE(some.factorize(n));
    ASSERT_TRUE(whole.factorize(n));
    VecX x(n + m);
    for (double& entry : x) entry = test::uniform(rng);
    VecX y = x;
    some.solve(out(x));
    whole.solve(out(y));
    EXPECT_EQ(x, y) << trial;
  }
}

TEST(EliminationPattern, GapsOfAFewRowsArePartOfARun) {
  EliminationPattern pattern(20);
  for (const int i : {1, 4, 9, 19}) pattern.add(i, 0);
  pattern.complete();
  ASSERT_EQ(pattern.runs(0).size(), 3u);
  EXPECT_EQ(pattern.runs(0)[0].first, 1);
  EXPECT_EQ(pattern.runs(0)[0].end, 5);
  EXPECT_EQ(pattern.runs(0)[1].first, 9);
  EXPECT_EQ(pattern.runs(0)[2].end, 20);
  EXPECT_TRUE(pattern.runs(19).empty());
}

}  // namespace
}  // namespace kinegrad

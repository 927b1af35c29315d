// Several right sides at once are what each of them is alone, lost pivots included.
#include "kinegrad/math/small_lu.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kinegrad {
namespace {

template <int Width>
void expect_same(const SmallLu<double>& lu, std::mt19937_64& rng) {
  const auto n = std::size_t(lu.size());
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> block(n * Width), one(n);
  for (double& x : block) x = uniform(rng);
  const std::vector<double> right = block;
  lu.solve_rows<Width>(block.data());
  for (std::size_t c = 0; c < Width; ++c) {
    for (std::size_t i = 0; i < n; ++i) one[i] = right[i * Width + c];
    lu.solve(one);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(block[i * Width + c], one[i], 1e-13 * (1 + std::abs(one[i])));
    }
  }
}

TEST(SmallLu, BlocksOfRightSides) {
  std::mt19937_64 rng(31);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int n = 1; n <= 12; ++n) {
    SmallLu<double> lu;
    lu.resize(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) lu.at(i, j) = uniform(rng) + (i == j ? 2 : 0);
    }
    ASSERT_TRUE(lu.factorize());
    expect_same<2>(lu, rng);
    expect_same<6>(lu, rng);
    expect_same<8>(lu, rng);
  }
}

TEST(SmallLu, LostPivotsAreZeroInBlocks) {
  std::mt19937_64 rng(32);
  SmallLu<double> lu;
  lu.resize(3);
  for (int i = 0; i < 3; ++i) {
    lu.at(i, 0) = i + 1;
    lu.at(i, 1) = 2 * (i + 1);  // along the first
    lu.at(i, 2) = i == 2 ? 5 : 1;
  }
  lu.factorize(1e-12);
  EXPECT_EQ(lu.orientation(), 0);
  expect_same<4>(lu, rng);
}

/// [N Jᵀ; J 0] of three unknowns and two rows, the second `apart` from the first.
SmallLu<double> bordered(double apart, double last_mass) {
  SmallLu<double> lu;
  lu.resize(5);
  for (int i = 0; i < 3; ++i) lu.at(i, i) = i == 2 ? last_mass : 2 + i;
  lu.at(0, 1) = 0.7;
  for (int j = 0; j < 3; ++j) {
    lu.at(3, j) = lu.at(j, 3) = 1 + 0.5 * j;
    lu.at(4, j) = lu.at(j, 4) = 1 + 0.5 * j + (j == 1 ? apart : 0);
  }
  return lu;
}

TEST(SmallLu, BordersOfIndependentRows) {
  std::mt19937_64 rng(33);
  SmallLu<double> parts = bordered(0.3, 4), whole = bordered(0.3, 4);
  ASSERT_TRUE(parts.factorize_bordered(3, 1e-4));
  ASSERT_TRUE(whole.factorize());
  expect_same<4>(parts, rng);
  std::vector<double> x{1, -2, 3, 0.5, -0.25}, y = x, x_t = x, y_t = x;
  parts.solve(x);
  whole.solve(y);
  parts.solve_transposed(x_t);
  whole.solve_transposed(y_t);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(x[i], y[i], 1e-12);  // condition numbers below a thousand
    EXPECT_NEAR(x_t[i], y_t[i], 1e-12);
  }
}

TEST(SmallLu, BordersOfDependentRowsAreRefused) {
  EXPECT_FALSE(bordered(0, 4).factorize_bordered(3, 1e-4));
  EXPECT_FALSE(bordered(1e-3, 4).factorize_bordered(3, 1e-4));     // 1e-6 of the pivot is left
  EXPECT_FALSE(bordered(0.3, 0).factorize_bordered(3, 1e-4));      // no mass
  EXPECT_FALSE(bordered(0.3, 1e-18).factorize_bordered(3, 1e-4));  // nothing but rounding of it
}

}  // namespace
}  // namespace kinegrad

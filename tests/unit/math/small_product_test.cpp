// Products of a few rows are what the library computes.
#include "kinegrad/math/small_product.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

TEST(SmallProduct, AnySize) {
  std::mt19937_64 rng(7);
  const auto random = [&](int rows, int columns) {
    MatX A(rows, columns);
    for (double& x : A.reshaped()) x = test::uniform(rng);
    return A;
  };
  for (int rows = 0; rows <= 10; ++rows) {
    for (const int depth : {0, 1, 4, 9}) {
      constexpr double kOfTenProducts = 1e-14;  // of sums of ten products of numbers up to 1
      const MatX A = random(rows, depth), X = random(depth + 2, 5);
      MatX Y = random(rows + 3, 5);
      const MatX expected = Y.middleRows(1, rows) - 0.7 * (A * X.topRows(depth));
      const MatX around = Y.bottomRows(2);
      add_product(A, X.topRows(depth), Y.middleRows(1, rows), -0.7);
      EXPECT_LE((Y.middleRows(1, rows) - expected).norm(), kOfTenProducts);
      EXPECT_EQ(Y.bottomRows(2), around);
      VecX y = VecX::Zero(rows);
      add_product(A, VecX(X.col(1).head(depth)), y);
      EXPECT_LE((y - A * X.col(1).head(depth)).norm(), kOfTenProducts);
    }
  }
}

}  // namespace
}  // namespace kinegrad

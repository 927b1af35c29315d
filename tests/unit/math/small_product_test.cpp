// Products of a few rows are what the library computes.
#include "kinegrad/math/small_product.hpp"

#include <gtest/gtest.h>

namespace kinegrad {
namespace {

TEST(SmallProduct, AnySize) {
  std::srand(7);
  for (int rows = 0; rows <= 10; ++rows) {
    for (const int depth : {0, 1, 4, 9}) {
      const MatX A = MatX::Random(rows, depth), X = MatX::Random(depth + 2, 5);
      MatX Y = MatX::Random(rows + 3, 5);
      const MatX expected = Y.middleRows(1, rows) - 0.7 * (A * X.topRows(depth));
      const MatX around = Y.bottomRows(2);
      add_product(A, X.topRows(depth), Y.middleRows(1, rows), -0.7);
      EXPECT_LE((Y.middleRows(1, rows) - expected).norm(), 1e-14);
      EXPECT_EQ(Y.bottomRows(2), around);
      VecX y = VecX::Zero(rows);
      add_product(A, VecX(X.col(1).head(depth)), y);
      EXPECT_LE((y - A * X.col(1).head(depth)).norm(), 1e-14);
    }
  }
}

}  // namespace
}  // namespace kinegrad

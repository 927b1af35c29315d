#include "kinegrad/math/complete_pivoting.hpp"

#include <gtest/gtest.h>

#include <random>

#include "kinegrad/math/small_lu.hpp"

namespace kinegrad {
namespace {

MatX random_matrix(int rows, int columns, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  MatX A(rows, columns);
  for (double& x : A.reshaped()) x = uniform(random);
  return A;
}

void line_up_all(CompletePivoting& pivoting) {
  pivoting.start();
  for (int i = 0; i < pivoting.matrix().rows(); ++i) pivoting.line_up(i);
}

TEST(CompletePivoting, FindsTheRankAndRegularPivots) {
  std::mt19937 random(1);
  for (int rank = 0; rank <= 4; ++rank) {
    const MatX A = random_matrix(6, rank, random) * random_matrix(rank, 5, random);
    CompletePivoting pivoting(6, 5);
    pivoting.matrix() = A;
    line_up_all(pivoting);
    pivoting.eliminate(6);
    ASSERT_EQ(pivoting.rank(), rank);
    EXPECT_TRUE(pivoting.finite());
    MatX part(rank, rank);
    for (int i = 0; i < rank; ++i) {
      for (int j = 0; j < rank; ++j) {
        part(i, j) = A(pivoting.rows()[static_cast<std::size_t>(i)],
                       pivoting.columns()[static_cast<std::size_t>(j)]);
      }
    }
    EXPECT_GT(std::abs(part.determinant()), 1e-6) << "random entries near one";
  }
}

TEST(CompletePivoting, TheFirstGroupGetsItsPivots) {
  MatX A(3, 2);
  A << 1e-3, 0, 5, 0, 7, 2;  // the second row follows from the first
  CompletePivoting pivoting(3, 2);
  pivoting.matrix() = A;
  line_up_all(pivoting);
  pivoting.eliminate(1);
  EXPECT_EQ(pivoting.rows(), std::vector<int>{0});
  pivoting.eliminate(3);
  EXPECT_EQ(pivoting.rows(), (std::vector<int>{0, 2}));
  EXPECT_EQ(pivoting.columns(), (std::vector<int>{0, 1}));
}

TEST(SmallLu, OrientationIsTheSignOfTheDeterminant) {
  std::mt19937 random(2);
  int negative = 0;
  for (int n = 1; n <= 6; ++n) {
    for (int sample = 0; sample < 20; ++sample) {
      const MatX A = random_matrix(n, n, random);
      SmallLu<double> lu;
      lu.resize(n);
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) lu.at(i, j) = A(i, j);
      }
      lu.factorize(1e-12);
      const double determinant = A.determinant();
      EXPECT_EQ(lu.orientation(), determinant > 0 ? 1 : -1);
      negative += determinant < 0;
    }
  }
  EXPECT_GT(negative, 30) << "both signs occur";
  SmallLu<double> lost;
  lost.resize(2);
  lost.at(0, 0) = lost.at(0, 1) = lost.at(1, 0) = lost.at(1, 1) = 1;
  lost.factorize(1e-12);
  EXPECT_EQ(lost.orientation(), 0);
}

}  // namespace
}  // namespace kinegrad

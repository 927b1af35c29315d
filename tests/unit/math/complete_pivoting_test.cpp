#include "kinegrad/math/complete_pivoting.hpp"

#include <gtest/gtest.h>

#include <numeric>
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

/// The largest entry that is left, and of equal ones the first in line; every entry is looked at in every step.
struct PlainSearch {
  std::vector<int> rows, columns;
  explicit PlainSearch(MatX A) {
    std::vector<int> line(static_cast<std::size_t>(A.rows())),
        order(static_cast<std::size_t>(A.cols()));
    std::iota(line.begin(), line.end(), 0);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t k = 0; k < std::min(line.size(), order.size()); ++k) {
      std::size_t row = k, column = k;
      double best = 1e-9;  // random entries near one
      for (std::size_t i = k; i < line.size(); ++i) {
        for (std::size_t j = k; j < order.size(); ++j) {
          const double size = std::abs(A(line[i], order[j]));
          if (size <= (1 + 1e-6) * best) continue;
          best = size;
          row = i;
          column = j;
        }
      }
      if (best <= 1e-9) return;
      std::swap(line[k], line[row]);
      std::swap(order[k], order[column]);
      rows.push_back(line[k]);
      columns.push_back(order[k]);
      for (std::size_t i = k + 1; i < line.size(); ++i) {
        A.row(line[i]) -= A(line[i], order[k]) / A(line[k], order[k]) * A.row(line[k]).eval();
      }
    }
  }
};

/// Mechanisms have few entries in a row, and many equal ones.
TEST(CompletePivoting, SparseRowsAndEqualEntries) {
  std::mt19937 random(3);
  for (int sample = 0; sample < 200; ++sample) {
    const int rows = 1 + sample % 13, columns = 1 + sample % 17;
    MatX A = random_matrix(rows, columns, random);
    for (double& x : A.reshaped()) {
      if (random() % 3 != 0) x = 0;
      if (random() % 2 == 0) x = x > 0 ? 1 : x < 0 ? -1 : 0;
    }
    CompletePivoting pivoting(rows, columns);
    pivoting.matrix() = A;
    line_up_all(pivoting);
    pivoting.eliminate(rows);
    const PlainSearch expected(A);
    EXPECT_EQ(pivoting.rows(), expected.rows) << sample;
    EXPECT_EQ(pivoting.columns(), expected.columns) << sample;
  }
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

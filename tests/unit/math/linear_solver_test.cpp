// Dense and sparse factorisations behind one interface: solve, solve_transposed, real and complex.
#include "kinegrad/math/linear_solver.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "kinegrad/math/small_lu.hpp"
#include "kinegrad/math/sparse_upper.hpp"
#include "support/sample_models.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

double number(std::mt19937_64& rng, double) { return test::uniform(rng); }
Complex number(std::mt19937_64& rng, Complex) {
  const double re = test::uniform(rng);
  return {re, test::uniform(rng)};
}

/// A band with a heavy diagonal in another order: pivoting has something to do.
template <typename T>
Matrix<T> sample(int n, std::mt19937_64& rng) {
  Matrix<T> A = Matrix<T>::Zero(n, n);
  for (int j = 0; j < n; ++j) {
    A((j + 3) % n, j) = T(4) + number(rng, T());
    A(j, j) += number(rng, T());
    A((j + 5) % n, j) += number(rng, T());
  }
  return A;
}

template <typename T>
SparseColumns<T> columns(const Matrix<T>& A) {
  SparseColumns<T> out;
  for (int j = 0; j < A.cols(); ++j) {
    for (int i = 0; i < A.rows(); ++i) {
      if (A(i, j) == T(0)) continue;
      out.row.push_back(i);
      out.value.push_back(A(i, j));
    }
    out.start.push_back(static_cast<int>(out.row.size()));
  }
  return out;
}

/// Condition numbers of the samples are of order ten.
constexpr double kSolve = tolerance::kComposed;

template <typename T>
void check(LinearSolver<T>& solver, int n) {
  std::mt19937_64 rng(11);
  for (int again = 0; again < 3; ++again) {
    const Matrix<T> A = sample<T>(n, rng);
    VecXT<T> b(n);
    for (T& x : b) x = number(rng, T());
    ASSERT_TRUE(solver.factorize(columns<T>(A)));
    VecXT<T> x = b, y = b;
    solver.solve({x.data(), static_cast<std::size_t>(n)});
    solver.solve_transposed({y.data(), static_cast<std::size_t>(n)});
    EXPECT_LE((A * x - b).norm(), kSolve * b.norm());
    EXPECT_LE((A.transpose() * y - b).norm(), kSolve * b.norm());
  }
}

TEST(LinearSolver, DenseReal) { check(*make_dense_lu<double>(17), 17); }
TEST(LinearSolver, DenseComplex) { check(*make_dense_lu<Complex>(17), 17); }
TEST(LinearSolver, DenseByPanels) {
  for (const int n : {32, 39, 45, 48}) {
    check(*make_dense_lu<double>(n), n);
    check(*make_dense_lu<Complex>(n), n);
  }
}
TEST(LinearSolver, SparseReal) { check(*make_sparse_lu<double>(), 40); }
TEST(LinearSolver, SparseComplex) { check(*make_sparse_lu<Complex>(), 40); }

TEST(LinearSolver, SingularIsSaid) {
  Matrix<double> A = Matrix<double>::Identity(4, 4);
  A(2, 2) = 0;
  A(2, 1) = A(1, 2) = 1e-300;  // in the pattern, but nothing
  SparseColumns<double> zero = columns<double>(A);
  for (double& x : zero.value) x = x == 1e-300 ? 0 : x;
  EXPECT_FALSE(make_dense_lu<double>(4)->factorize(zero));
  EXPECT_FALSE(make_sparse_lu<double>()->factorize(zero));
}

/// A lost pivot leaves its unknown at zero and solves the rest, both ways round.
TEST(SmallLu, LostPivotsAreLeftAtZero) {
  SmallLu<double> lu;
  lu.resize(3);
  // of the second row elimination leaves 1e-14 of its largest entry, which is 0 of its unknown
  const double A[3][3] = {{2, 0, 1}, {1, 1e-14, 3}, {1, 0, 3}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) lu.at(i, j) = A[i][j];
  }
  EXPECT_TRUE(lu.factorize(1e-11));
  std::vector<double> x{3, 1, 4}, y{3, 1, 4};
  lu.solve(x);
  lu.solve_transposed(y);
  for (const auto& z : {x, y}) {
    EXPECT_NEAR(z[0], 1, kSolve);
    EXPECT_EQ(z[1], 0);
    EXPECT_NEAR(z[2], 1, kSolve);
  }
}

TEST(SparseUpper, TimesAVector) {
  SparseUpper<double> U(std::vector<std::set<int>>{{}, {0}, {}, {0, 2}});
  for (std::size_t k = 0; k < U.value.size(); ++k) U.value[k] = 1.0 + static_cast<double>(k);
  Matrix<double> A = Matrix<double>::Zero(4, 4);
  for (int j = 0; j < 4; ++j) {
    for (int k = U.start[std::size_t(j)]; k < U.start[std::size_t(j) + 1]; ++k) {
      const int i = U.row[std::size_t(k)];
      A(i, j) = A(j, i) = U.value[std::size_t(k)];
    }
  }
  const VecX x = VecX::LinSpaced(4, 1, 2);
  VecX y = VecX::Constant(4, 0.5);
  U.add_product({x.data(), 4}, {y.data(), 4});
  EXPECT_LE((y - (A * x + VecX::Constant(4, 0.5))).norm(), kSolve);
  EXPECT_EQ(U.diagonal(3), A(3, 3));
  EXPECT_EQ(U.at(2, 3), A(2, 3));
}

}  // namespace
}  // namespace kinegrad

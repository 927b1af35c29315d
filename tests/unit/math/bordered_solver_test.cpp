// [B-1] against a dense LU, [B-2] where rows depend on each other.
#include "kinegrad/math/bordered_solver.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>

#include "kinegrad/math/derivative_check.hpp"
#include "support/sample_models.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

MatX random_matrix(int rows, int columns, std::mt19937_64& rng) {
  MatX A(rows, columns);
  for (double& x : A.reshaped()) x = test::uniform(rng);
  return A;
}

/// Symmetric, eigenvalues above 1.
MatX positive_definite(int n, std::mt19937_64& rng) {
  const MatX A = random_matrix(n, n, rng);
  return A * A.transpose() + MatX::Identity(n, n);
}

/// The entries that are not zero.
template <typename T>
SparseRows<T> sparse(const Matrix<T>& J) {
  SparseRows<T> rows;
  rows.columns = static_cast<int>(J.cols());
  for (int i = 0; i < J.rows(); ++i) {
    for (int j = 0; j < J.cols(); ++j) {
      if (J(i, j) == T(0)) continue;
      rows.column.push_back(j);
      rows.value.push_back(J(i, j));
    }
    rows.start.push_back(static_cast<int>(rows.column.size()));
  }
  return rows;
}

template <typename T>
Matrix<T> whole(const Matrix<T>& N, const Matrix<T>& J, const VecXT<T>& E) {
  Matrix<T> K = Matrix<T>::Zero(N.rows() + J.rows(), N.rows() + J.rows());
  K.topLeftCorner(N.rows(), N.rows()) = N;
  K.bottomLeftCorner(J.rows(), J.cols()) = J;
  K.topRightCorner(J.cols(), J.rows()) = J.transpose();
  K.bottomRightCorner(J.rows(), J.rows()).diagonal() = -E;
  return K;
}

/// N, J with some zeros, E.
struct Sample {
  MatX N, J;
  VecX E;
  Sample(int n, int m, std::mt19937_64& rng)
      : N(positive_definite(n, rng)), J(random_matrix(m, n, rng)), E(VecX::Constant(m, 1e-3)) {
    for (double& x : J.reshaped()) {
      if (x > 0.5) x = 0;
    }
  }
};

/// The upper triangle, all of it in the pattern.
template <typename T>
SparseUpper<T> upper(const Matrix<T>& N) {
  std::vector<std::set<int>> rows(static_cast<std::size_t>(N.cols()));
  for (int j = 0; j < N.cols(); ++j) {
    for (int i = 0; i < j; ++i) rows[static_cast<std::size_t>(j)].insert(i);
  }
  SparseUpper<T> U(rows);
  for (int j = 0; j < N.cols(); ++j) {
    for (int i = 0; i <= j; ++i) U.at(i, j) = N(i, j);
  }
  return U;
}

/// Condition numbers of the samples are below a few hundred.
constexpr double kSolve = tolerance::kComposed;

TEST(BorderedSolver, SymmetricAgainstDenseLU) {
  std::mt19937_64 rng(1);
  for (const auto& [n, m] : {std::pair{7, 4}, {5, 0}, {1, 1}, {12, 9}, {0, 0}}) {
    const Sample s(n, m, rng);
    const VecX right = random_matrix(n + m, 1, rng);
    BorderedSolver<double> solver;
    solver.analyse(upper<double>(s.N), sparse<double>(s.J));
    EXPECT_FALSE(solver.sparse());
    EXPECT_EQ(solver.size(), n + m);
    for (int again = 0; again < 2; ++again) {  // nothing is left of the first time
      ASSERT_TRUE(solver.factorize(upper<double>(s.N), sparse<double>(s.J), s.E));
      VecX z = right;
      solver.solve(z);
      if (n + m == 0) continue;
      const VecX expected = whole<double>(s.N, s.J, s.E).partialPivLu().solve(right);
      EXPECT_LE((z - expected).norm(), kSolve * expected.norm()) << n << ", " << m;
    }
  }
}

TEST(BorderedSolver, AnyMatrixAgainstDenseLU) {
  std::mt19937_64 rng(2);
  Sample s(8, 5, rng);
  s.N += random_matrix(8, 8, rng);
  const VecX right = random_matrix(13, 1, rng);
  BorderedSolver<double> solver;
  solver.analyse(upper<double>(s.N), sparse<double>(s.J));
  ASSERT_TRUE(solver.factorize_full(s.N, sparse<double>(s.J), sparse<double>(s.J), s.E));
  VecX z = right;
  solver.solve(z);
  const VecX expected = whole<double>(s.N, s.J, s.E).partialPivLu().solve(right);
  EXPECT_LE((z - expected).norm(), kSolve * expected.norm());
}

TEST(BorderedSolver, SymmetricAfterAnyAndBack) {
  std::mt19937_64 rng(3);
  const Sample s(6, 3, rng);
  const VecX right = random_matrix(9, 1, rng);
  BorderedSolver<double> solver;
  solver.analyse(upper<double>(s.N), sparse<double>(s.J));
  VecX first = right, second = right, third = right;
  ASSERT_TRUE(solver.factorize(upper<double>(s.N), sparse<double>(s.J), s.E));
  solver.solve(first);
  ASSERT_TRUE(solver.factorize_full(s.N, sparse<double>(s.J), sparse<double>(s.J), s.E));
  solver.solve(second);
  ASSERT_TRUE(solver.factorize(upper<double>(s.N), sparse<double>(s.J), s.E));
  solver.solve(third);
  EXPECT_LE((first - second).norm(), kSolve * first.norm());
  EXPECT_EQ((first - third).norm(), 0);
}

/// A long chain of rows, each on two neighbours: large enough for the sparse factorisation.
TEST(BorderedSolver, LargeAndSparseAgainstDenseLU) {
  std::mt19937_64 rng(8);
  constexpr int n = 60, m = 40;
  MatX N = MatX::Zero(n, n), J = MatX::Zero(m, n);
  std::vector<std::set<int>> rows(n);
  for (int k = 0; k < n; ++k) {
    N(k, k) = 3 + test::uniform(rng);
    if (k + 1 == n) break;
    rows[static_cast<std::size_t>(k) + 1].insert(k);
    N(k, k + 1) = N(k + 1, k) = test::uniform(rng);
  }
  for (int i = 0; i < m; ++i) J(i, i) = 1 + test::uniform(rng), J(i, i + 7) = test::uniform(rng);
  J.row(m - 1) = J.row(m - 2);  // dependent rows are legal here, too
  const VecX E = VecX::Constant(m, 1e-3), right = random_matrix(n + m, 1, rng);
  SparseUpper<double> U(rows);
  BorderedSolver<double> solver;
  solver.analyse(U, sparse<double>(J));
  EXPECT_TRUE(solver.sparse());
  for (int again = 0; again < 2; ++again) {  // the second time with the pivots of the first
    N *= 1.1;
    for (int j = 0; j < n; ++j) {
      for (int i = std::max(0, j - 1); i <= j; ++i) U.at(i, j) = N(i, j);
    }
    ASSERT_TRUE(solver.factorize(U, sparse<double>(J), E));
    VecX z = right;
    solver.solve(z);
    const VecX expected = whole<double>(N, J, E).partialPivLu().solve(right);
    EXPECT_LE((z - expected).norm(), kSolve * expected.norm());
  }
  // any N in the same pattern, and rows that are not the columns
  SparseRows<double> full = U.whole_pattern(), columns = sparse<double>(J), other = columns;
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      full(i, j) = N(i, j) += 0.2 * test::uniform(rng);
    }
  }
  for (double& x : other.value) x *= 1.3;
  ASSERT_TRUE(solver.factorize_full(full, columns, other, E));
  VecX z = right;
  solver.solve(z);
  MatX A = whole<double>(N, J, E);
  A.bottomLeftCorner(m, n) *= 1.3;
  const VecX expected = A.partialPivLu().solve(right);
  EXPECT_LE((z - expected).norm(), kSolve * expected.norm());
}

TEST(BorderedSolver, SaysThatNIsSingular) {
  std::mt19937_64 rng(4);
  const MatX A = random_matrix(6, 3, rng);
  const MatX N = A * A.transpose();  // rank 3: two rows cannot hold what is free
  const Sample s(6, 2, rng);
  BorderedSolver<double> solver;
  solver.analyse(upper<double>(s.N), sparse<double>(s.J));
  EXPECT_FALSE(solver.factorize(upper<double>(N), sparse<double>(s.J), s.E));
  EXPECT_TRUE(solver.factorize(upper<double>(s.N), sparse<double>(s.J), s.E));
}

/// [B-4]: rows that hold what N leaves free are enough; the solution is that of the whole matrix.
TEST(BorderedSolver, RowsHoldWhatNLeavesFree) {
  std::mt19937_64 rng(6);
  for (int trial = 0; trial < 10; ++trial) {
    const MatX A = random_matrix(6, 4, rng);
    MatX N = A * A.transpose();
    if (trial % 2) {  // a coordinate without mass
      N.row(2).setZero();
      N.col(2).setZero();
    }
    const Sample s(6, 3, rng);
    BorderedSolver<double> solver;
    solver.analyse(upper<double>(s.N), sparse<double>(s.J));
    ASSERT_TRUE(solver.factorize(upper<double>(N), sparse<double>(s.J), s.E));
    const VecX right = random_matrix(9, 1, rng);
    VecX z = right;
    solver.solve(z);
    const VecX expected = whole<double>(N, s.J, s.E).partialPivLu().solve(right);
    // the matrix is as near to a singular one as four random columns and three rows make it
    EXPECT_LE((z - expected).norm(), 1e-9 * expected.norm());
  }
}

/// [B-2]: passes with g − E y, the solution x without E, and J x = g as far as it can hold.
void pass(const BorderedSolver<double>& solver, int n, const VecX& E, const VecX& right, VecX& z) {
  for (Eigen::Index i = 0; i < E.size(); ++i) z(n + i) = right(n + i) - E(i) * z(n + i);
  z.head(n) = right.head(n);
  solver.solve(z);
}

TEST(BorderedSolver, PassesForgetTheBorder) {
  std::mt19937_64 rng(5);
  constexpr int n = 8, m = 5;
  Sample s(n, m, rng);
  s.J.row(4) = 2 * s.J.row(1) - s.J.row(0);  // one row depends on two others
  const VecX reached = s.J * random_matrix(n, 1, rng);
  VecX right(n + m);
  right << random_matrix(n, 1, rng), reached;
  // x is unique though the multipliers are not: least squares of the whole system without E
  const VecX none = VecX::Zero(m);
  const VecX expected =
      whole<double>(s.N, s.J, none).completeOrthogonalDecomposition().solve(right);
  const MatX S = s.J * s.N.ldlt().solve(MatX(s.J.transpose()));
  s.E = 1e-4 * S.diagonal();
  BorderedSolver<double> solver;
  solver.analyse(upper<double>(s.N), sparse<double>(s.J));
  ASSERT_TRUE(solver.factorize(upper<double>(s.N), sparse<double>(s.J), s.E));
  VecX z = right;
  solver.solve(z);
  double error = (z - expected).head(n).norm();
  EXPECT_GT(error, 1e-6);
  for (int k = 1; k < 3; ++k) {
    pass(solver, n, s.E, right, z);
    const double now = (z - expected).head(n).norm();
    // each pass leaves E/(J N⁻¹Jᵀ): 1e-4 over the smallest eigenvalue, some hundredths here
    EXPECT_LE(now, 0.1 * error) << k;
    error = now;
  }
  for (int k = 0; k < 12; ++k) pass(solver, n, s.E, right, z);
  EXPECT_LE((z - expected).head(n).norm(), kSolve * expected.norm());
  EXPECT_LE((s.J * z.head(n) - reached).norm(), kSolve * reached.norm());
  // the forces of the rows are unique as well
  const VecX forces = s.J.transpose() * z.tail(m);
  EXPECT_LE((forces - s.J.transpose() * expected.tail(m)).norm(), kSolve * forces.norm());
}

TEST(BorderedSolver, ComplexWithoutConjugation) {
  std::mt19937_64 rng(6);
  constexpr int n = 6, m = 4;
  const Sample a(n, m, rng), b(n, m, rng);
  const Complex i(0, 1);
  const Matrix<Complex> N = a.N + 0.1 * i * b.N, J = a.J + 0.1 * i * b.J;
  const VecXT<Complex> E = a.E.cast<Complex>();
  const VecXT<Complex> right = random_matrix(n + m, 1, rng) + i * random_matrix(n + m, 1, rng);
  const VecXT<Complex> expected = whole<Complex>(N, J, E).partialPivLu().solve(right);
  BorderedSolver<Complex> solver;
  solver.analyse(upper<Complex>(N), sparse<Complex>(J));
  VecXT<Complex> z = right;
  ASSERT_TRUE(solver.factorize(upper<Complex>(N), sparse<Complex>(J), E));
  solver.solve(z);
  EXPECT_LE((z - expected).norm(), kSolve * expected.norm());
  z = right;
  ASSERT_TRUE(solver.factorize_full(N, sparse<Complex>(J), sparse<Complex>(J), E));
  solver.solve(z);
  EXPECT_LE((z - expected).norm(), kSolve * expected.norm());
}

/// d(K⁻¹r) = −K⁻¹ dK K⁻¹ r along a direction dN, dJ.
TEST(BorderedSolver, CarriesDerivatives) {
  std::mt19937_64 rng(7);
  constexpr int n = 6, m = 3;
  const Sample s(n, m, rng), d(n, m, rng);
  const VecX right = random_matrix(n + m, 1, rng);
  const Complex h(0, kComplexStep);
  BorderedSolver<Complex> solver;
  const Matrix<Complex> N = s.N + h * d.N, J = s.J + h * d.J;
  solver.analyse(upper<Complex>(N), sparse<Complex>(J));
  ASSERT_TRUE(solver.factorize(upper<Complex>(N), sparse<Complex>(J), s.E.cast<Complex>()));
  VecXT<Complex> z = right.cast<Complex>();
  solver.solve(z);
  const auto K = whole<double>(s.N, s.J, s.E).partialPivLu();
  const VecX x = K.solve(right);
  const VecX expected = -K.solve(whole<double>(d.N, d.J, VecX::Zero(m)) * x);
  EXPECT_LE((z.imag() / kComplexStep - expected).norm(), kSolve * expected.norm());
}

}  // namespace
}  // namespace kinegrad

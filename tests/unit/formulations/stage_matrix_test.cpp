// The matrix of a stage, whole and in a pattern: the same solutions, forwards and transposed, with rows
// that depend on each other and with rows that are soft.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "kinegrad/formulations/stage_matrix.hpp"
#include "kinegrad/math/pattern_builder.hpp"
#include "kinegrad/math/views.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

/// Condition numbers of order a hundred.
constexpr double kSolve = 1e-11;

/// Bands that a chain would have.
SystemPattern band(int n, int l) {
  PatternBuilder mass(n, n), equations(n, n), rows(l, n);
  for (int i = 0; i < n; ++i) {
    mass.add_row(i, std::vector<int>{i});
    equations.add_row(i, std::vector<int>{std::max(i - 2, 0), i, std::min(i + 2, n - 1)});
  }
  for (int i = 0; i < l; ++i) rows.add_row(i, std::vector<int>{i, i + 1});
  return {mass.build(), equations.build(), rows.build()};
}

struct Parts {
  PatternMatrix mass, equations, rows, columns;
};

/// The same numbers in patterns and whole; the last two rows are the same.
void fill(const SystemPattern& pattern, Parts& sparse, Parts& whole) {
  std::mt19937_64 rng(3);
  const auto one = [&](const SparseRows<double>& source, PatternMatrix& A, PatternMatrix& B,
                       double diagonal) {
    A.set_pattern(source);
    B.whole().setZero(source.rows(), source.columns);
    for (int i = 0; i < source.rows(); ++i) {
      source.each(i, [&](int j, double) {
        const double x = test::uniform(rng) + (i == j ? diagonal : 0);
        A.add(i, j, x);
        A.add(i, j, -2 * x);
        A.add(i, j, 2 * x);
        B.whole()(i, j) = x;
      });
    }
  };
  one(pattern.mass, sparse.mass, whole.mass, 4);
  one(pattern.equations, sparse.equations, whole.equations, 0);
  one(pattern.rows, sparse.rows, whole.rows, 2);
  one(pattern.rows, sparse.columns, whole.columns, 2);
}

void assemble(StageMatrix& A, const Parts& parts, int n, int l) {
  A.resize(n, l);
  A.add(StageBlock::kMass, parts.mass);
  A.add(StageBlock::kEquations, parts.equations, 0.5);
  A.add(StageBlock::kRows, parts.rows);
  A.add(StageBlock::kColumns, parts.columns);
  A.set_softness(1, 0.3);
}

TEST(StageMatrix, SparseIsWhole) {
  constexpr int n = 30, l = 12;
  const SystemPattern pattern = band(n, l);
  Parts parts, whole_parts;
  fill(pattern, parts, whole_parts);
  StageMatrix sparse, whole;
  sparse.set_pattern(pattern);
  MatX A = MatX::Zero(n + l, n + l);
  A.topLeftCorner(n, n) = whole_parts.mass.whole() + 0.5 * whole_parts.equations.whole();
  A.bottomLeftCorner(l, n) = whole_parts.rows.whole();
  A.topRightCorner(n, l) = whole_parts.columns.whole().transpose();
  A(n + 1, n + 1) = -0.3;
  std::mt19937_64 rng(4);
  for (int again = 0; again < 2; ++again) {  // nothing is left of the first time
    assemble(sparse, parts, n, l);
    assemble(whole, whole_parts, n, l);
    ASSERT_TRUE(sparse.factorize());
    ASSERT_TRUE(whole.factorize());
    VecX b(n + l);
    for (double& x : b) x = test::uniform(rng);
    for (StageMatrix* matrix : {&sparse, &whole}) {
      VecX x = b, y = b;
      matrix->solve(out(x));
      matrix->solve_transposed(out(y));
      EXPECT_LE((A * x - b).norm(), kSolve * x.norm());
      EXPECT_LE((A.transpose() * y - b).norm(), kSolve * y.norm());
    }
  }
}

/// Two rows whose difference is 4e-3 of them: each pass leaves a ninth of it, three left a thousandth.
TEST(StageMatrix, ForgetsTheBorderOfRowsThatHardlyDiffer) {
  constexpr int n = 3, l = 2;
  PatternBuilder diagonal(n, n), both(l, n);
  for (int i = 0; i < n; ++i) diagonal.add_row(i, std::vector<int>{i});
  for (int i = 0; i < l; ++i) both.add_row(i, std::vector<int>{0, 1});
  const SystemPattern pattern{diagonal.build(), diagonal.build(), both.build()};
  StageMatrix sparse, whole;
  sparse.set_pattern(pattern);
  MatX A = MatX::Zero(n + l, n + l);
  A.topLeftCorner(n, n).setIdentity();
  A(n, 0) = A(n + 1, 0) = 1;
  A(n + 1, 1) = 4e-3;
  A.topRightCorner(n, l) = A.bottomLeftCorner(l, n).transpose();
  const VecX right = VecX::LinSpaced(n + l, 1, 2), exact = A.fullPivLu().solve(right);
  for (StageMatrix* matrix : {&sparse, &whole}) {
    PatternMatrix M, J;
    if (matrix == &sparse) {
      M.set_pattern(pattern.mass);
      J.set_pattern(pattern.rows);
    } else {
      M.whole().setZero(n, n);
      J.whole().setZero(l, n);
    }
    for (int i = 0; i < n; ++i) M.add(i, i, 1);
    for (int i = 0; i < l; ++i) {
      for (int j = 0; j < 2; ++j) J.add(i, j, A(n + i, j));
    }
    matrix->resize(n, l);
    matrix->add(StageBlock::kMass, M);
    matrix->add(StageBlock::kRows, J);
    matrix->add(StageBlock::kColumns, J);
    ASSERT_TRUE(matrix->factorize());
    VecX x = right, y = right;
    MatX columns = right.replicate(1, 3);
    matrix->solve(out(x));
    matrix->solve_transposed(out(y));
    matrix->solve(columns);
    for (const VecX& z : {x, y, VecX(columns.col(2))}) {
      EXPECT_LE((z - exact).norm(), 1e-9 * exact.norm());
    }
  }
}

/// What a whole matrix leaves out, one in a pattern keeps.
TEST(StageMatrix, RowsThatVanishStandAlone) {
  constexpr int n = 9, l = 4, soft = 1, hard = 2;
  const SystemPattern pattern = band(n, l);
  Parts parts, whole_parts;
  fill(pattern, parts, whole_parts);
  for (const int row : {soft, hard}) {
    for (PatternMatrix* J :
         {&parts.rows, &parts.columns, &whole_parts.rows, &whole_parts.columns}) {
      J->entries(row).setZero();
    }
  }
  StageMatrix sparse, whole;
  sparse.set_pattern(pattern);
  assemble(sparse, parts, n, l);
  assemble(whole, whole_parts, n, l);
  ASSERT_TRUE(sparse.factorize());
  ASSERT_TRUE(whole.factorize());
  std::mt19937_64 rng(6);
  MatX expected(n + l, 5);
  for (double& entry : expected.reshaped()) entry = test::uniform(rng);
  MatX columns = expected;
  sparse.solve(expected);
  VecX x = columns.col(3), y = columns.col(4), y_expected = y;
  whole.solve(out(x));
  whole.solve_transposed(out(y));
  sparse.solve_transposed(out(y_expected));
  whole.solve(columns);
  EXPECT_LE((columns.cwiseQuotient(expected).array() - 1).abs().maxCoeff(), kSolve);
  EXPECT_LE((x.cwiseQuotient(expected.col(3)).array() - 1).abs().maxCoeff(), kSolve);
  EXPECT_LE((y.cwiseQuotient(y_expected).array() - 1).abs().maxCoeff(), kSolve);
}

TEST(PatternMatrix, ProductsOfBothKindsAreTheSame) {
  const SystemPattern pattern = band(9, 4);
  Parts parts, whole_parts;
  fill(pattern, parts, whole_parts);
  std::mt19937_64 rng(5);
  MatX x(9, 3);
  for (double& entry : x.reshaped()) entry = test::uniform(rng);
  const MatX expected = MatX::Ones(4, 3) - 2 * whole_parts.rows.whole() * x;
  for (const PatternMatrix* J : {&parts.rows, &whole_parts.rows}) {
    EXPECT_EQ(J->rows(), 4);
    MatX y = MatX::Ones(4, 3);
    J->add_product(x, y, -2);
    EXPECT_LE((y - expected).norm(), 1e-14);
    VecX z = VecX::Ones(9);
    J->add_transposed(1, y.col(0).head(2), z, 3);
    const VecX transposed =
        VecX::Ones(9) +
        3 * whole_parts.rows.whole().middleRows(1, 2).transpose() * y.col(0).head(2);
    EXPECT_LE((z - transposed).norm(), 1e-14);
    EXPECT_EQ((*J)(2, 3), whole_parts.rows.whole()(2, 3));
    EXPECT_EQ(J->entries(2).sum(), whole_parts.rows.whole().row(2).sum());
  }
}

}  // namespace
}  // namespace kinegrad

#include "simulation/independent_equations.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <random>

namespace kinegrad {
namespace {

struct Case {
  MatX J;
  VecX q, r;
};

/// `rank` equations of sizes between 1e-6 and 1e6, and as many again that are sums of them.
Case random_case(unsigned seed, int n, int rank) {
  std::mt19937 dice(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto number = [&] { return unit(dice); };
  Case out{MatX(2 * rank, n), VecX::NullaryExpr(n, number), VecX::NullaryExpr(n, number)};
  for (int i = 0; i < rank; ++i) {
    const VecX row = VecX::NullaryExpr(n, number);
    out.J.row(i) = std::pow(10, 6 * unit(dice)) * row.transpose();
  }
  out.J.bottomRows(rank) = MatX::NullaryExpr(rank, rank, number) * out.J.topRows(rank);
  return out;
}

TEST(IndependentEquations, SolveForMotionAndMultipliers) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const int n = 2 + static_cast<int>(seed % 9), rank = static_cast<int>(seed) % (n + 1);
    const Case c = random_case(seed, n, rank);
    SCOPED_TRACE(seed);
    const std::vector<double> remaining(static_cast<std::size_t>(2 * rank), 1.0);
    const IndependentEquations some(c.J, remaining);
    ASSERT_EQ(some.rank(), rank);
    ASSERT_EQ(some.null_space().cols(), n - rank);
    // rounding of J's entries, whose sizes differ by 1e12 within a column
    const double size = 1e-12 * (1 + c.J.lpNorm<Eigen::Infinity>());
    if (rank < n) {
      EXPECT_LE((c.J * some.null_space()).cwiseAbs().sum(), 100 * size);
    }
    const VecX delta = some.correction(-c.J * c.q);
    EXPECT_LE((some.null_space().transpose() * delta).norm(), 1e-9) << "not the shortest";
    EXPECT_LE((c.J * (delta - c.q)).lpNorm<Eigen::Infinity>(), 1e4 * size) << "not met";
    const VecX left = c.r + c.J.transpose() * some.multipliers(c.r);
    // the part of r that no multiplier reaches stays
    const VecX free = some.null_space() * (some.null_space().transpose() * c.r);
    EXPECT_LE((left - free).norm(), 1e-9 * (1 + c.r.norm()));
  }
}

/// Of equations of one size the multipliers are those of the complete orthogonal decomposition.
TEST(IndependentEquations, MultipliersAreTheShortest) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    Case c = random_case(seed, 6, 3);
    for (Eigen::Index i = 0; i < c.J.rows(); ++i) c.J.row(i).normalize();
    const std::vector<double> remaining(6, 1.0);
    const VecX lambda = IndependentEquations(c.J, remaining).multipliers(c.r);
    const VecX expected = c.J.transpose().completeOrthogonalDecomposition().solve(-c.r);
    EXPECT_LE((lambda - expected).norm(), 1e-10 * (1 + expected.norm())) << seed;
  }
}

/// An equation of which nothing but rounding remains does not count, whatever its entries are.
TEST(IndependentEquations, EquationsThatVanishDoNotCount) {
  MatX J(2, 3);
  J << 1, 0, 0, 0, 1, 0;
  const std::vector<double> remaining{1.0, 0.0};
  const IndependentEquations some(J, remaining);
  EXPECT_EQ(some.rank(), 1);
  EXPECT_EQ(some.multipliers(VecX::Ones(3))(0), -1);
}

}  // namespace
}  // namespace kinegrad

#include "kinegrad/math/rank_rule.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "kinegrad/math/complete_pivoting.hpp"
#include "kinegrad/math/small_lu.hpp"

namespace kinegrad {
namespace {

using Entries = std::vector<double>;

double remaining(const Entries& J, const Entries& s) { return rank::remaining<double>(J, s); }

TEST(RankRule, WhatRemainsIsTheLargestPartOfItsTerms) {
  EXPECT_EQ(remaining({3e-5, -2e-3}, {1, 1}), 2e-3);
  EXPECT_EQ(remaining({0, 0}, {1, 1}), 0);
  EXPECT_EQ(remaining({}, {}), 0);
  EXPECT_EQ(remaining({1e-5, 0.3}, {1, 1}), 1) << "a clear part";
}

TEST(RankRule, UnitsOfEquationsAndCoordinatesDoNotCount) {
  const Entries J{3e-5, -2e-4}, s{0.1, 4};
  for (const double factor : {1e-12, 1e-6, 1e6, 1e12}) {
    Entries J2 = J, s2 = s;
    for (double& x : J2) x *= factor;
    for (double& x : s2) x *= factor;
    J2[1] *= 1e3;
    s2[1] *= 1e3;
    EXPECT_DOUBLE_EQ(remaining(J2, s2), remaining(J, s));
  }
}

TEST(RankRule, WhatIsNotFiniteIsNotHidden) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = HUGE_VAL;
  EXPECT_EQ(remaining({nan, 0}, {1, 1}), 1);
  EXPECT_EQ(remaining({1e-20, 0}, {inf, 1}), 1);
  EXPECT_EQ(remaining({inf, 0}, {inf, 1}), 1);
}

TEST(RankRule, ComplexNumbersDecideByTheirRealParts) {
  std::vector<Complex> J{{1e-17, 1e-30}, {-2e-17, 5}};
  const Entries s{1, 1};
  EXPECT_EQ(rank::remaining<Complex>(J, s), 2e-17);
  rank::clear_row<Complex>(J);
  EXPECT_EQ(J[0], Complex(0, 1e-30));
  EXPECT_EQ(J[1], Complex(0, 5)) << "derivatives stay";
}

TEST(RankRule, FarPointsOnShortLeversMayLeaveMore) {
  EXPECT_EQ(rank::least_remaining(1, 1), 1e-10);
  EXPECT_EQ(rank::least_remaining(10, 5e-3), 1e-10);
  EXPECT_DOUBLE_EQ(rank::least_remaining(1e4, 5e-3), 1e-10 * 1e-4 * 2e6);
  EXPECT_EQ(rank::least_remaining(1e4, 0), 1e-10) << "points that only slide";
}

/// Three equations of which the third is the sum of the others, each multiplied by a number of its own.
int rank_with(const std::array<double, 3>& factors, double remaining_of_third) {
  CompletePivoting pivoting(3, 4);
  MatX A(3, 4);
  A << 0.3, -0.7, 0.1, 0.9, 0.2, 0.4, -0.8, 0.35, 0, 0, 0, 0;
  A.row(2) = A.row(0) + A.row(1);
  for (int i = 0; i < 3; ++i) A.row(i) *= factors[std::size_t(i)];
  pivoting.matrix() = A;
  pivoting.start();
  for (int i = 0; i < 3; ++i) pivoting.line_up(i, i == 2 ? remaining_of_third : 1);
  pivoting.eliminate(3);
  return pivoting.rank();
}

TEST(RankRule, PivotsAreMeasuredByTheirOwnEquation) {
  EXPECT_EQ(rank_with({1, 1, 1}, 1), 2);
  EXPECT_EQ(rank_with({1, 1e-12, 1}, 1), 2) << "small is not dependent";
  EXPECT_EQ(rank_with({1e6, 1e-6, 1}, 1), 2);
  EXPECT_EQ(rank_with({1, 1, 1e12}, 1), 2) << "the rounding of a large one is no rank";
}

TEST(RankRule, WhatIsLeftOfAWeakEquationIsItsRounding) {
  MatX A(2, 2);
  A << 1, 0, 1e-7,
      1e-14;  // 1e-14 is the rounding of terms of size 1, and 1e-7 of the largest entry
  for (const auto& [remaining, expected] : {std::pair{1.0, 2}, {1e-7, 1}}) {
    CompletePivoting pivoting(2, 2);
    pivoting.matrix() = A;
    pivoting.matrix().row(1) *= 1 / 1e-7 * (remaining == 1 ? 1 : 1e-7);
    pivoting.start();
    pivoting.line_up(0);
    pivoting.line_up(1, remaining);
    pivoting.eliminate(2);
    EXPECT_EQ(pivoting.rank(), expected) << remaining;
  }
}

TEST(RankRule, LostPivotsAreMeasuredByTheirRow) {
  SmallLu<double> lu;
  lu.resize(2);
  lu.at(0, 0) = 1e6;
  lu.at(0, 1) = 2e6;
  lu.at(1, 0) = 3e-7;
  lu.at(1, 1) = -1e-7;
  ASSERT_TRUE(lu.factorize(1e-11));
  std::array<double, 2> x{1e6 * (4 + 2 * 5), 1e-7 * (3 * 4 - 5)};
  lu.solve(x);
  EXPECT_NEAR(x[0], 4, 1e-12);
  EXPECT_NEAR(x[1], 5, 1e-12);
}

}  // namespace
}  // namespace kinegrad

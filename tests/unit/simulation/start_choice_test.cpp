#include "simulation/start_choice.hpp"

#include <gtest/gtest.h>

#include "kinegrad/simulation/start_rank.hpp"

namespace kinegrad {
namespace {

/// Three coordinates of which x + y = const: what is left is (1, −1, 0)/√2 and z.
MatX free_of_a_sum() {
  MatX Z(3, 2);
  Z << std::sqrt(0.5), 0, -std::sqrt(0.5), 0, 0, 1;
  return Z;
}

TEST(StartChoice, TakesValuesInTheirOrder) {
  const StartChoice both = choose_freedoms(free_of_a_sum(), MatX::Identity(3, 3), 3);
  EXPECT_EQ(both.held, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(both.surplus(), 1);
  EXPECT_EQ(both.left, 0);
  const StartChoice one = choose_freedoms(free_of_a_sum(), MatX::Identity(3, 3).topRows(2), 2);
  EXPECT_EQ(one.held, (std::vector<bool>{true, false}));
  EXPECT_EQ(one.left, 1);
}

TEST(StartChoice, AFixedValueIsWorthNothing) {
  MatX sum(1, 3);
  sum << 1, 1, 1e-17;
  const StartChoice choice = choose_freedoms(free_of_a_sum(), sum, 1);
  EXPECT_EQ(choice.surplus(), 1);
  EXPECT_EQ(choice.left, 2);
}

/// A value that barely determines something waits for those that do; rest waits for all that is given.
TEST(StartChoice, GoodValuesComeFirst) {
  MatX C(2, 3);
  C << 1, 1, 1e-6, 0, 0, 1;
  EXPECT_EQ(choose_freedoms(free_of_a_sum(), C, 2).held, (std::vector<bool>{false, true}));
  EXPECT_EQ(choose_freedoms(free_of_a_sum(), C, 1).held, (std::vector<bool>{true, false}));
  EXPECT_EQ(choose_freedoms(free_of_a_sum(), C.topRows(1), 1).held, (std::vector<bool>{true}));
}

TEST(StartRank, APartIsComparedWithItsWhole) {
  MatX J(2, 2);
  J << 1, 1e-17, 0.5, -1e-17;
  const PartSolver rounding(J.rightCols(1), size_of_whole(J));
  EXPECT_EQ(rounding.rank(), 0);
  EXPECT_EQ(rounding.solve(MatX::Ones(2, 1)).norm(), 0);
  EXPECT_EQ(rounding.solve_transposed(MatX::Ones(1, 1)).norm(), 0);
  const PartSolver sound(J.leftCols(1), size_of_whole(J));
  EXPECT_EQ(sound.rank(), 1);
  EXPECT_NEAR(sound.solve(MatX(J.leftCols(1)))(0, 0), 1, 1e-15);
  EXPECT_TRUE(independent_equations(MatX::Constant(3, 2, 1e-17)).rows.empty());
  EXPECT_EQ(independent_equations(J).rows.size(), 1u);
}

}  // namespace
}  // namespace kinegrad

// "Converged" is a claim: on hundreds of random problems no point nearby is much cheaper where it is made, it is never made of a cost
// that falls without end or of constraints that contradict each other, and it is made of most problems that have a minimum.
//
//   KINEGRAD_ATTACK_SEED=1000 KINEGRAD_ATTACK_CASES=3000 build/release/kinegrad_unit_tests --gtest_filter='OptimizerAttack.*'
#include <gtest/gtest.h>

#include <cstdlib>

#include "kinegrad/optimization/optimizer.hpp"
#include "support/random_programs.hpp"

namespace kinegrad {
namespace {

std::uint64_t number(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : fallback;
}

class OptimizerAttack : public testing::TestWithParam<const char*> {};

TEST_P(OptimizerAttack, ConvergedIsWhatItSays) {
  const OptimizerInfo* info = find_optimizer(GetParam());
  ASSERT_TRUE(info);
  if (!info->available()) GTEST_SKIP() << GetParam() << " is not built in";
  const std::uint64_t first = number("KINEGRAD_ATTACK_SEED", 1);
  const std::uint64_t cases = number("KINEGRAD_ATTACK_CASES", 60);
  int solvable = 0, solved = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    const bool constrained = info->inequalities && seed % 2 == 0;
    const test::RandomProgram program = test::random_program(seed, constrained);
    bool equation = false;
    for (const RowRange& range : program.problem.constraints) {
      equation = equation || range.lower == range.upper;
    }
    if (equation && !info->equations) continue;
    OptimizeOptions options;
    options.optimizer = GetParam();
    const OptimizationReport report = optimize(program.problem, options, program.evaluator());
    const StartReport& end = report.winner();
    const std::string about = program.name + ", seed " + std::to_string(seed) + ": " + end.message;
    const bool endless = program.shape == test::Shape::kSlope && program.unbounded();
    const bool minimum = !program.unbounded() && !program.infeasible;
    solvable += minimum;
    solved += minimum && report.done();
    EXPECT_NE(end.status, OptimizeStatus::kSettled) << about << "\nnobody asked for that";
    if (!report.done()) {
      EXPECT_FALSE(end.message.empty()) << about;
      continue;
    }
    EXPECT_FALSE(program.infeasible) << about;
    EXPECT_FALSE(endless) << about;  // a saddle has minima at its bounds
    EXPECT_EQ(test::no_minimum(program, end.best.rho, options.constraint_tolerance), "") << about;
  }
  RecordProperty("solvable", solvable);
  RecordProperty("solved", solved);
  EXPECT_GE(solved, solvable / 2) << "of " << solvable << ": too many minima are not found";
}

INSTANTIATE_TEST_SUITE_P(Every, OptimizerAttack,
                         testing::Values("lbfgsb", "ipopt", "slsqp", "mma", "ccsa"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace kinegrad

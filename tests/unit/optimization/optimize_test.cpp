// Many starts, stages: an optimisation as a whole, on problems that cost nothing.
#include "kinegrad/optimization/optimize.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "kinegrad/base/error.hpp"
#include "kinegrad/optimization/optimizer.hpp"
#include "support/analytic_problems.hpp"
#include "support/report_bits.hpp"

namespace kinegrad {
namespace {

using test::Analytic;
using test::bits_of;
using test::same_bits;
using test::with;
using testing::HasSubstr;

TEST(MultiStart, ThreadsChangeNoBit) {
  const Analytic valleys = test::many_valleys();
  for (const OptimizerInfo& info : optimizers()) {
    if (!info.available()) continue;
    const std::string name(info.name);
    const auto one = optimize(valleys.problem, with(name, 6, 1), test::evaluator(valleys));
    const auto two = optimize(valleys.problem, with(name, 6, 2), test::evaluator(valleys));
    EXPECT_TRUE(same_bits(bits_of(one), bits_of(two))) << name;
    EXPECT_EQ(one.starts.size(), 6u);
    EXPECT_EQ(one.starts[0].start.rho(0), 3.7) << "the first start is the problem's own";
  }
}

TEST(MultiStart, FindsTheDeepestValley) {
  const Analytic valleys = test::many_valleys();
  const auto one = optimize(valleys.problem, with("lbfgsb", 1), test::evaluator(valleys));
  const auto many = optimize(valleys.problem, with("lbfgsb", 20), test::evaluator(valleys));
  EXPECT_LT(many.winner().best.cost, one.winner().best.cost - 1);
  EXPECT_NEAR(many.winner().best.rho(0), -0.5123, 1e-3);  // 2x + 30 cos 3x = 0 nearest to zero
  EXPECT_NEAR(many.winner().best.rho(1), -0.5123, 1e-3);
}

TEST(MultiStart, StartsLieBetweenTheBoundsOneInEveryLayer) {
  const OptimizationProblem problem = test::many_valleys().problem;
  const std::vector<VecX> starts = start_points(problem, 11, 3);
  for (Eigen::Index k = 0; k < 2; ++k) {
    std::vector<int> layers(10);
    for (std::size_t i = 1; i < starts.size(); ++i) {
      ASSERT_GE(starts[i](k), -5);
      ASSERT_LE(starts[i](k), 5);
      ++layers[static_cast<std::size_t>(starts[i](k) + 5)];
    }
    EXPECT_EQ(layers, std::vector<int>(10, 1));
  }
  EXPECT_EQ(start_points(problem, 11, 3)[7], starts[7]);
  EXPECT_NE(start_points(problem, 11, 4)[7], starts[7]);
}

TEST(MultiStart, NeedsBounds) {
  Analytic valleys = test::many_valleys();
  valleys.problem.upper(1) = test::kInfinity;
  EXPECT_THROW(optimize(valleys.problem, with("lbfgsb", 2), test::evaluator(valleys)),
               InvalidArgument);
}

/// A start that cannot be simulated is no reason to give up the others.
TEST(MultiStart, GoesOnWhereOneStartFails) {
  Analytic valleys = test::many_valleys();
  valleys.failure = [](const VecX& x) { return x(0) == 3.7 ? "no start" : ""; };
  const auto report = optimize(valleys.problem, with("lbfgsb", 4), test::evaluator(valleys));
  EXPECT_TRUE(report.done());
  EXPECT_EQ(report.starts[0].status, OptimizeStatus::kFailed);
  EXPECT_NE(report.best, 0);
}

/// Stage k has its optimum at k + 1; each begins at the optimum before.
TEST(Stages, EachBeginsWhereTheOneBeforeEnded) {
  OptimizationProblem problem = test::plain_problem(VecX::Constant(1, 0.5), 1);
  problem.stages = 3;
  const auto report = optimize(problem, with("lbfgsb"), [](const EvaluationRequest& request) {
    Evaluation out;
    const double away = request.rho(0) - (request.stage + 1);
    out.rho = request.rho;
    out.psi = VecX::Constant(1, away * away);
    out.psi_rho = MatX::Constant(1, 1, 2 * away);
    return out;
  });
  const StartReport& start = report.winner();
  EXPECT_NEAR(start.best.rho(0), 3, 1e-6);
  EXPECT_EQ(start.start.rho(0), 0.5);
  for (std::size_t k = 1; k < start.history.size(); ++k) {
    if (start.history[k].stage == start.history[k - 1].stage) continue;
    EXPECT_NEAR(start.history[k].rho(0), start.history[k].stage, 1e-5);
  }
  EXPECT_EQ(start.history.back().stage, 2);
  EXPECT_EQ(start.best.stage, 2);
}

/// A question about the whole way from 0 to 2, whose optimum is at twice the way; nothing farther than `reach` from
/// it has a value.
Evaluator with_reach(const OptimizationProblem& problem, double reach) {
  return [&problem, reach](const EvaluationRequest& request) {
    Evaluation out;
    const double away = request.rho(0) - 2 * problem.position_of(request.stage);
    out.rho = request.rho;
    out.psi = VecX::Constant(1, away * away);
    out.psi_rho = MatX::Constant(1, 1, 2 * away);
    if (std::abs(away) > reach) out.failure = "too far";
    return out;
  };
}

/// [OP-7] Increments of 2 are too far, halves of them are not.
TEST(Stages, FallBackToShorterIncrements) {
  OptimizationProblem problem = test::plain_problem(VecX::Constant(1, 1.5), 1);
  problem.stages = 3;
  problem.parts = 16;
  for (const auto& [reach, increments] :
       {std::pair{2.5, 1}, {1.2, 2}, {0.7, 4}, {0.3, 8}, {0.15, 16}}) {
    problem.start(0) = 2 - 0.9 * reach;
    const auto report = optimize(problem, with("lbfgsb"), with_reach(problem, reach));
    EXPECT_TRUE(report.done()) << reach << ": " << report.winner().message;
    EXPECT_NEAR(report.winner().best.rho(0), 6, 1e-6);
    EXPECT_EQ(report.winner().best.stage, 2);
    std::set<int> seen;
    for (const HistoryEntry& entry : report.winner().history) {
      if (entry.failure.empty()) seen.insert(entry.stage);
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(1 + 2 * increments)) << reach;
  }
}

/// Where the shortest increment is too long, the optimum of the horizon before is kept and the reason said.
TEST(Stages, EndWhereNoIncrementIsShortEnough) {
  OptimizationProblem problem = test::plain_problem(VecX::Constant(1, 2.0), 1);
  problem.stages = 2;
  problem.parts = 16;
  const auto report = optimize(problem, with("lbfgsb"), with_reach(problem, 0.1));
  EXPECT_FALSE(report.done());
  EXPECT_EQ(report.winner().best.stage, 0);
  EXPECT_NEAR(report.winner().best.rho(0), 2, 1e-6);
  EXPECT_THAT(report.winner().message, HasSubstr("nor over a part of it: too far"));
}

TEST(Stages, ThoseBetweenAreCountedBehindTheOthers) {
  OptimizationProblem problem = test::plain_problem(VecX::Constant(1, 2.0), 1);
  problem.stages = 3;
  problem.parts = 4;
  std::set<int> numbers;
  for (int stage = 0; stage < 3; ++stage) {
    EXPECT_EQ(problem.stage_at(stage, 4), stage);
    for (int part = 1; part <= 4; ++part) {
      numbers.insert(problem.stage_at(stage, part));
      EXPECT_EQ(problem.position_of(problem.stage_at(stage, part)), stage + part / 4.0);
    }
  }
  EXPECT_EQ(numbers.size(), 12u);
  EXPECT_EQ(*numbers.rbegin(), problem.all_stages() - 1);
}

/// Costs of a short horizon are small; a start that got no further is not the best for that.
TEST(Stages, LaterStageComesBeforeSmallerCost) {
  OptimizationProblem problem = test::plain_problem(VecX::Constant(1, 0.0), 1);
  problem.lower.setConstant(-10);
  problem.upper.setConstant(10);
  problem.stages = 2;
  const auto evaluate = [](const EvaluationRequest& request) {
    Evaluation out;
    const double x = request.rho(0), side = x < 0 ? -5 : 5;
    out.rho = request.rho;
    if (request.stage == 1 && x < 0) out.failure = "no way on";
    // on the left the cost falls to −1, but there is nothing there at the next stage
    out.psi = VecX::Constant(1, (x - side) * (x - side) + (x < 0 ? -1.0 : 10.0 * request.stage));
    out.psi_rho = MatX::Constant(1, 1, 2 * (x - side));
    return out;
  };
  const auto report = optimize(problem, with("lbfgsb", 6), evaluate);
  EXPECT_GT(report.winner().best.rho(0), 0);
  EXPECT_EQ(report.winner().best.stage, 1);
  EXPECT_TRUE(report.done());
}

TEST(OptimizeOptions, WrongOnesAreRefused) {
  const Analytic valley = test::rosenbrock();
  const auto refused = [&](auto&& change) {
    OptimizeOptions options;
    change(options);
    EXPECT_THROW(optimize(valley.problem, options, test::evaluator(valley)), InvalidArgument);
  };
  refused([](OptimizeOptions& o) { o.tolerance = 0; });
  refused([](OptimizeOptions& o) { o.constraint_tolerance = -1; });
  refused([](OptimizeOptions& o) { o.objective_tolerance = -1; });
  refused([](OptimizeOptions& o) { o.seconds = -1; });
  refused([](OptimizeOptions& o) { o.evaluations = 0; });
  refused([](OptimizeOptions& o) { o.starts = 0; });
  refused([](OptimizeOptions& o) { o.threads = 0; });
  Analytic outside = valley;
  outside.problem.upper(0) = -3;
  EXPECT_THROW(optimize(outside.problem, {}, test::evaluator(outside)), InvalidArgument);
}

TEST(OptimizeOptions, SecondsEndAnEvaluationUnderWay) {
  const Analytic valley = test::rosenbrock();
  OptimizeOptions options;
  options.seconds = 0.05;
  const auto slow = [&](const EvaluationRequest& request) {
    Evaluation out = test::evaluator(valley)(request);
    if (request.rho == valley.problem.start) return out;
    while (request.go_on()) {
    }
    out.stopped = true;
    return out;
  };
  const auto report = optimize(valley.problem, options, slow);
  EXPECT_EQ(report.winner().status, OptimizeStatus::kLimit);
  EXPECT_THAT(report.winner().message, HasSubstr("seconds are over"));
  EXPECT_TRUE(report.winner().best.known);
}

}  // namespace
}  // namespace kinegrad

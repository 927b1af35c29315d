// The optimisers through their common interface, on problems whose optima and multipliers are known.
#include "kinegrad/optimization/optimizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/base/error.hpp"
#include "support/analytic_problems.hpp"

namespace kinegrad {
namespace {

using test::Analytic;
using test::kInfinity;
using testing::HasSubstr;

/// Optima are found to a projected gradient of 1e-7 of that of the start, which leaves five digits of the
/// parameters at least in well-conditioned problems.
constexpr double kDigits = 1e-5;

/// For the valley, which falls by three orders of magnitude before it becomes flat (κ = 2500).
OptimizeOptions patient() {
  OptimizeOptions options;
  options.tolerance = 1e-9;
  options.evaluations = 30000;  // mma and ccsa keep no curvature between variables
  return options;
}

OptimizationReport solve(const Analytic& analytic, const std::string& optimizer,
                         OptimizeOptions options = {}) {
  options.optimizer = optimizer;
  return optimize(analytic.problem, options, test::evaluator(analytic));
}

class EveryOptimizer : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!find_optimizer(GetParam())->available()) GTEST_SKIP() << "not built in";
  }
  OptimizationReport solved(const Analytic& analytic, OptimizeOptions options = {}) const {
    return solve(analytic, GetParam(), options);
  }
};

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const OptimizerInfo& info : optimizers()) names.emplace_back(info.name);
  return names;
}

std::vector<std::string> names_with_constraints() {
  std::vector<std::string> names;
  for (const OptimizerInfo& info : optimizers()) {
    if (info.inequalities) names.emplace_back(info.name);
  }
  return names;
}

TEST_P(EveryOptimizer, FindsTheEndOfTheValley) {
  const StartReport report = solved(test::rosenbrock(), patient()).winner();
  EXPECT_EQ(report.status, OptimizeStatus::kConverged) << report.message;
  EXPECT_NEAR(report.best.rho(0), 1, 1e-3);
  EXPECT_NEAR(report.best.rho(1), 1, 2e-3);
  EXPECT_TRUE(report.active_bounds.empty());
  EXPECT_EQ(report.start.cost, 909);
}

/// With x₁ ≤ 1/2 the optimum is (1/2, 1/4), and the cost would fall by 1 per unit of the bound.
TEST_P(EveryOptimizer, StopsAtABoundAndSaysWhatItCosts) {
  Analytic valley = test::rosenbrock();
  valley.problem.upper(0) = 0.5;
  valley.problem.lower(0) = -3;
  const StartReport report = solved(valley, patient()).winner();
  EXPECT_EQ(report.status, OptimizeStatus::kConverged) << report.message;
  EXPECT_NEAR(report.best.rho(0), 0.5, kDigits);
  EXPECT_NEAR(report.best.rho(1), 0.25, kDigits);
  ASSERT_EQ(report.active_bounds.size(), 1u);
  EXPECT_EQ(report.active_bounds[0].parameter, 0);
  EXPECT_TRUE(report.active_bounds[0].upper);
  EXPECT_NEAR(report.active_bounds[0].multiplier, 1, 1e-2);
  for (const HistoryEntry& entry : report.history) {
    EXPECT_LE(entry.rho(0), 0.5) << "no point outside the bounds is ever asked for";
  }
}

/// The logarithm has no value below zero, where the first, long step goes.
TEST_P(EveryOptimizer, BacksOffWhereThereIsNoValue) {
  Analytic wall;
  wall.problem = test::plain_problem(VecX::Constant(1, 3.0), 1);
  wall.problem.scale(0) = 40;
  wall.function = [](const VecX& x, VecX& psi, MatX& slope) {
    psi(0) = 4 * x(0) - std::log(x(0));
    slope(0, 0) = 4 - 1 / x(0);
  };
  wall.failure = [](const VecX& x) { return x(0) > 0 ? "" : "the logarithm has no value"; };
  const StartReport report = solved(wall).winner();
  EXPECT_EQ(report.status, OptimizeStatus::kConverged) << report.message;
  EXPECT_NEAR(report.best.rho(0), 0.25, 1e-4);
  int failed = 0;
  for (const HistoryEntry& entry : report.history) failed += entry.failure.empty() ? 0 : 1;
  EXPECT_GT(failed, 0) << "the problem does not test what it should";
}

/// The least value is at a kink, where no gradient vanishes. That is no optimum of a smooth function, and no
/// optimiser may call it one.
TEST_P(EveryOptimizer, AKinkIsNoOptimum) {
  Analytic kink;
  kink.problem = test::plain_problem(VecX::Constant(1, 3.3), 1);
  kink.function = [](const VecX& x, VecX& psi, MatX& slope) {
    psi(0) = std::abs(x(0) - 1) + 0.1 * x(0) * x(0);
    slope(0, 0) = (x(0) < 1 ? -1 : 1) + 0.2 * x(0);
  };
  OptimizeOptions options;
  options.evaluations = 1000;
  const StartReport report = solved(kink, options).winner();
  EXPECT_NE(report.status, OptimizeStatus::kConverged) << report.message;
  EXPECT_NEAR(report.best.rho(0), 1, 1e-2);
}

/// Loose tolerances of changes are the user's own end, not a failure.
TEST_P(EveryOptimizer, EndsWhereTheUserSeesNoChange) {
  OptimizeOptions options;
  options.objective_tolerance = 0.5;
  const OptimizationReport report = solved(test::rosenbrock(), options);
  EXPECT_TRUE(report.done()) << report.winner().message;
  const bool asks = GetParam() != "ipopt";  // whose own test is that of the gradient
  EXPECT_EQ(report.winner().status, asks ? OptimizeStatus::kSettled : OptimizeStatus::kConverged);
  EXPECT_LT(report.winner().best.cost, 909);
}

TEST_P(EveryOptimizer, AStartWithoutValueIsSaid) {
  Analytic wall = test::rosenbrock();
  wall.failure = [](const VecX&) { return "the loop does not close"; };
  const StartReport report = solved(wall).winner();
  EXPECT_EQ(report.status, OptimizeStatus::kFailed);
  EXPECT_THAT(report.message, HasSubstr("the loop does not close"));
  EXPECT_FALSE(report.best.known);
  EXPECT_EQ(report.evaluations, 1);
}

/// Nothing but the start has a value: it gives up, and keeps the start.
TEST_P(EveryOptimizer, GivesUpWhereEveryStepFails) {
  Analytic island = test::rosenbrock();
  island.failure = [](const VecX& x) { return x(0) == -2 && x(1) == 1 ? "" : "no value"; };
  OptimizeOptions options;
  options.evaluations = 200;
  const StartReport report = solved(island, options).winner();
  EXPECT_NE(report.status, OptimizeStatus::kConverged) << report.message;
  EXPECT_TRUE(report.best.known);
  EXPECT_EQ(report.best.rho(0), -2);
  EXPECT_LE(report.evaluations, 60);
}

TEST_P(EveryOptimizer, UnitsDoNotMatter) {
  const Analytic valley = test::rosenbrock();
  Analytic odd = valley;  // micrometres, and a cost in the order of 1e-9
  odd.problem.start *= 1e6;
  odd.function = [&](const VecX& x, VecX& psi, MatX& slope) {
    valley.function(1e-6 * x, psi, slope);
    psi *= 1e-12;
    slope *= 1e-18;
  };
  const StartReport report = solved(odd, patient()).winner();
  EXPECT_EQ(report.status, OptimizeStatus::kConverged) << report.message;
  EXPECT_NEAR(report.best.rho(0), 1e6, 1e3);
}

TEST_P(EveryOptimizer, LimitsAreTheUsersOwn) {
  OptimizeOptions options;
  options.evaluations = 4;
  const OptimizationReport report = solved(test::rosenbrock(), options);
  EXPECT_EQ(report.winner().status, OptimizeStatus::kLimit);
  EXPECT_FALSE(report.done()) << "a limit is no optimum";
  EXPECT_EQ(report.evaluations(), 4);
  EXPECT_THAT(report.winner().message, HasSubstr("4 evaluations are used up"));
  EXPECT_LE(report.winner().best.cost, report.winner().start.cost);
}

TEST_P(EveryOptimizer, StopsWhenAsked) {
  Analytic valley = test::rosenbrock();
  OptimizeOptions options;
  options.optimizer = GetParam();
  const OptimizationReport report =
      optimize(valley.problem, options, test::evaluator(valley),
               [](const OptimizeProgress& at) { return at.evaluation < 3; });
  EXPECT_EQ(report.winner().status, OptimizeStatus::kInterrupted);
  EXPECT_FALSE(report.done());
  EXPECT_EQ(report.evaluations(), 3);
  EXPECT_TRUE(report.winner().best.known);
}

TEST_P(EveryOptimizer, AStationaryStartIsTheEnd) {
  Analytic valley = test::rosenbrock();
  valley.problem.start << 1, 1;
  const StartReport report = solved(valley).winner();
  EXPECT_EQ(report.status, OptimizeStatus::kConverged);
  EXPECT_LE(report.evaluations, 6) << "what is nearby is looked at";
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(report.best.rho, valley.problem.start);
}

/// One parameter, from `start`.
Analytic one(double start, std::function<double(double)> cost,
             std::function<double(double)> slope) {
  Analytic out;
  out.problem = test::plain_problem(VecX::Constant(1, start), 1);
  out.function = [=](const VecX& x, VecX& psi, MatX& psi_rho) {
    psi(0) = cost(x(0));
    psi_rho(0, 0) = slope(x(0));
  };
  return out;
}

/// The gradient vanishes on top of a hill too.
TEST_P(EveryOptimizer, AMaximumIsNoOptimum) {
  Analytic hill = one(
      0, [](double x) { return std::cos(x) + 3; }, [](double x) { return -std::sin(x); });
  hill.problem.lower.setConstant(-4);
  hill.problem.upper.setConstant(4);
  const StartReport report = solved(hill, patient()).winner();
  EXPECT_EQ(report.status, OptimizeStatus::kConverged) << report.message;
  EXPECT_NEAR(report.best.cost, 2, 1e-9);
}

/// x² − y² has a saddle at the origin and nothing below it that bounds do not hold.
TEST_P(EveryOptimizer, ASaddleIsNoOptimum) {
  Analytic saddle;
  saddle.problem = test::plain_problem(VecX::Zero(2), 1);
  saddle.problem.lower.setConstant(-1);
  saddle.problem.upper.setConstant(1);
  saddle.function = [](const VecX& x, VecX& psi, MatX& slope) {
    psi(0) = x(0) * x(0) - x(1) * x(1) + 5;
    slope.row(0) << 2 * x(0), -2 * x(1);
  };
  const StartReport report = solved(saddle, patient()).winner();
  EXPECT_EQ(report.status, OptimizeStatus::kConverged) << report.message;
  EXPECT_NEAR(report.best.cost, 4, 1e-9);
}

/// A cost that falls for ever is never called an optimum, however far it is followed.
TEST_P(EveryOptimizer, UnboundedCostsHaveNoOptimum) {
  const Analytic slide = one(
      2, [](double x) { return -x; }, [](double) { return -1.0; });
  OptimizeOptions options;
  options.evaluations = 3000;
  const StartReport report = solved(slide, options).winner();
  EXPECT_TRUE(report.status == OptimizeStatus::kUnbounded ||
              report.status == OptimizeStatus::kLimit)
      << report.message;
  EXPECT_LT(report.best.cost, -2);
}

/// Scales are what the user thinks of them; whether a point is an optimum does not depend on them.
TEST_P(EveryOptimizer, WrongScalesMakeNoOptimum) {
  for (const double scale : {1e8, 1e-8}) {
    Analytic bowl = one(
        1, [](double x) { return (x - 1.5) * (x - 1.5); }, [](double x) { return 2 * (x - 1.5); });
    bowl.problem.lower.setConstant(0.5);
    bowl.problem.upper.setConstant(2);
    bowl.problem.scale.setConstant(scale);
    const StartReport report = solved(bowl, patient()).winner();
    EXPECT_EQ(report.status, OptimizeStatus::kConverged) << scale << ": " << report.message;
    EXPECT_NEAR(report.best.rho(0), 1.5, 1e-4) << scale << ": " << report.message;
  }
}

/// A bound like -1e308 is no bound: products with a scale of that size are no numbers, and no optimum.
TEST_P(EveryOptimizer, BoundsWithoutEnd) {
  Analytic bowl = one(
      0, [](double x) { return 100 * (x - 0.5) * (x - 0.5); },
      [](double x) { return 200 * (x - 0.5); });
  bowl.problem.lower.setConstant(-1e308);
  bowl.problem.upper.setConstant(1);
  const StartReport report = solved(bowl, patient()).winner();
  EXPECT_EQ(report.status, OptimizeStatus::kConverged) << report.message;
  EXPECT_NEAR(report.best.rho(0), 0.5, 1e-4) << report.message;
}

/// `tolerance` is a part of the projected gradient of the start, whatever is added to the cost.
TEST_P(EveryOptimizer, ToleranceIsOverTheStart) {
  const Analytic bowl = one(
      3, [](double x) { return 1e4 + std::cosh(x - 1); },
      [](double x) { return std::sinh(x - 1); });
  OptimizeOptions options = patient();
  options.tolerance = 1e-3;
  const StartReport report = solved(bowl, options).winner();
  EXPECT_EQ(report.status, OptimizeStatus::kConverged) << report.message;
  EXPECT_LE(std::abs(report.best.psi_rho(0, 0)), 1e-3 * std::sinh(2.0));
}

/// Points better than all before, whoever finds them.
TEST_P(EveryOptimizer, IterationsAreCountedAlike) {
  const StartReport report = solved(test::rosenbrock(), patient()).winner();
  double best = test::kInfinity;
  int better = -1;
  for (const HistoryEntry& entry : report.history) {
    if (entry.cost < best) {
      EXPECT_EQ(entry.iteration, ++better);
    }
    best = std::min(best, entry.cost);
  }
  EXPECT_EQ(report.iterations, better);
}

INSTANTIATE_TEST_SUITE_P(All, EveryOptimizer, testing::ValuesIn(all_names()),
                         [](const auto& name) { return name.param; });

class WithConstraints : public EveryOptimizer {};

TEST_P(WithConstraints, InequalityWithItsMultiplier) {
  const StartReport report = solved(test::hock_schittkowski_35()).winner();
  EXPECT_EQ(report.status, OptimizeStatus::kConverged) << report.message;
  EXPECT_NEAR(report.best.cost, 1.0 / 9, kDigits);
  EXPECT_NEAR(report.best.rho(0), 4.0 / 3, 1e-4);
  EXPECT_NEAR(report.best.rho(1), 7.0 / 9, 1e-4);
  ASSERT_EQ(report.multipliers.size(), 1u);
  EXPECT_NEAR(report.multipliers[0], 2.0 / 9, 1e-4);
  EXPECT_LE(report.best.violation, 1e-8);
}

TEST_P(WithConstraints, ContradictionsEndWithAClearWord) {
  Analytic apart = test::rosenbrock();
  apart.problem.rows = {"psi1", "psi2"};
  apart.problem.constraints = {{1, -kInfinity, -1}};
  apart.function = [](const VecX& x, VecX& psi, MatX& slope) {
    psi << x(0) + x(1), x.squaredNorm();
    slope.row(0) << 1, 1;
    slope.row(1) = 2 * x.transpose();
  };
  OptimizeOptions options;
  options.evaluations = 300;
  const OptimizationReport report = solved(apart, options);
  EXPECT_EQ(report.winner().status, OptimizeStatus::kInfeasible) << report.winner().message;
  EXPECT_FALSE(report.done());
  EXPECT_THAT(report.winner().message, HasSubstr("no point was found that holds the constraints"));
  EXPECT_THAT(report.winner().message, HasSubstr("psi2 = "));
  EXPECT_THAT(report.winner().message, HasSubstr("at most -1"));
}

/// The largest of x² and (x − 2)² is least at 1, where both are the same and count the same.
TEST_P(WithConstraints, MinimaxBalancesItsObjectives) {
  Analytic two;
  two.problem = test::plain_problem(VecX::Constant(1, 5.0), 2);
  two.problem.cost = {{0, 1.0}, {1, 1.0}};
  two.problem.minimax = true;
  two.function = [](const VecX& x, VecX& psi, MatX& slope) {
    psi << x(0) * x(0), (x(0) - 2) * (x(0) - 2);
    slope << 2 * x(0), 2 * (x(0) - 2);
  };
  const StartReport report = solved(two).winner();
  EXPECT_EQ(report.status, OptimizeStatus::kConverged) << report.message;
  EXPECT_NEAR(report.best.rho(0), 1, kDigits);
  EXPECT_NEAR(report.best.cost, 1, 1e-4);
  ASSERT_EQ(report.cost_multipliers.size(), 2u);
  EXPECT_NEAR(report.cost_multipliers[0], 0.5, 1e-3);
  EXPECT_NEAR(report.cost_multipliers[0] + report.cost_multipliers[1], 1, 1e-3);
}

TEST_P(WithConstraints, BacksOffFromAWallInsideTheConstraints) {
  Analytic wall = test::hock_schittkowski_35();
  wall.problem.scale.setConstant(30);
  wall.failure = [](const VecX& x) { return x.sum() < 4 ? "" : "too long"; };
  const StartReport report = solved(wall).winner();
  EXPECT_EQ(report.status, OptimizeStatus::kConverged) << report.message;
  EXPECT_NEAR(report.best.cost, 1.0 / 9, kDigits);
}

INSTANTIATE_TEST_SUITE_P(All, WithConstraints, testing::ValuesIn(names_with_constraints()),
                         [](const auto& name) { return name.param; });

class WithEquations : public EveryOptimizer {};

/// L = f + Σ λ(c − bound): −λ is what the cost gains per unit of the bound.
TEST_P(WithEquations, HockSchittkowski71) {
  const StartReport report = solved(test::hock_schittkowski_71()).winner();
  EXPECT_EQ(report.status, OptimizeStatus::kConverged) << report.message;
  EXPECT_NEAR(report.best.cost, 17.0140173, 1e-5);
  const Eigen::Vector4d optimum(1, 4.7429994, 3.8211503, 1.3794082);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(report.best.rho(k), optimum(k), 1e-4);
  EXPECT_LE(report.best.violation, 1e-8);
  ASSERT_EQ(report.multipliers.size(), 2u);
  EXPECT_NEAR(report.multipliers[0], -0.5522937, 1e-4);
  EXPECT_NEAR(report.multipliers[1], 0.1614686, 1e-4);
  ASSERT_EQ(report.active_bounds.size(), 1u);
  EXPECT_EQ(report.active_bounds[0].parameter, 0);
  EXPECT_FALSE(report.active_bounds[0].upper);
  EXPECT_NEAR(report.active_bounds[0].multiplier, -1.0878712, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(All, WithEquations, testing::Values("ipopt", "slsqp"),
                         [](const auto& name) { return name.param; });

TEST(Optimizer, RefusesByName) {
  const auto message = [](const Analytic& analytic, const std::string& optimizer) {
    try {
      solve(analytic, optimizer);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(test::rosenbrock(), "lbfgs"), HasSubstr("did you mean \"lbfgsb\"?"));
  EXPECT_THAT(message(test::hock_schittkowski_35(), "lbfgsb"),
              HasSubstr("lbfgsb takes bounds but no constraints"));
  EXPECT_THAT(message(test::hock_schittkowski_71(), "mma"), HasSubstr("mma takes no equations"));
  Analytic minimax = test::rosenbrock();
  minimax.problem.minimax = true;
  EXPECT_THAT(message(minimax, "lbfgsb"), HasSubstr("which minimax is made of"));
}

}  // namespace
}  // namespace kinegrad

// Objectives of a run: their quadrature has the order of the integrator, and nothing but the steps
// that count enters it.
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/simulation/simulator.hpp"
#include "support/closed_loops.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

/// G at t = 10 of SUNDIALS' slider-crank (idasSlCrank_FSA_dns prints 3.3366156 at rtol 1e-6), the same
/// equations integrated in quadruple precision.
constexpr double kKineticIntegral = 3.336606799482785;

RunOptions choices(const std::string& formulation, const std::string& integrator, double step,
                   double end) {
  RunOptions options;
  options.formulation = formulation;
  options.integrator = integrator;
  options.step = step;
  options.end = end;
  return options;
}

RunReport run_of(const Model& model, const RunOptions& options) {
  RunReport report =
      Simulator(model, options).run(model.default_physical(), [](const auto&) { return true; });
  EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
  return report;
}

/// Samples ten seconds apart: they have no part in it.
TEST(Objectives, IntegralOfAnAdaptiveRunIsAsExactAsTheMotion) {
  const Model model = test::example("slider_crank_planar");
  RunOptions options = choices("matrix-r", "dopri5", 10, 10);
  options.details.tolerance = 1e-11;
  EXPECT_NEAR(run_of(model, options).objectives.at(0), kKineticIntegral, 1e-8);
}

/// psi2 and psi3 of the five-bar mechanism: speeds and accelerations.
TEST(Objectives, IntegralHasTheOrderOfTheIntegrator) {
  const Model model = test::example("five_bar");
  RunOptions options = choices("matrix-r", "dopri5", 1, 1);
  options.details.tolerance = 1e-13;
  const std::vector<double> exact = run_of(model, options).objectives;
  for (const auto& [integrator, order] : {std::pair{"rk4", 4}, {"trapezoidal", 2}}) {
    const auto psi = [&, name = integrator](int steps) {
      return run_of(model, choices("matrix-r", name, 1.0 / steps, 1)).objectives;
    };
    const std::vector<double> coarse = psi(200), fine = psi(400);
    for (const std::size_t k : {1u, 2u}) {
      const double slope = std::log2((coarse[k] - exact[k]) / (fine[k] - exact[k]));
      EXPECT_NEAR(slope, order, tolerance::kOrder) << integrator;
    }
  }
}

/// The family of Newmark integrates over its steps by the trapezoidal rule.
TEST(Objectives, TrapezoidalRuleOverTheSteps) {
  const Model model = test::example("five_bar");
  const std::vector<double> p = model.default_physical();
  SignalEvaluator<double> evaluator(model);
  VecX sum = VecX::Zero(3), last = VecX::Zero(3);
  double t = 0;
  const auto report = Simulator(model, choices("ali3p", "trapezoidal", 1e-2, 0.505))
                          .run(p, [&](const StepState<double>& x) {
                            evaluator.evaluate(p, x.t, test::view(x.q), test::view(x.v),
                                               test::view(x.a), test::view(x.lambda));
                            VecX g(3);
                            for (int k = 0; k < 3; ++k) {
                              g(k) = evaluator.output(model.objectives()[std::size_t(k)].integral);
                            }
                            sum += (g + last) * (0.5 * (x.t - t));
                            last = g;
                            t = x.t;
                            return true;
                          });
  ASSERT_EQ(report.objectives.size(), 3u);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(report.objectives[std::size_t(k)], sum(k), 1e-13 * sum(k));  // the order of sums
  }
}

TEST(Objectives, StoppedRunHasThoseUpToWhereItWasStopped) {
  const Model model = test::example("slider_crank_planar");
  constexpr double kStop = 5;
  for (const char* integrator : {"dopri5", "rk4"}) {
    const RunOptions options = choices("matrix-r", integrator, 0.01, 10);
    const RunReport stopped =
        Simulator(model, options).run(model.default_physical(), [](const auto& x) {
          return x.t < kStop - 1e-9;
        });
    EXPECT_EQ(stopped.status, RunStatus::kStopped);
    EXPECT_NEAR(stopped.t, kStop, 1e-9);
    const RunReport whole = run_of(model, choices("matrix-r", integrator, 0.01, kStop));
    // the last, unfinished step of an adaptive run: a trapezoid at most 0.1 s wide
    EXPECT_NEAR(stopped.objectives.at(0), whole.objectives.at(0), 1e-4) << integrator;
  }
}

/// Terminal objectives are the signal at the end.
TEST(Objectives, TerminalValue) {
  const Model model = test::example("pendulum");
  const RunReport report = run_of(model, choices("", "rk4", 1e-3, 1));
  EXPECT_NEAR(report.objectives.at(0), 0.98629175113187528, 1e-9);  // IFToMM A01 at t = 1
}

}  // namespace
}  // namespace kinegrad

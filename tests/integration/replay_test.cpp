// Replays of recorded runs: the same bits, the same objectives, complex numbers, no allocation.
#include "kinegrad/simulation/replay.hpp"

#include <gtest/gtest.h>

#include "kinegrad/math/derivative_check.hpp"
#include "kinegrad/simulation/simulator.hpp"
#include "support/allocation_counter.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

struct Recorded {
  RunOptions options;
  RunReport report;
  StepPlan plan;
  std::vector<double> rho;
};

struct Choice {
  const char *example, *formulation, *integrator;
  double end;
};

constexpr Choice kRuns[] = {{"five_bar", "ali3p", "trapezoidal", 0.2},
                            {"five_bar", "matrix-r", "rk4", 0.2},
                            {"slider_crank_planar", "matrix-r", "dopri5", 1},
                            {"heavy_top", "", "generalized-alpha", 0.05}};

Recorded record(const Model& model, const Choice& choice) {
  Recorded out;
  out.options.formulation = choice.formulation;
  out.options.integrator = choice.integrator;
  out.options.step = 1e-3;
  out.options.end = choice.end;
  Simulator simulator(model, out.options);
  out.report = simulator.run(
      model.default_physical(), [](const auto&) { return true; }, &out.plan);
  EXPECT_EQ(out.report.status, RunStatus::kDone) << out.report.message;
  out.options = simulator.options();
  const VecX rho = model.default_rho();
  out.rho.assign(rho.begin(), rho.end());
  return out;
}

TEST(Replay, GivesTheSameBitsAgainAndAgain) {
  for (const Choice& choice : kRuns) {
    const Model model = test::example(choice.example);
    const Recorded run = record(model, choice);
    EXPECT_EQ(run.plan.times.size(), std::size_t(run.report.steps) + 1);
    EXPECT_EQ(run.plan.times.back(), choice.end);
    Replay<double> replay(model, run.options, run.plan);
    std::vector<double> other = run.rho;
    other[0] *= 1.01;
    for (const std::vector<double>& rho : {run.rho, other, run.rho}) {
      const RunReport report = replay.run(rho);
      ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
      EXPECT_EQ(report.steps, run.report.steps);
      if (rho == other) {
        EXPECT_NE(replay.objectives(), run.report.objectives) << choice.example;
      } else {
        EXPECT_EQ(replay.objectives(), run.report.objectives)
            << choice.example << " × " << choice.integrator;
      }
    }
  }
}

TEST(Replay, ComplexRunCarriesTheSameMotion) {
  for (const Choice& choice : kRuns) {
    const Model model = test::example(choice.example);
    const Recorded run = record(model, choice);
    const RunOptions tight = options_for_derivatives(run.options);
    Replay<double> real(model, tight, run.plan);
    Replay<Complex> replay(model, tight, run.plan);
    std::vector<Complex> rho(run.rho.begin(), run.rho.end());
    rho[0] += Complex(0, kComplexStep);
    ASSERT_EQ(real.run(run.rho).status, RunStatus::kDone);
    const RunReport report = replay.run(rho);
    ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
    for (std::size_t k = 0; k < real.objectives().size(); ++k) {
      const double psi = real.objectives()[k];
      // states near 1 that are solved to rounding, over a few hundred steps
      EXPECT_NEAR(replay.objectives()[k].real(), psi, 1e-10 * (1 + std::abs(psi)))
          << choice.example;
      EXPECT_NE(replay.objectives()[k].imag(), 0) << choice.example;
    }
  }
}

TEST(Replay, AllocatesNothingAfterItsFirstSteps) {
  for (const Choice& choice : kRuns) {
    const Model model = test::example(choice.example);
    const Recorded run = record(model, choice);
    Replay<double> replay(model, run.options, run.plan);
    std::int64_t first = -1, last = 0;
    long steps = 0;
    const AllocationCounter counter;
    replay.run(run.rho, [&](double) {
      if (++steps == 2) first = counter.count();
      last = counter.count();
      return true;
    });
    EXPECT_GE(steps, 10);
    EXPECT_EQ(last, first) << choice.example << " × " << choice.integrator;
  }
}

TEST(Replay, StopsWhenAsked) {
  const Model model = test::example("five_bar");
  const Recorded run = record(model, kRuns[0]);
  Replay<double> replay(model, run.options, run.plan);
  const RunReport report = replay.run(run.rho, [](double t) { return t < 0.1; });
  EXPECT_EQ(report.status, RunStatus::kStopped);
  EXPECT_NEAR(report.t, 0.1, 0.0011);
}

}  // namespace
}  // namespace kinegrad

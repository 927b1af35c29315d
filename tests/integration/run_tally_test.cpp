// What forward and adjoint say of the run besides its derivatives is what the simulation says itself:
// objectives and norms of the constraints, also where they were stopped on the way.
#include <gtest/gtest.h>

#include "kinegrad/sensitivity/gradient.hpp"
#include "support/closed_loops.hpp"
#include "support/example_runs.hpp"

namespace kinegrad {
namespace {

struct Seen {
  std::vector<double> objectives;
  ConstraintNorms norms;
};

/// At the ends of the steps.
Seen simulated(const Model& model, const RunOptions& options) {
  const std::vector<double> p = model.default_physical();
  Simulator simulator(model, options);
  ConstraintWatch watch(model, p);
  const RunReport run = simulator.run(p, [&](const StepState<double>& x) {
    watch.see(x);
    return true;
  });
  EXPECT_TRUE(run.done()) << run.message;
  return {run.objectives, watch.norms()};
}

GradientReport differentiated(const Model& model, const GradientOptions& options,
                              const GradientWatch& watch = {}) {
  const VecX rho = model.default_rho();
  return gradient(model, {rho.data(), std::size_t(rho.size())}, options, watch);
}

/// The same states through other formulas, summed in another order.
void expect_same(const Seen& seen, const GradientReport& report) {
  constexpr double kRounding = 1e-11;
  ASSERT_EQ(report.values.size(), seen.objectives.size());
  for (std::size_t i = 0; i < seen.objectives.size(); ++i) {
    const double value = seen.objectives[i];
    EXPECT_NEAR(report.values[i], value, kRounding * (1 + std::abs(value))) << "objective " << i;
  }
  constexpr double kNorm = 1e-9;  // accelerations of a hundred, velocities of ten
  for (std::size_t k = 0; k < seen.norms.size(); ++k) {
    EXPECT_NEAR(report.constraint_norms[k], seen.norms[k], kNorm * (1 + seen.norms[k]));
  }
}

TEST(RunTally, WhatTheSimulationSays) {
  for (const test::ExampleRun& run : test::kExampleRuns) {
    const Model model = test::example(run.name);
    for (const char* integrator : {"trapezoidal", "generalized-alpha", "rk4"}) {
      GradientOptions options;
      options.run.integrator = integrator;
      options.run.step = run.step;
      options.run.end = run.end;
      options.run.details.tolerance = 1e-13;
      const bool explicit_rule = std::string(integrator) == "rk4";
      if (explicit_rule && !model.constraint_rows().empty()) {
        options.run.formulation = "matrix-r";
      }
      SCOPED_TRACE(std::string(run.name) + ", " + integrator);
      const Seen seen = simulated(model, options.run);
      for (const char* method : {"forward", "adjoint"}) {
        SCOPED_TRACE(method);
        options.method = method;
        const GradientReport report = differentiated(model, options);
        ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
        expect_same(seen, report);
      }
    }
  }
}

GradientOptions half_a_second() {
  GradientOptions options;
  options.run.step = 1e-2;
  options.run.end = 0.5;
  options.run.details.tolerance = 1e-13;
  return options;
}

TEST(RunTally, StoppedOnTheWay) {
  const Model model = test::example("five_bar");
  GradientOptions options = half_a_second();
  const Seen seen = simulated(model, options.run);
  const GradientWatch half = [](std::string_view what, double part) {
    return what == "simulation" || part < 0.5;
  };
  for (const char* method : {"forward", "adjoint"}) {
    SCOPED_TRACE(method);
    options.method = method;
    options.memory = 0;
    const GradientReport report = differentiated(model, options, half);
    EXPECT_EQ(report.status, RunStatus::kStopped);
    expect_same(seen, report);
    options.memory = 10'000;  // there steps would have to be made again
    const GradientReport bounded = differentiated(model, options, half);
    EXPECT_TRUE(std::isnan(bounded.values[0]));
    EXPECT_TRUE(std::isnan(bounded.constraint_norms[0]));
  }
}

/// Of a run that was stopped itself: its part.
TEST(RunTally, StoppedSimulation) {
  const Model model = test::example("five_bar");
  GradientOptions options = half_a_second();
  const GradientReport report =
      differentiated(model, options, [&](std::string_view, double part) { return part < 0.495; });
  EXPECT_EQ(report.status, RunStatus::kStopped);
  options.run.end = 0.25;
  expect_same(simulated(model, options.run), report);
}

}  // namespace
}  // namespace kinegrad

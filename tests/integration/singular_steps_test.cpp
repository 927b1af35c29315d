// Runs through singular positions at step sizes that happen to end beside them
// (docs/theory/singular_positions.md): energy is kept to the order of the method, and gradients are those of
// the run as it was made.
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/sensitivity/gradient.hpp"
#include "support/closed_loops.hpp"
#include "support/four_bar_windows.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

struct EnergyRun {
  RunReport report;
  double largest_error = 0;
};

EnergyRun energy_of(const Model& model, const RunOptions& options) {
  EnergyRun out;
  const std::vector<double> p = model.default_physical();
  SignalEvaluator<double> signals(model);
  double start = 0;
  Simulator simulator(model, options);
  out.report = simulator.run(p, [&](const StepState<double>& x) {
    signals.evaluate(p, x.t, in(x.q), in(x.v), in(x.a), in(x.lambda));
    const double energy = signals.signal(1);
    if (x.t == 0) start = energy;
    out.largest_error = std::max(out.largest_error, std::abs(energy - start));
    return true;
  });
  return out;
}

RunOptions options_with(const std::string& coordinates, double step, double end) {
  RunOptions options;
  options.coordinates = coordinates;
  options.step = step;
  options.end = end;
  return options;
}

/// The error of the trapezoidal rule where no step ends beside a singular position is 137 h² J for two
/// windows, measured at ten step sizes.
TEST(SingularSteps, EnergyErrorFallsWithTheSquareOfTheStep) {
  const std::string text = test::four_bar_windows(2);
  for (const std::string coordinates : {"joint-com", "cartesian", "natural"}) {
    const Model model = test::model_of(text, coordinate_set_named(coordinates));
    const bool joints = coordinates == "joint-com";
    // 0.65 ms stopped dead; 0.3 ms was ten times off
    for (const double h : {2e-4, 3e-4, 6.5e-4, 7.3e-4, 9e-4, 1.1e-3, 1.7e-3, 2.9e-3, 4.1e-3, 5e-3}) {
      if (!joints && h < 6e-4) continue;  // time
      const EnergyRun run = energy_of(model, options_with(coordinates, h, joints ? 10 : 3));
      EXPECT_TRUE(run.report.done()) << coordinates << " " << h << ": " << run.report.message;
      EXPECT_LE(run.largest_error, 2 * 137 * h * h) << coordinates << " " << h;
    }
  }
}

TEST(SingularSteps, ManyLoopsPassAtEveryStepSize) {
  const Model model = test::model_of(test::four_bar_windows(40));
  for (const double h : {1.1e-3, 1.7e-3, 2.3e-3, 3.1e-3}) {
    const EnergyRun run = energy_of(model, options_with("joint-com", h, 1));
    EXPECT_TRUE(run.report.done()) << h << ": " << run.report.message;
  }
}

}  // namespace
}  // namespace kinegrad

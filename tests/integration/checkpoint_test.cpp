// A bound on the memory changes no bit of an adjoint gradient.
#include <gtest/gtest.h>

#include "kinegrad/base/error.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/trajectory.hpp"
#include "support/closed_loops.hpp"

namespace kinegrad {
namespace {

GradientReport adjoint(const Model& model, const std::string& formulation,
                       const std::string& integrator, double step, double end, std::size_t memory) {
  GradientOptions options;
  options.method = "adjoint";
  options.memory = memory;
  options.run.formulation = formulation;
  options.run.integrator = integrator;
  options.run.step = step;
  options.run.end = end;
  options.run.details.tolerance = 1e-8;
  const VecX rho = model.default_rho();
  return gradient(model, {rho.data(), std::size_t(rho.size())}, options);
}

/// Matrix R chooses its coordinates anew on the way of the disc, which a checkpoint must remember.
TEST(Checkpoints, TheSameBitsWithLittleMemory) {
  const struct {
    const char *example, *formulation, *integrator;
    double step, end;
  } runs[] = {{"five_bar", "ali3p", "trapezoidal", 1e-3, 0.3},
              {"rolling_disc", "matrix-r", "trapezoidal", 2e-3, 0.6},
              {"rolling_disc", "matrix-r", "dopri5", 1e-2, 0.6},
              {"slider_crank", "matrix-r", "generalized-alpha", 2e-3, 0.4},
              {"double_pendulum", "semi-recursive", "rk4", 2e-3, 0.5}};
  for (const auto& run : runs) {
    SCOPED_TRACE(std::string(run.example) + " " + run.formulation + " " + run.integrator);
    const Model model = test::example(run.example);
    const auto at = [&](std::size_t memory) {
      return adjoint(model, run.formulation, run.integrator, run.step, run.end, memory);
    };
    const GradientReport all = at(0), some = at(60'000);
    ASSERT_EQ(all.status, RunStatus::kDone) << all.message;
    ASSERT_EQ(some.status, RunStatus::kDone) << some.message;
    EXPECT_TRUE(all.gradient == some.gradient) << all.gradient - some.gradient;
  }
}

/// A step that was rejected leaves nothing behind, else steps made again would not be the same.
TEST(Checkpoints, RejectedStepsAreForgotten) {
  const Model model = test::example("heavy_top");
  GradientOptions options;
  options.run.formulation = "matrix-r";
  options.run.integrator = "dopri5";
  options.run.details.tolerance = 1e-6;
  options.run.step = 1e-3;  // of the samples
  options.run.end = 0.2;
  const VecX rho = model.default_rho();
  const auto at = [&](const char* method, std::size_t memory) {
    options.method = method;
    options.memory = memory;
    const GradientReport report = gradient(model, {rho.data(), std::size_t(rho.size())}, options);
    EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
    return report;
  };
  const GradientReport all = at("adjoint", 0), some = at("adjoint", 20'000);
  EXPECT_GT(all.run.rejected_steps, 0);
  EXPECT_TRUE(all.gradient == some.gradient) << all.gradient - some.gradient;
  EXPECT_EQ(all.values, some.values);
  const GradientReport complex = at("complex-step", 0);
  const double scale = complex.gradient.cwiseAbs().maxCoeff();
  EXPECT_LE((complex.gradient - all.gradient).cwiseAbs().maxCoeff(), 1e-9 * scale);
}

TEST(Checkpoints, TooLittleMemoryIsSaid) {
  const Model model = test::example("five_bar");
  try {
    adjoint(model, "ali3p", "trapezoidal", 1e-3, 1, 10'000);
    FAIL() << "no complaint";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("too small to go back through 1001 steps"),
              std::string::npos)
        << error.what();
  }
}

/// Fifty thousand steps of a pendulum in 400 kB.
TEST(Checkpoints, ThinningKeepsTheBound) {
  const Model model = test::example("pendulum");
  RunOptions options;
  options.formulation = "semi-recursive";
  options.step = 1e-3;
  options.end = 50;
  Simulator simulator(model, options);
  Trajectory trajectory;
  constexpr std::size_t kBytes = 400'000;
  trajectory.limit(kBytes);
  StepPlan plan;
  const std::vector<double> p = model.default_physical();
  const RunReport report = simulator.run(
      p, [](const StepState<double>&) { return true; }, &plan, &trajectory);
  ASSERT_TRUE(report.done());
  EXPECT_FALSE(trajectory.complete());
  EXPECT_EQ(trajectory.size(), 50'000u);
  EXPECT_LE(trajectory.peak_bytes(), kBytes);
  EXPECT_LE(trajectory.least_bytes(), kBytes);
  TrajectoryReader reader(trajectory, model, simulator.options(), p, plan);
  const StepRecord last = reader.record(trajectory.size() - 1);
  EXPECT_EQ(last.x1->q, trajectory.last().q);
  EXPECT_EQ(last.x1->t, 50);
}

}  // namespace
}  // namespace kinegrad

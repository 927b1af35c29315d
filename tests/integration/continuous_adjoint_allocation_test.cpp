// No heap allocation inside the steps of the continuous adjoint, once its workspaces have their size:
// every example with objectives × formulation × integrator × approach, with the steps of the run and
// with its own.
#include <gtest/gtest.h>

#include "support/allocation_counter.hpp"
#include "support/closed_loops.hpp"
#include "support/example_runs.hpp"
#include "support/refusals.hpp"

namespace kinegrad {
namespace {

/// What the steps backwards asked for, the first two apart.
struct Marched {
  GradientReport report;
  std::string refusal;
  int steps = -1;
  std::int64_t allocations = 0;
};

Marched march(const Model& model, const GradientOptions& options) {
  Marched out;
  std::int64_t before = 0;
  const AllocationCounter counter;
  const GradientWatch watch = [&](std::string_view what, double) {
    if (what != "continuous adjoint") return true;
    if (++out.steps == 2) before = counter.count();
    out.allocations = counter.count() - before;
    return true;
  };
  const VecX rho = model.default_rho();
  out.refusal =
      test::refusal([&] { out.report = gradient(model, test::view(rho), options, watch); });
  return out;
}

/// Marches that are refused are left out; the number of all others.
int expect_none(const test::ExampleRun& run, CoordinateSet set) {
  int marches = 0;
  const Model model = test::example(run.name, set);
  for (const test::Method& method : test::methods_for(model, ReferencePoint::kCom)) {
    for (const int approach : {1, 2}) {
      for (const double ratio : {0.0, 0.7}) {  // 0: the steps of the run
        if (ratio == 0 && has_adaptive_steps(method.integrator, StepSizes::kUsual)) {
          continue;  // which makes too few
        }
        if (method.formulation == "index3" &&
            has_adaptive_steps(method.integrator, StepSizes::kUsual)) {
          continue;  // whose speeds, not projected, cannot meet the tolerance at any step
        }
        if (method.formulation == "fully-recursive" &&
            test::has_stiff_contact(run.name)) {
          continue;  // it stops short of 1e-13: a second run
        }
        SCOPED_TRACE(std::string(run.name) + ": " + method.name() + ", approach " +
                     std::to_string(approach) + ", " + std::to_string(ratio));
        GradientOptions options;
        options.method = "continuous-adjoint";
        options.run.coordinates = coordinate_set_name(set);
        options.run.formulation = method.formulation;
        options.run.integrator = method.integrator;
        options.run.step = run.step;
        options.run.end = std::max(run.end, 6 * run.step);
        options.adjoint_approach = approach;
        options.adjoint_step = ratio * run.step;
        const Marched marched = march(model, options);
        if (marched.report.input_wrong()) continue;  // kinematic, where motion is left
        if (marched.refusal != "not refused") {
          const bool reads = marched.refusal.find("reads reactions") != std::string::npos;
          EXPECT_TRUE(approach == 1 || reads) << marched.refusal;
          continue;
        }
        EXPECT_EQ(marched.report.status, RunStatus::kDone) << marched.report.message;
        EXPECT_GE(marched.steps, 5);
        EXPECT_EQ(marched.allocations, 0);
        ++marches;
      }
    }
  }
  return marches;
}

TEST(ContinuousAdjointAllocation, NoneInItsSteps) {
  int marches = 0;
  for (const test::ExampleRun& run : test::kExampleRuns) {
    marches += expect_none(run, CoordinateSet::kJoint);
  }
  EXPECT_GE(marches, 900);
}

TEST(ContinuousAdjointAllocation, NoneInGlobalCoordinates) {
  int marches = 0;
  for (const CoordinateSet set : {CoordinateSet::kCartesian, CoordinateSet::kNatural}) {
    for (const test::ExampleRun& run : test::kExampleRuns) {
      const std::string name = run.name;
      if (name != "five_bar" && name != "slider_crank" && name != "rolling_disc") continue;
      marches += expect_none(run, set);
    }
  }
  EXPECT_GE(marches, 300);
}

/// Independent coordinates that change on the way, rows on speeds alone among theirs.
TEST(ContinuousAdjointAllocation, NoneWhenCoordinatesAreChosenAnew) {
  const Model model = test::example("rolling_disc");
  GradientOptions options;
  options.method = "continuous-adjoint";
  options.run.formulation = "matrix-r";
  options.run.step = 1e-3;
  options.run.end = 0.5;
  const Marched marched = march(model, options);
  EXPECT_EQ(marched.report.status, RunStatus::kDone) << marched.report.message;
  EXPECT_EQ(marched.steps, 500);
  EXPECT_EQ(marched.allocations, 0);
}

}  // namespace
}  // namespace kinegrad

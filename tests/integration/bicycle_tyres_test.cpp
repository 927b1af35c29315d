// The bicycle of examples/bicycle_tyres.yaml: sizes, gradients in every coordinate set and formulation, a fall to its end, and the
// beginning of the optimal control.
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/optimization/design.hpp"
#include "kinegrad/optimization/optimize.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/signal_table.hpp"
#include "support/closed_loops.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

ModelDescription bicycle() {
  return read_model_yaml(test::source_path("examples/bicycle_tyres.yaml"));
}

/// Some values of both torques, the slip and masses, of a run that has left the straight line.
TEST(BicycleTyres, GradientsAgreeInAllFormulations) {
  ModelDescription description = bicycle();
  set_parameter(description, "handle", "0.3");
  for (const std::string coordinates : {"joint-com", "joint-origin", "cartesian", "natural"}) {
    const Model model =
        compile_model(description, builtin_catalogue(), coordinate_set_named(coordinates));
    const VecX rho = model.default_rho();
    for (const char* formulation : {"ali3p", "matrix-r", "index1", "fully-recursive"}) {
      const bool joint = coordinates.starts_with("joint");
      if (std::string(formulation) == "fully-recursive" && !joint) continue;
      SCOPED_TRACE(coordinates + " " + formulation);
      GradientOptions options;
      options.run.coordinates = coordinates;
      options.run.formulation = formulation;
      options.run.step = 1e-2;
      options.run.end = 0.2;
      options.parameters = {0, 1, 15, 16, 17, 18, 32, 33, 35, 36};
      options.method = "complex-step";
      const GradientReport expected = gradient(model, in(rho), options);
      ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
      for (const char* method : {"forward", "adjoint"}) {
        options.method = method;
        const GradientReport actual = gradient(model, in(rho), options);
        ASSERT_EQ(actual.status, RunStatus::kDone) << actual.message;
        EXPECT_LE(test::gradient_distance(model, expected, actual), 1e-8) << method;
      }
    }
  }
}

/// A handlebar that is pulled round: the bicycle falls, rolls on the sphere that keeps it off the road, and the run goes on to its end.
TEST(BicycleTyres, AFallIsSimulatedToTheEnd) {
  ModelDescription description = bicycle();
  set_parameter(description, "handle", "5");
  const Model model = compile_model(description);
  RunOptions options;
  options.step = 5e-3;
  options.end = 10;
  const SignalTable table = simulate(model, model.default_rho(), options);
  ASSERT_TRUE(table.report.done()) << table.report.message;
  EXPECT_GE(table.column("lean").cwiseAbs().maxCoeff(), 1) << "it should have fallen";
  EXPECT_EQ(table.column("t").tail(1)(0), 10);
}

/// Two seconds by two horizons: the cost falls to a part of the start's.
TEST(BicycleTyres, ControlBegins) {
  ModelDescription description = bicycle();
  description.optimize.horizons = {NumberSpec(1.0)};
  const Model model = compile_model(description);
  DesignOptions options;
  options.run.step = 1e-2;
  options.run.end = 2;
  options.evaluations = 25;
  const Design design = make_design(model, options);
  EXPECT_EQ(design.problem.parameters.size(), 32u);
  const OptimizationReport report =
      optimize(design.problem, design.options, design_evaluator(model, design));
  const StartReport& winner = report.winner();
  ASSERT_TRUE(winner.best.known) << winner.message;
  EXPECT_EQ(winner.best.stage, 1);
  EXPECT_LE(winner.best.cost, 0.2 * winner.start.cost);
}

}  // namespace
}  // namespace kinegrad

// The bicycle of examples/bicycle_tyres.yaml: sizes, gradients in every coordinate set and formulation, a fall to its end, and the
// beginning of the optimal control.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>

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

/// A bicycle that leaves the straight line.
ModelDescription pulled() {
  ModelDescription description = bicycle();
  set_parameter(description, "handle", "0.3");
  return description;
}

GradientOptions run(const std::string& coordinates, const std::string& formulation, double step,
                    double end) {
  GradientOptions options;
  options.run.coordinates = coordinates;
  options.run.formulation = formulation;
  if (formulation == "index3") options.run.integrator = "generalized-alpha";  // the trapezoidal rule does not take it
  options.run.step = step;
  options.run.end = end;
  return options;
}

/// Forward and adjoint against the complex step.
void expect_gradients(const Model& model, GradientOptions options) {
  const VecX rho = model.default_rho();
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

/// All parameters in joint coordinates; some values of both torques, the slip and masses in the others, whose steps take a hundred times as long.
TEST(BicycleTyres, GradientsAgreeInAllFormulations) {
  for (const std::string coordinates : {"joint-com", "joint-origin", "cartesian", "natural"}) {
    const Model model =
        compile_model(pulled(), builtin_catalogue(), coordinate_set_named(coordinates));
    const bool joint = coordinates.starts_with("joint");
    for (const std::string formulation : {"ali3p", "matrix-r", "index1", "index3", "penalty",
                                          "semi-recursive", "fully-recursive"}) {
      if (formulation.ends_with("recursive") && !joint) continue;
      SCOPED_TRACE(coordinates + " " + formulation);
      GradientOptions options = run(coordinates, formulation, 1e-2, 0.2);
      if (!joint) options.parameters = {0, 1, 15, 16, 17, 18, 32, 33, 35, 36};
      expect_gradients(model, options);
    }
  }
}

/// The two methods that are not exact: differences find what they can, the continuous adjoint comes nearer with the square of its step.
TEST(BicycleTyres, DifferencesAndTheContinuousAdjointAgree) {
  const Model model = compile_model(pulled());
  const VecX rho = model.default_rho();
  GradientOptions options = run("joint-com", "ali3p", 5e-3, 0.2);
  options.run.details.tolerance = 1e-12;  // differences magnify what Newton's method leaves
  const GradientReport exact = gradient(model, in(rho), options);
  options.method = "finite-difference";
  EXPECT_LE(test::gradient_distance(model, exact, gradient(model, in(rho), options)), 1e-5);
  options.method = "continuous-adjoint";
  double distance[2];
  for (int k = 0; k < 2; ++k) {
    options.run.step = 5e-3 / (1 + k);
    options.method = "adjoint";
    const GradientReport expected = gradient(model, in(rho), options);
    options.method = "continuous-adjoint";
    distance[k] = test::gradient_distance(model, expected, gradient(model, in(rho), options));
  }
  EXPECT_NEAR(std::log2(distance[0] / distance[1]), 2, 0.5) << distance[1];
}

/// The file with so many nodes of each of the two torques.
ModelDescription with_nodes(int nodes) {
  std::ifstream file(test::source_path("examples/bicycle_tyres.yaml"));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string old = "count: 16", changed = "count: " + std::to_string(nodes);
  for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += changed.size()) {
    text.replace(at, old.size(), changed);
  }
  return parse_model_yaml(text, "bicycle_tyres.yaml");
}

/// A ride of ten seconds with 100 to 1000 values, some of which are looked at.
TEST(BicycleTyres, SplinesMayHaveManyNodes) {
  for (const int nodes : {50, 100, 250, 500}) {
    SCOPED_TRACE(nodes);
    const Model model = compile_model(with_nodes(nodes));
    EXPECT_EQ(model.parameters()[static_cast<std::size_t>(2 * nodes)].name, "v");
    GradientOptions options = run("joint-com", "ali3p", 2e-2, 10);
    options.parameters = {0, nodes / 2, nodes - 1, nodes + nodes / 3};
    expect_gradients(model, options);
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

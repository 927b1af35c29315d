// A model's optimisation as a problem.
#include "kinegrad/optimization/design.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/model/model_builder.hpp"
#include "support/pulled_block.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

Model block_with(const std::string& section) {
  return compile_model(parse_model_yaml(test::kPulledBlock + section, "block"));
}

DesignOptions short_run() {
  DesignOptions options;
  options.run.step = 0.1;
  options.run.end = 1;
  return options;
}

const std::function<bool()> kGoOn = [] { return true; };

TEST(Design, RowsAreTheObjectivesThatAreNeeded) {
  const Model model = block_with(
      "optimize: {minimize: {far: 2, effort: 1}, constraints: {effort: {at_most: 9}, place: "
      "{equals: 1}}}\n");
  const Design design = make_design(model, short_run());
  EXPECT_EQ(design.problem.rows, (std::vector<std::string>{"far", "effort", "place"}));
  EXPECT_EQ(design.problem.constraints[0].row, 1) << "once, though it is cost and constraint";
  EXPECT_EQ(design.problem.parameters, (std::vector<std::string>{"F", "m"})) << "all with bounds";
  EXPECT_EQ(design.options.optimizer, "slsqp");
  EXPECT_EQ(design.gradient.method, "adjoint");
}

TEST(Design, EvaluatorGivesTheClosedForms) {
  const Model model = block_with("optimize: {minimize: place, parameters: [F]}\n");
  const Design design = make_design(model, short_run());
  const VecX F = VecX::Constant(1, 3.0);
  const Evaluation at = design_evaluator(model, design)({F, 0, kGoOn});
  ASSERT_TRUE(at.usable()) << at.failure;
  EXPECT_NEAR(at.psi(0), 0.75, 1e-12);
  EXPECT_NEAR(at.psi_rho(0, 0), 0.25, 1e-12);
  EXPECT_EQ(design.full_rho(F), (std::vector<double>{3, 2}));
}

TEST(Design, AskedToStopItSaysNothing) {
  const Model model = block_with("optimize: {minimize: place, parameters: [F]}\n");
  const Design design = make_design(model, short_run());
  const VecX F = VecX::Constant(1, 3.0);
  const std::function<bool()> stop = [] { return false; };
  EXPECT_TRUE(design_evaluator(model, design)({F, 0, stop}).stopped);
}

TEST(Design, HorizonsEndWithTheRun) {
  const Model model =
      block_with("optimize: {minimize: place, parameters: [F], horizons: [0.2, 0.5]}\n");
  DesignOptions options = short_run();
  EXPECT_EQ(make_design(model, options).horizons, (std::vector<double>{0.2, 0.5, 1}));
  options.run.end = 0.5;
  EXPECT_EQ(make_design(model, options).horizons, (std::vector<double>{0.2, 0.5}));
  options.run.end = 0.3;
  EXPECT_THROW(make_design(model, options), InvalidModel);
}

/// [OP-7] Sixteenths of the way from one horizon to the next.
TEST(Design, HorizonsBetweenAreEvenlySpaced) {
  const Model model =
      block_with("optimize: {minimize: place, parameters: [F], horizons: [0.2, 0.5]}\n");
  const Design design = make_design(model, short_run());
  EXPECT_EQ(design.horizon_of(1), 0.5);
  EXPECT_NEAR(design.horizon_of(design.problem.stage_at(0, 4)), 0.05, 1e-15);
  EXPECT_NEAR(design.horizon_of(design.problem.stage_at(1, 8)), 0.35, 1e-15);
  EXPECT_NEAR(design.horizon_of(design.problem.stage_at(2, 15)), 0.5 + 0.5 * 15 / 16, 1e-15);
}

TEST(Design, MassesThatCannotBeAreNamed) {
  const Model model = block_with("");
  std::vector<double> p = model.default_physical();
  EXPECT_EQ(impossible_masses(model, p), "");
  const MassBlock& mass = model.bodies()[1].mass;
  p[static_cast<std::size_t>(mass.inertia)] = 3;  // xx above yy + zz
  EXPECT_THAT(impossible_masses(model, p), HasSubstr("\"block\": impossible inertia"));
  p = model.default_physical();
  p[static_cast<std::size_t>(mass.mass)] = std::nan("");
  EXPECT_THAT(impossible_masses(model, p), HasSubstr("\"block\": the mass is not finite"));
}

TEST(Design, MethodFollowsTheNumbers) {
  EXPECT_EQ(cheaper_method(2, 1), "adjoint");
  EXPECT_EQ(cheaper_method(1000, 3), "adjoint");
  EXPECT_EQ(cheaper_method(1, 4), "forward");
  EXPECT_EQ(cheaper_method(2, 10), "forward");
}

TEST(Design, WrongPairsAreRefusedBeforeAnythingRuns) {
  const Model model = block_with("optimize: {minimize: place, parameters: [F]}\n");
  DesignOptions options = short_run();
  options.method = "magic";
  EXPECT_THROW(make_design(model, options), InvalidArgument);
  options = short_run();
  options.run.start = "equilibrium";
  options.run.only_start = true;  // nothing moves
  options.method = "continuous-adjoint";
  EXPECT_THROW(make_design(model, options), InvalidArgument);
  options = short_run();
  options.run.end = 0;
  EXPECT_THROW(make_design(model, options), InvalidArgument);
}

/// The same section from C++.
TEST(Design, BuilderTakesASection) {
  ModelBuilder builder;
  BodySpec block;
  block.name = "block";
  block.mass = "m";
  block.inertia.emplace();
  block.inertia->xx = block.inertia->yy = block.inertia->zz = 1;
  OptimizeSpec spec;
  spec.minimize = {{"place", 1}};
  spec.parameters = {"m"};
  spec.constraints = {{"speed", 0.1, {}, {}}};
  builder.parameter("m", 2, "kg", 0.5, 5)
      .body(block)
      .prismatic("rail", "ground", "block", {0, 0, 0}, "x")
      .terminal_objective("place", "rail.q")
      .terminal_objective("speed", "rail.v")
      .optimize(spec);
  const Model model = builder.build();
  ASSERT_EQ(model.optimize().constraints.size(), 1u);
  EXPECT_EQ(model.optimize().constraints[0].lower, 0.1);
  EXPECT_EQ(model.optimize().parameters, std::vector<int>{0});
}

}  // namespace
}  // namespace kinegrad

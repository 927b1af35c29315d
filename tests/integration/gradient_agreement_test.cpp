// Level L4 of the derivative ladder: forward = adjoint = complex step of the same discretisation, every
// example × formulation × integrator × reference point that go together.
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/sensitivity/gradient.hpp"
#include "support/closed_loops.hpp"
#include "support/example_runs.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

/// Of the largest |ρ ∂ψ/∂ρ| of an objective.
constexpr double kAgreement = 1e-9;

/// Accelerations and multipliers that index3 ends a step with carry the rounding of positions over (hγ)², and the last of
/// adaptive steps may be as short as 0.1 ms: 2e-16/(2.5e-5)² = 3e-7. With fixed steps the distance falls with h². The
/// projections of ali3p take most of that away; its reactions keep a hundredth.
double agreement_of(const test::Method& method) {
  if (!method.integrator.starts_with("esdirk")) return kAgreement;
  if (method.formulation == "ali3p") return 5e-9;
  return method.formulation == "index3" ? 5e-6 : kAgreement;
}

using Example = test::ExampleRun;

GradientReport by(const Model& model, const test::Method& method, const Example& example,
                  const std::string& name) {
  GradientOptions options;
  options.method = name;
  options.run.coordinates = std::string(coordinate_set_name(method.point));
  options.run.formulation = method.formulation;
  options.run.integrator = method.integrator;
  options.run.step = example.step;
  options.run.end = example.end;
  options.run.details = method.details;
  options.run.constraints = method.constraints;
  const VecX rho = model.default_rho();
  return gradient(model, {rho.data(), std::size_t(rho.size())}, options);
}

void expect_agreement(const Model& model, const Example& example) {
  ASSERT_FALSE(model.objectives().empty());
  int pairs = 0;
  for (const ReferencePoint point : test::kBothPoints) {
    IntegratorOptions details;
    details.tolerance = 1e-13;
    for (test::Method method : test::methods_for(model, point, details)) {
      if (has_adaptive_steps(method.integrator, StepSizes::kUsual)) {
        method.details.tolerance = 1e-6;  // a handful of steps
      }
      // above 1e8 the penalty formulation loses digits, its derivatives as well
      if (method.formulation == "penalty") method.constraints.penalty = 1e7;
      SCOPED_TRACE(method.name());
      const GradientReport expected = by(model, method, example, "complex-step");
      if (expected.run.input_wrong) continue;  // kinematic, where motion is left
      ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
      for (const char* name : {"forward", "adjoint"}) {
        const GradientReport actual = by(model, method, example, name);
        ASSERT_EQ(actual.status, RunStatus::kDone) << name << ": " << actual.message;
        EXPECT_LE(test::gradient_distance(model, expected, actual), agreement_of(method)) << name;
      }
      ++pairs;
    }
  }
  EXPECT_GE(pairs, 10);
}

class GradientAgreement : public testing::TestWithParam<Example> {};

TEST_P(GradientAgreement, ForwardAdjointAndComplexStepAreOne) {
  expect_agreement(test::example(GetParam().name), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Examples, GradientAgreement, testing::ValuesIn(test::kExampleRuns),
                         [](const auto& example) { return std::string(example.param.name); });

/// Objectives that read forces, energies and a cut joint, in a loop without redundant rows.
TEST(GradientAgreementOfObjectives, ReactionsEnergiesAndCutJoints) {
  ModelDescription d = read_model_yaml(test::source_path("examples/slider_crank.yaml"));
  const auto add = [&](const char* name, const char* integral, const char* terminal) {
    ObjectiveSpec objective;
    objective.name = name;
    objective.integral = NumberSpec(integral);
    objective.terminal = NumberSpec(terminal);
    d.objectives.push_back(objective);
  };
  add("forces", "reaction(B, fx)^2 + reaction(C, ty)^2", "reaction(crank, tx)*reaction(slide, fz)");
  add("energies", "kinetic_energy^2", "energy - potential_energy^2");
  add("coordinates", "B.q1*B.v2 + B.a3^2", "C.q1 + C.v2 + C.a1");
  const Model model = compile_model(d);
  ASSERT_TRUE(model.joints()[std::size_t(model.find_joint("B"))].cut);
  expect_agreement(model, {"slider_crank", 5e-3, 0.02});
}

}  // namespace
}  // namespace kinegrad

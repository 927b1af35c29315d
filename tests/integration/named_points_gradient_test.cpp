// Gradients of runs that integrate components of points: forward = adjoint = complex step of the same
// discretisation [ST-8] to [ST-10], [SD-3], and the continuous adjoint tends to the gradient of the motion.
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "support/closed_loops.hpp"
#include "support/gradient_distance.hpp"
#include "support/named_coordinates.hpp"

namespace kinegrad {
namespace {

/// Of the largest |ρ ∂ψ/∂ρ| of an objective.
constexpr double kAgreement = 1e-9;

struct Setting {
  std::string coordinates, integrator;
  double step, end;
};

GradientOptions options_of(const std::string& method, const Setting& setting) {
  GradientOptions options;
  options.method = method;
  options.run.coordinates = setting.coordinates;
  options.run.formulation = "matrix-r";
  options.run.integrator = setting.integrator;
  options.run.step = setting.step;
  options.run.end = setting.end;
  // dopri5: a handful of steps
  options.run.details.tolerance =
      has_adaptive_steps(setting.integrator, StepSizes::kUsual) ? 1e-6 : 1e-13;
  return options;
}

GradientReport by(const Model& model, const GradientOptions& options) {
  const VecX rho = model.default_rho();
  return gradient(model, {rho.data(), std::size_t(rho.size())}, options);
}

void expect_agreement(const Model& model, const Setting& setting) {
  SCOPED_TRACE(setting.coordinates + " × " + setting.integrator);
  const GradientReport expected = by(model, options_of("complex-step", setting));
  ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
  for (const char* method : {"forward", "adjoint"}) {
    const GradientReport actual = by(model, options_of(method, setting));
    ASSERT_EQ(actual.status, RunStatus::kDone) << method << ": " << actual.message;
    EXPECT_LE(test::gradient_distance(model, expected, actual), kAgreement) << method;
  }
}

class NamedPointsGradient : public testing::TestWithParam<test::NamedCase> {};

TEST_P(NamedPointsGradient, ForwardAdjointAndComplexStepAreOne) {
  const test::NamedCase& c = GetParam();
  const Model model = test::naming(c.description(), c.names);
  for (const char* coordinates : {"joint-com", "joint-origin"}) {
    for (const NamedChoice& integrator : integrators()) {
      expect_agreement(model, {coordinates, std::string(integrator.name), c.step, c.end});
    }
  }
}

TEST_P(NamedPointsGradient, InGlobalCoordinates) {
  const test::NamedCase& c = GetParam();
  for (const auto& [set, name] :
       {std::pair{CoordinateSet::kCartesian, "cartesian"}, {CoordinateSet::kNatural, "natural"}}) {
    const Model model = test::naming(c.description(), c.names, set);
    for (const char* integrator : {"trapezoidal", "generalized-alpha", "rk4"}) {
      expect_agreement(model, {name, integrator, c.step, c.end});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, NamedPointsGradient, testing::ValuesIn(test::named_cases()),
                         [](const auto& c) { return std::string(c.param.name); });

/// No constraints at all, and Φ_t that is not zero.
TEST(NamedPointsGradients, OpenChainsAndDrives) {
  const Model chain = test::naming("double_pendulum", {"J1.q", "tip.x"});
  ModelDescription driven = test::five_bar_with_point();
  ConstraintSpec& drive = driven.constraints.emplace_back();
  drive.name = "drive";
  drive.type = NameSpec("prescribed");
  drive.numbers["coordinate"] = {NumberSpec("A.q")};
  drive.numbers["value"] = {NumberSpec("A_0 + w_0*t + 2*x_Q*t^2")};
  std::erase_if(driven.initial, [](const InitialSpec& x) { return x.key.name.starts_with("A."); });
  const Model five_bar = test::naming(driven, {"Q.y"});
  for (const NamedChoice& integrator : integrators()) {
    const std::string name(integrator.name);
    expect_agreement(chain, {"joint-com", name, 1e-2, 0.1});
    expect_agreement(five_bar, {"joint-com", name, 5e-3, 0.05});
  }
}

/// A constraint that reads Euler parameters: η is not zero, and normalisations are among the pivots.
TEST(NamedPointsGradients, ConstraintsOnEulerParameters) {
  const ModelDescription top = parse_model_yaml(R"(
name: top
parameters: {l: {value: 1}, m: {value: 2}, c: {value: 0.4}}
bodies:
  top: {mass: m, com: [0, l, 0.1], inertia: [0.2, 0.1, 0.2], points: {G: [0.2*l, l, 0.1]}}
joints:
  S: {type: spherical, bodies: [ground, top], points: [[0, 0, 0], [0, 0, 0]]}
constraints:
  c: {type: expression, expression: S.q2 - c*S.q3*S.q1}
forces:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
objectives:
  all: {integral: G.x^2 + G.vz + S.q1*S.a3, terminal: "reaction(S, fx) + G.ay"}
analysis: {step: 0.01, end: 0.1}
)",
                                                "top");
  const Model model = test::naming(top, {"G.x", "G.z"});
  for (const NamedChoice& integrator : integrators()) {
    expect_agreement(model, {"joint-com", std::string(integrator.name), 5e-3, 0.05});
  }
}

/// What does not fit into the memory is run again, to the same bits.
TEST(NamedPointsGradients, CheckpointsToo) {
  const Model model = test::naming(test::five_bar_with_point(), {"A.q", "Q.x"});
  for (const char* integrator : {"generalized-alpha", "rk4"}) {
    for (const char* method : {"forward", "adjoint"}) {
      GradientOptions options = options_of(method, {"joint-com", integrator, 5e-3, 0.1});
      const GradientReport whole = by(model, options);
      ASSERT_EQ(whole.status, RunStatus::kDone) << whole.message;
      options.memory = 30'000;
      const GradientReport small = by(model, options);
      EXPECT_TRUE(small.gradient == whole.gradient) << integrator << " " << method;
    }
  }
}

/// Forward and adjoint of a start that complex step does not take.
TEST(NamedPointsGradients, EquilibriumStarts) {
  const Model model = test::naming("five_bar_equilibrium", {"P2.x", "P2.y"});
  for (const char* integrator : {"trapezoidal", "rk4"}) {
    const Setting setting{"joint-com", integrator, 5e-3, 0.05};
    const GradientReport forward = by(model, options_of("forward", setting)),
                         adjoint = by(model, options_of("adjoint", setting));
    ASSERT_EQ(forward.status, RunStatus::kDone) << forward.message;
    ASSERT_EQ(adjoint.status, RunStatus::kDone) << adjoint.message;
    EXPECT_LE(test::gradient_distance(model, forward, adjoint), kAgreement) << integrator;
  }
}

/// Second order in its own step, towards the forward gradient of rk4 with a step of 0.5 ms, h⁴ = 6e-14.
/// Joints are here as well: their choice is kept by the same formulation.
TEST(NamedPointsGradients, ContinuousAdjointIsOfSecondOrder) {
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"P2.x", "P2.y"}, {"A.q", "Q.x"}, {"A.q", "J1.q"}}) {
    SCOPED_TRACE(names.front() + ", " + names.back());
    const Model model = test::naming(test::five_bar_with_point(), names);
    const Setting fine{"joint-com", "rk4", 5e-4, 0.2};
    const GradientReport expected = by(model, options_of("forward", fine));
    ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
    const auto distance = [&](double step) {
      GradientOptions options = options_of("continuous-adjoint", fine);
      options.adjoint_step = step;
      const GradientReport report = by(model, options);
      EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
      return test::gradient_distance(model, expected, report);
    };
    const double coarse = distance(4e-3), half = distance(2e-3);
    EXPECT_NEAR(std::log2(coarse / half), 2, 0.15) << coarse << ", then " << half;
    EXPECT_LT(half, 1e-2);
  }
}

/// Explicit stages look for the coordinates of the tree behind those of points, also where there are as many of both and
/// the turn is beyond half of one.
TEST(NamedPointsGradients, ExplicitStagesBeginWhereTheStepDoes) {
  const auto end_of = [](const std::string& formulation, const std::string& rest) {
    const Model model = compile_model(parse_model_yaml(
        "parameters: {l: 0.7, m: 2, k: 5}\n"
        "bodies:\n"
        "  a: {mass: m, com: [l/2, l/2, 0], inertia: [0.1, 0.2, 0.3], points: {P: [l, l, 0]}}\n"
        "joints: {A: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: z}}\n"
        "forces:\n"
        "  weight: {type: gravity, acceleration: [0, -9.81, 0]}\n"
        "  spring: {type: torsional-spring-damper, joint: A, stiffness: k, angle: 6}\n"
        "initial: {A.q: 6.3}\n"
        "objectives: {x: {terminal: a.P.x}}\n"
        "analysis: {step: 2e-3, end: 0.2" +
            rest + "}\n",
        "pendulum.yaml"));
    GradientOptions options = options_of("adjoint", {"joint-com", "rk4", 2e-3, 0.2});
    options.run.formulation = formulation;
    return by(model, options).values.at(0);
  };
  EXPECT_NEAR(end_of("matrix-r", ", independent: [a.P.x]"), end_of("semi-recursive", ""), 1e-8);
}

}  // namespace
}  // namespace kinegrad

// States of their own and controllers [OS-1], [OS-2]: right, whatever solves for them, and with exact
// gradients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "support/closed_loops.hpp"

namespace kinegrad {
namespace {

using ::testing::HasSubstr;

Model model_of(const std::string& text) { return compile_model(parse_model_yaml(text, "f")); }

/// A mass on a rail, pushed by what `forces` says.
std::string rail(const std::string& rest) {
  return R"(
parameters: {P: {value: 3}, I: {value: 2}, D: {value: 1.5}, T: {value: 0.4}}
bodies:
  block: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}
joints:
  rail: {type: prismatic, bodies: [ground, block], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x], references: [y, y]}
)" + rest;
}

RunReport run_of(const Model& model, const RunOptions& options) {
  Simulator simulator(model, options);
  return simulator.run(model.default_physical(), [](const StepState<double>&) { return true; });
}

double run_to(const Model& model, const RunOptions& options) {
  return run_of(model, options).objectives.at(0);
}

constexpr const char* kFilter = R"(
states: {low: {rate: (sin(t) - low)/T, initial: 0.3}}
initial: {rail.q: 0, rail.v: 1}
objectives: {end: {terminal: low}}
)";

/// ṡ = (sin t − s)/T.
double filtered(double t, double T, double start) {
  const double scale = 1 / (1 + T * T);
  return scale * (std::sin(t) - T * std::cos(t)) + (start + scale * T) * std::exp(-t / T);
}

TEST(States, FilterFollowsItsClosedForm) {
  const Model model = model_of(rail(kFilter));
  RunOptions options;
  options.coordinates = "joint-com";
  options.formulation = "semi-recursive";
  options.integrator = "rk4";
  options.step = 1e-2;
  options.end = 2;
  // (h/T)⁴/120 of a solution of size 1, over five time constants: below 1e-8
  EXPECT_NEAR(run_to(model, options), filtered(2, 0.4, 0.3), 1e-8);
  for (const char* formulation : {"fully-recursive", "matrix-r", "index1", "ali3p"}) {
    options.formulation = formulation;
    options.integrator = formulation == std::string("ali3p") ? "trapezoidal" : "rk4";
    // the trapezoidal rule: h²/(12 T²) of it
    const double most = options.integrator == "rk4" ? 1e-8 : 1e-4;
    EXPECT_NEAR(run_to(model, options), filtered(2, 0.4, 0.3), most) << formulation;
  }
}

constexpr const char* kPid = R"(
controllers: {hold: {error: 1 - rail.q, rate: 0 - rail.v, P: P, I: I, D: D}}
forces: {push: {type: joint-force, joint: rail, value: hold}}
initial: {rail.q: 0, rail.v: 0}
signals: {T_kin: kinetic_energy}
objectives:
  end: {terminal: rail.q}
  memory: {terminal: hold_integral}
  energy: {terminal: kinetic_energy - block.com.vx^2}
  error: {integral: (1 - rail.q)^2 + 0.01*hold^2}
)";

/// m x⃛ = −(D ẍ + P ẋ + I(x − 1)): by its own Runge-Kutta method with small steps.
double third_order(double end) {
  const double m = 2, P = 3, I = 2, D = 1.5;
  using State = std::array<double, 3>;  // x, ẋ, ∫e
  const auto rate = [&](const State& y) {
    const double u = P * (1 - y[0]) + I * y[2] - D * y[1];
    return State{y[1], u / m, 1 - y[0]};
  };
  State y{0, 0, 0};
  const int steps = 20000;
  const double h = end / steps;
  for (int k = 0; k < steps; ++k) {
    const auto at = [&](const State& slope, double c) {
      State z = y;
      for (std::size_t i = 0; i < 3; ++i) z[i] += c * h * slope[i];
      return z;
    };
    const State k1 = rate(y), k2 = rate(at(k1, 0.5)), k3 = rate(at(k2, 0.5)), k4 = rate(at(k3, 1));
    for (std::size_t i = 0; i < 3; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return y[0];
}

TEST(States, PidControllerIsThirdOrder) {
  const Model model = model_of(rail(kPid));
  RunOptions options;
  options.coordinates = "joint-com";
  options.formulation = "semi-recursive";
  options.integrator = "rk4";
  options.step = 1e-2;
  options.end = 3;
  const RunReport report = run_of(model, options);
  ASSERT_TRUE(report.done()) << report.message;
  EXPECT_NEAR(report.objectives[0], third_order(3), 1e-9);
  EXPECT_NEAR(report.objectives[2], 0, 1e-12) << "½ 2 v² is all the energy there is";
}

TEST(States, GradientsByGainsAreExact) {
  const Model model = model_of(rail(kPid));
  const VecX rho = model.default_rho();
  const std::span<const double> at(rho.data(), std::size_t(rho.size()));
  for (const char* formulation : {"semi-recursive", "fully-recursive", "ali3p", "matrix-r"}) {
    GradientOptions options;
    options.run.coordinates = "joint-com";
    options.run.formulation = formulation;
    options.run.integrator = "trapezoidal";
    options.run.step = 1e-2;
    options.run.end = 0.5;
    options.method = "complex-step";
    const GradientReport expected = gradient(model, at, options);
    for (const char* method : {"forward", "adjoint"}) {
      options.method = method;
      const GradientReport actual = gradient(model, at, options);
      ASSERT_EQ(actual.gradient.rows(), 4) << actual.message;
      // L4: 1e-9 of what is compared
      EXPECT_LE((actual.gradient - expected.gradient).norm(), 1e-9 * expected.gradient.norm())
          << formulation << " " << method;
    }
  }
}

TEST(States, LimitIsKept) {
  const Model model = model_of(rail(R"(
controllers: {hold: {error: 100 - rail.q, P: P, limit: 5}}
objectives: {u: {terminal: hold}}
)"));
  RunOptions options;
  options.step = 1e-2;
  options.end = 0.01;
  EXPECT_NEAR(run_to(model, options), 5 * std::tanh(300.0 / 5), 1e-12);
}

TEST(States, DegreesDoNotConcernThem) {
  RunOptions options;
  options.step = 1e-3;
  options.end = 1e-3;
  const std::string text = "states: {s: {rate: 0, initial: 0.7}}\nobjectives: {s: {terminal: s}}\n";
  EXPECT_NEAR(run_to(model_of("degrees: true\n" + rail(text)), options), 0.7, 1e-15);
  EXPECT_NEAR(run_to(model_of(rail(text)), options), 0.7, 1e-15);
}

/// The message that a model ends with.
std::string finding(const std::string& text) {
  try {
    model_of(rail(text));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(States, WrongOnesAreSaid) {
  EXPECT_THAT(finding("controllers: {c: {error: rail.q}}"), HasSubstr("one of the gains"));
  EXPECT_THAT(finding("controllers: {c: {error: rail.q, D: 1}}"), HasSubstr("needs \"rate\""));
  EXPECT_THAT(finding("controllers: {c: {error: rail.q, P: 1, type: lqr}}"), HasSubstr("pid"));
  EXPECT_THAT(finding("states: {s: {initial: 1}}"), HasSubstr("rate"));
  EXPECT_THAT(finding("states: {s: {rate: rail.a}}"), HasSubstr("accelerations"));
  EXPECT_THAT(finding("states: {P: {rate: 1}}"), HasSubstr("same name"));
  EXPECT_THAT(finding("states: {rail: {rate: 1}}"), HasSubstr("a joint has the same name"));
  EXPECT_THAT(finding("states: {block: {rate: 1}}"), HasSubstr("a body has the same name"));
  const Model model = model_of(rail("states: {s: {rate: 1}}"));
  RunOptions rest;
  rest.start = "equilibrium";
  EXPECT_THROW(Simulator(model, rest), InvalidArgument);
}

}  // namespace
}  // namespace kinegrad

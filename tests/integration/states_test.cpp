// States of their own and controllers [OS-1], [OS-2]: right, whatever solves for them, and with exact
// gradients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "support/closed_loops.hpp"
#include "support/gradient_distance.hpp"

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

/// A slider-crank in the plane whose motor reads a state that nothing of the motion enters, and a state
/// that measures the motion. The knife edge turns with ∫u dt: it stands beside rates, so that no reaction
/// acts on the state [OS-3].
constexpr const char* kMachine = R"(
parameters: {T: {value: 0.4}, k: {value: 3}}
points: {O: [0, 0, 0]}
bodies:
  crank: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], points: {P: [1, 0, 0]}}
  rod: {mass: 1, com: [1.5, 0, 0], inertia: [0.01, 0.8, 0.8], points: {Q: [3, 0, 0]}}
  slider: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1], points: {S: [0, 0, 0]}}
joints:
  crank: {type: revolute, bodies: [ground, crank], points: [O, [0, 0, 0]], axes: [z, z], references: [x, x]}
  knee: {type: revolute, bodies: [crank, rod], points: [P, [0, 0, 0]], axes: [z, z], references: [x, x]}
  slide: {type: prismatic, bodies: [ground, slider], points: [O, [0, 0, 0]], axes: [x, x], references: [y, y]}
  pin: {type: revolute, bodies: [rod, slider], points: [Q, S], axes: [z, z], cut: true}
states:
  u: {rate: (sin(t) - u)/T, initial: 0.3}
  w: {rate: crank.v - w}
forces:
  motor: {type: joint-force, joint: crank, value: k*u - u.q - 0.5*w}
  brake: {type: point-force, point: S, force: [-u, 0, 0]}
initial: {crank.q: 1, crank.v: 2, u.q: 0.1}
objectives: {u: {terminal: u}, angle: {terminal: u.q}, w: {terminal: w}, crank: {terminal: crank.q}}
)";

constexpr const char* kSled = R"(
parameters: {T: {value: 0.4}, k: {value: 3}}
bodies:
  sled: {mass: 2, com: [0.1, 0, 0], inertia: [0.2, 0.2, 0.3], points: {C: [0.2, 0, 0]}}
joints:
  plane: {type: planar, bodies: [ground, sled], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}
states:
  u: {rate: (sin(t) - u)/T, initial: 0.3}
  w: {rate: plane.v1 - w}
constraints:
  steer: {type: nonholonomic, expression: sin(plane.q3 + u.q)*C.vx - cos(plane.q3 + u.q)*C.vy}
forces:
  push: {type: joint-force, joint: plane.q1, value: k*u - 0.5*w}
initial: {plane.q: [0, 0, 0.2], plane.v1: 1, plane.v3: 0, u.q: 0.1}
objectives: {u: {terminal: u}, angle: {terminal: u.q}, w: {terminal: w}, x: {terminal: plane.q1}}
)";

/// u alone, beside a mass that nothing pushes: no multiplier exists here.
constexpr const char* kAlone = R"(
states: {u: {rate: (sin(t) - u)/T, initial: 0.3}}
initial: {u.q: 0.1}
objectives: {u: {terminal: u}, angle: {terminal: u.q}}
)";

struct Pair {
  std::string formulation, integrator;
  std::string text() const { return formulation + " × " + integrator; }
};

std::vector<Pair> all_pairs() {
  std::vector<Pair> pairs;
  for (const NamedChoice& formulation : formulations()) {
    for (const NamedChoice& integrator : integrators()) {
      pairs.push_back({std::string(formulation.name), std::string(integrator.name)});
    }
  }
  return pairs;
}

RunOptions short_run(const std::string& coordinates, const Pair& pair) {
  RunOptions options;
  options.coordinates = coordinates;
  options.formulation = pair.formulation;
  options.integrator = pair.integrator;
  options.step = 1e-2;
  options.end = 0.3;
  options.details.tolerance = has_adaptive_steps(pair.integrator, StepSizes::kUsual) ? 1e-9 : 1e-13;
  return options;
}

/// Empty where the choices do not go together.
std::optional<RunReport> tried(const Model& model, const RunOptions& options) {
  try {
    const RunReport report = run_of(model, options);
    if (report.input_wrong) return {};  // kinematic, where motion is left
    return report;
  } catch (const InvalidArgument&) {
    return {};
  }
}

/// Forces and coefficients of rates may read states: u obeys its rate whatever solves for the motion.
void expect_rates_intact(const char* text) {
  const Model alone = model_of(rail(kAlone));
  const ModelDescription description = parse_model_yaml(text, "f");
  int runs = 0;
  for (const char* coordinates : {"joint-com", "joint-origin", "cartesian", "natural"}) {
    const Model model =
        compile_model(description, builtin_catalogue(), coordinate_set_named(coordinates));
    for (const Pair& pair : all_pairs()) {
      const auto report = tried(model, short_run(coordinates, pair));
      if (!report) continue;
      SCOPED_TRACE(coordinates + (" × " + pair.text()));
      ASSERT_TRUE(report->done()) << report->message;
      ++runs;
      Pair by_itself = pair;
      by_itself.formulation = "semi-recursive";
      const RunReport expected = run_of(alone, short_run("joint-com", by_itself));
      // the same steps: what Newton's method leaves open; adaptive ones differ, by their tolerance of
      // each step, and esdirk takes hundreds
      const bool adaptive = has_adaptive_steps(pair.integrator, StepSizes::kUsual);
      const double most = !adaptive ? 1e-11 : pair.integrator == "dopri5" ? 1e-8 : 1e-7;
      EXPECT_NEAR(report->objectives[0], expected.objectives[0], most);
      EXPECT_NEAR(report->objectives[1], expected.objectives[1], most);
    }
  }
  EXPECT_GE(runs, 40);
}

TEST(States, ForcesThatReadThemLeaveTheirRates) { expect_rates_intact(kMachine); }
TEST(States, CoefficientsOfRatesThatReadThemLeaveTheirRates) { expect_rates_intact(kSled); }

/// w = ∫(crank.v − w) dt: all limits are one, to the second order of the worst of the integrators.
TEST(States, StatesThatReadTheMotionHaveOneLimit) {
  for (const char* text : {kMachine, kSled}) {
    const ModelDescription description = parse_model_yaml(text, "f");
    std::optional<double> expected;
    for (const char* coordinates : {"joint-com", "joint-origin", "cartesian", "natural"}) {
      const Model model =
          compile_model(description, builtin_catalogue(), coordinate_set_named(coordinates));
      for (const Pair& pair : all_pairs()) {
        if (pair.integrator == "newmark") continue;  // of first order, but for γ = ½
        RunOptions options = short_run(coordinates, pair);
        options.step = 1e-3;
        options.end = 0.1;
        const auto report = tried(model, options);
        if (!report) continue;
        if (!expected) expected = report->objectives[2];
        // h² times rates of some tens
        EXPECT_NEAR(report->objectives[2], *expected, 3e-5) << coordinates << " × " << pair.text();
      }
    }
  }
}

TEST(States, GradientsOfForcesThatReadThemAreExact) {
  for (const char* text : {kMachine, kSled}) {
    const ModelDescription description = parse_model_yaml(text, "f");
    for (const char* coordinates : {"joint-com", "cartesian", "natural"}) {
      const Model model =
          compile_model(description, builtin_catalogue(), coordinate_set_named(coordinates));
      const VecX rho = model.default_rho();
      for (const Pair& pair : {Pair{"ali3p", "trapezoidal"}, Pair{"matrix-r", "trapezoidal"},
                               Pair{"index1", "rk4"}, Pair{"matrix-r", "rk4"}}) {
        SCOPED_TRACE(coordinates + (" × " + pair.text()));
        GradientOptions options;
        options.run = short_run(coordinates, pair);
        options.run.end = 0.1;
        options.method = "complex-step";
        const GradientReport expected =
            gradient(model, {rho.data(), std::size_t(rho.size())}, options);
        ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
        for (const char* method : {"forward", "adjoint"}) {
          options.method = method;
          const GradientReport actual =
              gradient(model, {rho.data(), std::size_t(rho.size())}, options);
          EXPECT_LE(test::gradient_distance(model, expected, actual), 1e-9) << method;  // L4
        }
      }
    }
  }
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
}

}  // namespace
}  // namespace kinegrad

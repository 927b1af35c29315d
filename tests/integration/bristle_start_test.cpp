// Equilibria with contacts that stick (docs/theory/kinematic_problems.md, [KP-19]): bristles and carcasses carry the load, gradients by every method, what
// cannot be carried is refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/signal_table.hpp"
#include "support/gradient_distance.hpp"
#include "support/random_mechanisms.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

constexpr const char* kCoordinates[] = {"joint-com", "joint-origin", "cartesian", "natural"};

Model model_in(const std::string& text, const std::string& coordinates = "joint-com") {
  const CoordinateSet set = coordinates == "cartesian" ? CoordinateSet::kCartesian
                            : coordinates == "natural" ? CoordinateSet::kNatural
                                                       : CoordinateSet::kJoint;
  return compile_model(parse_model_yaml(text, "stand.yaml"), builtin_catalogue(), set);
}

RunOptions from_equilibrium(double step, double end) {
  RunOptions options;
  options.start = "equilibrium";
  options.only_start = end == 0;
  options.integrator = "esdirk3";
  options.details.steps = StepSizes::kFixed;
  options.step = step;
  options.end = end;
  return options;
}

GradientReport gradient_of(const Model& model, const std::string& coordinates,
                           const std::string& method, double end) {
  const VecX rho = model.default_rho();
  GradientOptions options;
  options.method = method;
  options.run = from_equilibrium(1e-2, end);
  options.run.coordinates = coordinates;
  return gradient(model, in(rho), options);
}

/// Forward and adjoint against the complex step of the same run in all coordinate sets, differences to what they can.
void expect_gradients(const std::string& text, double end) {
  for (const std::string coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    const Model model = model_in(text, coordinates);
    const GradientReport expected = gradient_of(model, coordinates, "complex-step", end);
    ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
    for (const std::string method : {"forward", "adjoint", "finite-difference"}) {
      if (method[1] == 'i' && coordinates != "joint-com") continue;  // slow, and the same start
      const GradientReport report = gradient_of(model, coordinates, method, end);
      ASSERT_EQ(report.status, RunStatus::kDone) << method << ": " << report.message;
      const double tolerance = method == "finite-difference" ? 1e-5 : 1e-8;
      EXPECT_LE(test::gradient_distance(model, report, expected), tolerance) << method;
    }
  }
}

/// The way that signals go during a run from the equilibrium.
void expect_stands(const Model& model, std::initializer_list<const char*> names, double most,
                   double step = 0.05, double end = 60) {
  const SignalTable table = simulate(model, from_equilibrium(step, end));
  ASSERT_EQ(table.report.status, RunStatus::kDone) << table.report.message;
  for (const char* name : names) {
    const VecX x = table.column(name);
    EXPECT_LE((x.array() - x(0)).abs().maxCoeff(), most) << name;
  }
}

std::string message_of(const std::string& text) {
  return simulate(model_in(text), from_equilibrium(1e-2, 0)).report.message;
}

/// What a law needs; bristles of 1e4/m.
std::string law_of(const std::string& name) {
  std::string out = "friction_law: " + name + ", bristle_stiffness: sigma, bristle_damping: 60";
  if (name != "static") {
    out += ", friction: mu_d, static_friction: mu_s, slip_speed: 1e-3";
  } else {
    out += ", ramp_depth: 2e-5";
  }
  return name == "lugre" ? out : out + ", dwell_time: 0.05";
}
constexpr const char* kLaws[] = {"lugre", "gonthier", "static"};

std::string block(const std::string& law, double slope) {
  return fmt::format(
      R"yaml(parameters: {{m: 1, g: 9.81, mu_d: 0.3, mu_s: 0.4, slope: {}, sigma: 1e4, K: 1e5, x0: 0.1}}
bodies: {{block: {{mass: m, inertia: [1, 1, 1]}}}}
joints: {{S: {{type: cartesian, bodies: [ground, block], points: [[0, 0, 0], [0, 0, 0]]}}}}
forces:
  weight: {{type: gravity, acceleration: [g*sin(slope), 0, -g*cos(slope)]}}
  floor: {{type: sphere-on-plane, bodies: [ground, block], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], stiffness: K, exponent: 1, dissipation: 1, {}}}
initial: {{S.q1: x0^2, S.q2: 0, S.q3: -m*g*cos(slope)/K}}
signals: {{x: S.q1, bent: floor.zx, carried: floor.friction_x}}
objectives: {{x_end: {{terminal: x}}, bent_end: {{terminal: bent}}, load: {{terminal: carried}}, both: {{terminal: x*bent}}}}
)yaml",
      slope, law_of(law));
}

/// σ₀w = tan θ, displaced by as much; below the limit of sticking, and above that of sliding.
TEST(BristleStart, ABlockStandsOnASlope) {
  for (const std::string law : kLaws) {
    SCOPED_TRACE(law);
    const double slope = law == "gonthier" ? 0.28 : 0.36;  // tan 0.36 = 0.376, between μ_d and μ_s
    const Model model = model_in(block(law, slope));
    const SignalTable start = simulate(model, from_equilibrium(1e-2, 0));
    ASSERT_EQ(start.report.status, RunStatus::kDone) << start.report.message;
    const double bent = std::tan(slope) / 1e4;
    EXPECT_NEAR(start.column("bent")(0), bent, 1e-12);
    EXPECT_NEAR(start.column("x")(0), 0.01 + bent, 1e-12);
    EXPECT_NEAR(start.column("carried")(0), -9.81 * std::sin(slope), 1e-8);
    expect_stands(model, {"x", "bent"}, 1e-10);
    expect_gradients(block(law, slope), 0);
  }
  expect_gradients(block("lugre", 0.3), 0.1);
}

TEST(BristleStart, WhatFrictionCannotCarryIsRefused) {
  const double slope = 0.42;  // tan 0.42 = 0.447
  EXPECT_THAT(message_of(block("lugre", slope)),
              HasSubstr("floor would have to carry 1.116 times what its friction can at rest"));
  EXPECT_THAT(message_of(block("gonthier", slope)), HasSubstr("no static equilibrium was found"));
  EXPECT_EQ(message_of(block("static", slope)), "");  // it has no limit
}

std::string contact(const char* body, const char* point, const std::string& law) {
  return fmt::format(
      "{{type: sphere-on-plane, bodies: [ground, {}], points: [[0, 0, 0], {}], axes: [z, z], "
      "stiffness: 1e6, exponent: 1.5, dissipation: 1, {}}}",
      body, point, law);
}

/// Four feet, of which the loads are not determined by balance alone.
std::string crate(const std::string& law) {
  std::string out =
      R"yaml(parameters: {m: 50, slope: 0.2, a: 0.4, b: 0.3, h: 0.3, sigma: 1e4, mu_d: 0.4, mu_s: 0.5}
bodies: {crate: {mass: m, com: [0.05, 0.02, h], inertia: [3, 4, 3], placement: {position: [0, 0, -1e-4]}}}
joints: {fly: {type: floating, bodies: [ground, crate]}}
forces:
  weight: {type: gravity, acceleration: ["9.81*sin(slope)", 0, "-9.81*cos(slope)"]}
)yaml";
  constexpr const char* kFeet[] = {"[a, b, 0]", "[-a, b, 0]", "[-a, -b, 0]", "[a, -b, 0]"};
  for (int k = 0; k < 4; ++k) {
    out += fmt::format("  f{}: {}\n", k, contact("crate", kFeet[k], law_of(law)));
  }
  return out + R"yaml(signals: {x: crate.com.x, y: crate.com.y, z: crate.com.z, w: f0.zx, down: f0.friction_x + f1.friction_x + f2.friction_x + f3.friction_x}
objectives: {x_end: {terminal: x}, z_end: {terminal: z}, w0: {terminal: w}, w2: {terminal: f2.zx}, n: {terminal: f1.normal_force}}
)yaml";
}

TEST(BristleStart, ACrateStandsOnFourFeet) {
  for (const std::string law : {"lugre"}) {
    SCOPED_TRACE(law);
    const Model model = model_in(crate(law));
    const SignalTable start = simulate(model, from_equilibrium(1e-2, 0));
    ASSERT_EQ(start.report.status, RunStatus::kDone) << start.report.message;
    EXPECT_NEAR(start.column("down")(0), -50 * 9.81 * std::sin(0.2), 1e-6);
    expect_stands(model, {"x", "y", "z", "w"}, 1e-9, 0.05, 5);
    expect_gradients(crate(law), 0);
  }
}

/// Two legs with a hinge: without friction it would lie flat. Its feet are pushed apart by m g/4 tan β each where both legs weigh m/2.
const std::string kLadder =
    R"yaml(parameters: {m: 5, L: 1, beta: 0.3, sigma: 1e3, mu_d: 0.4, mu_s: 0.5}
bodies:
  left: {mass: m, com: [L/2, 0, 0], inertia: [0.01, 0.4, 0.4]}
  right: {mass: m, com: [L/2, 0, 0], inertia: [0.01, 0.4, 0.4]}
joints:
  base: {type: planar, bodies: [ground, left], points: [[0, 0, 0], [0, 0, 0]], axes: [y, y]}
  top: {type: revolute, bodies: [left, right], points: [[0, 0, 0], [0, 0, 0]], axes: [y, y]}
forces:
  g: {type: gravity, acceleration: [0, 0, -9.81]}
  f1: LEFT
  f2: RIGHT
initial: {base.q1: 0, base.q2: L*cos(beta), base.q3: pi/2 + beta, top.q: -2*beta}
signals: {z: left.com.z, push1: f1.friction_x, push2: f2.friction_x, n1: f1.normal_force}
objectives: {z_end: {terminal: z}, w1: {terminal: f1.zx}, w2: {terminal: f2.zx}}
)yaml";

std::string ladder(const std::string& law, double beta) {
  std::string out = kLadder;
  const auto put = [&](const char* what, const std::string& by) {
    const std::size_t at = out.find(what);
    out.replace(at, std::string(what).size(), by);
  };
  put("LEFT", contact("left", "[L, 0, 0]", law));
  put("RIGHT", contact("right", "[L, 0, 0]", law));
  put("beta: 0.3", fmt::format("beta: {}", beta));
  return out;
}

TEST(BristleStart, ALadderStands) {
  const std::string text = ladder(law_of("lugre"), 0.3);
  const Model model = model_in(text);
  const SignalTable start = simulate(model, from_equilibrium(1e-2, 0));
  ASSERT_EQ(start.report.status, RunStatus::kDone) << start.report.message;
  const double push = 5 * 9.81 / 2 * std::tan(0.3);  // its feet give way by a part of 1e-4
  EXPECT_NEAR(std::abs(start.column("push1")(0)), push, 2e-3 * push);
  EXPECT_NEAR(start.column("push1")(0), -start.column("push2")(0), 1e-8);
  EXPECT_NEAR(start.column("n1")(0), 5 * 9.81, 1e-8);
  expect_stands(model, {"z"}, 1e-9, 0.02, 5);
  expect_gradients(text, 0);
  EXPECT_NE(message_of(ladder(law_of("lugre"), 1.0)), "");  // ½ tan β = 0.78: it slips
}

/// A car with one braked and one free wheel.
const char* const kParked =
    R"yaml(parameters: {m: 400, slope: 0.1, sigma: 0.3, R: 0.3, kt: 2e5, mw: 15, a: 1.2, b: 1.4, h: 0.3}
bodies:
  car: {mass: m, com: [0, 0, h], inertia: [100, 300, 300]}
  fw: {mass: mw, inertia: [0.5, 0.8, 0.5]}
  rw: {mass: mw, inertia: [0.5, 0.8, 0.5]}
joints:
  P: {type: planar, bodies: [ground, car], points: [[0, 0, 0], [0, 0, 0]], axes: [y, y]}
  F: {type: revolute, bodies: [car, fw], points: [[a, 0, 0], [0, 0, 0]], axes: [y, y]}
  B: {type: fixed, bodies: [car, rw], points: [[-b, 0, 0], [0, 0, 0]]}
forces:
  weight: {type: gravity, acceleration: ["9.81*sin(slope)", 0, "-9.81*cos(slope)"]}
  front: {type: tyre, bodies: [ground, fw], points: [[0, 0, 0], [0, 0, 0]], axes: [z, y], radius: R, stiffness: kt, damping: 2000, friction: 0.9, slip: 0.1, slip_angle: 0.15, relaxation_length: sigma}
  rear: {type: tyre, bodies: [ground, rw], points: [[0, 0, 0], [0, 0, 0]], axes: [z, y], radius: R, stiffness: kt, damping: 2000, friction: 0.9, slip: 0.1, slip_angle: 0.15, relaxation_length: sigma}
signals: {x: car.com.x, z: car.com.z, f: front.friction_x, r: rear.friction_x}
initial: {P.q1: 0, P.q2: 0.29}
objectives: {x_end: {terminal: x}, z_end: {terminal: z}, sr: {terminal: rear.sx}}
)yaml";

TEST(BristleStart, AParkedCarStandsForAMinute) {
  const Model model = model_in(kParked);
  const SignalTable start = simulate(model, from_equilibrium(1e-2, 0));
  ASSERT_EQ(start.report.status, RunStatus::kDone) << start.report.message;
  EXPECT_NEAR(start.column("f")(0), 0, 1e-6);  // a free wheel carries nothing
  EXPECT_NEAR(start.column("r")(0), -430 * 9.81 * std::sin(0.1), 1e-5);
  expect_stands(model, {"x", "z"}, 1e-8, 0.05, 60);
  expect_gradients(kParked, 0);
}

/// Blocks on slopes of any direction with laws and stiffnesses of all sizes: balance, and the adjoint against the complex step.
TEST(BristleStart, RandomBlocks) {
  test::Dice dice(2020);
  int refused = 0;
  for (int k = 0; k < 40; ++k) {
    SCOPED_TRACE(k);
    const std::string law = kLaws[dice.below(3)];
    const double slope = dice.uniform(0, law == "gonthier" ? 0.28 : 0.5);
    std::string text = block(law, slope);
    const auto put = [&](const std::string& what, const std::string& by) {
      text.replace(text.find(what), what.size(), by);
    };
    put("sigma: 1e4", fmt::format("sigma: {:.4g}", dice.decades(1e2, 1e6)));
    put("K: 1e5", fmt::format("K: {:.4g}", dice.decades(3e3, 1e5)));
    put("m: 1", fmt::format("m: {:.4g}", dice.decades(0.3, 1e3)));
    const Model model = model_in(text);
    const SignalTable start = simulate(model, from_equilibrium(1e-2, 0));
    const bool holds = law != "lugre" || std::tan(slope) < 0.4;
    ASSERT_EQ(start.report.status == RunStatus::kDone, holds) << start.report.message << text;
    refused += !holds;
    if (!holds) continue;
    const GradientReport expected = gradient_of(model, "joint-com", "complex-step", 0),
                         adjoint = gradient_of(model, "joint-com", "adjoint", 0);
    ASSERT_EQ(adjoint.status, RunStatus::kDone) << adjoint.message;
    EXPECT_LE(test::gradient_distance(model, adjoint, expected), 1e-8);
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace kinegrad

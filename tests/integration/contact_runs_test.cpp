// Contacts and friction in runs: the block at rest with every law, on inclines, on grounds; gradients in all coordinate sets; a parked wheel.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/signal_table.hpp"
#include "support/gradient_distance.hpp"
#include "support/places.hpp"

namespace kinegrad {
namespace {

constexpr const char* kLaws[] = {"brown-mcphee", "ambrosio", "lugre", "gonthier", "static"};

bool stands(const std::string& law) { return law != "brown-mcphee" && law != "ambrosio"; }

/// A block of 1 kg on a plane that is tilted by `slope`, sliding with v0 along it.
std::string block(const std::string& law, double v_s, double slope, double v0) {
  std::string numbers;
  if (stands(law)) numbers += ", bristle_stiffness: sigma, bristle_damping: 60";
  if (law == "gonthier" || law == "static") numbers += ", dwell_time: 0.05";
  // a contact is closed where it is deeper than its ramp; this one is 1e-4 deep
  numbers += law == "static" ? ", ramp_depth: 2e-5" : ", slip_speed: v_s, friction: mu_d";
  if (law != "static" && law != "ambrosio") numbers += ", static_friction: mu_s";
  return fmt::format(
      R"yaml(parameters: {{m: 1, g: 9.81, mu_d: 0.3, mu_s: 0.4, v_s: {}, slope: {}, v0: {}, sigma: 1e4, K: 1e5}}
bodies: {{block: {{mass: m, inertia: [1, 1, 1]}}}}
joints: {{S: {{type: cartesian, bodies: [ground, block], points: [[0, 0, 0], [0, 0, 0]]}}}}
forces:
  weight: {{type: gravity, acceleration: [g*sin(slope), 0, -g*cos(slope)]}}
  floor: {{type: sphere-on-plane, bodies: [ground, block], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], stiffness: K, exponent: 1, dissipation: 1, friction_law: {}{}}}
initial: {{S.q1: 0, S.q2: 0, S.q3: -m*g*cos(slope)/K, S.v1: v0, S.v2: 0, S.v3: 0}}
signals: {{x: S.q1, v: S.v1}}
objectives: {{x_end: {{terminal: x}}, v_mean: {{integral: v}}}}
)yaml",
      v_s, slope, v0, law, numbers);
}

Model model_of(const std::string& text, CoordinateSet set = CoordinateSet::kJoint) {
  return compile_model(parse_model_yaml(text, "block.yaml"), builtin_catalogue(), set);
}

RunOptions options_of(const std::string& integrator, double step, double end) {
  RunOptions options;
  options.integrator = integrator;
  options.step = step;
  options.end = end;
  if (has_adaptive_steps(integrator, options.details.steps)) options.details.tolerance = 1e-6;
  return options;
}

double last(const SignalTable& table, const char* name) {
  const VecX x = table.column(name);
  return x(x.size() - 1);
}

/// Friction stops it after 0.34 s; the bristles without a limit after 3 mm.
TEST(ContactRuns, BlockComesToRestWithEveryLaw) {
  for (const std::string law : kLaws) {
    for (const double v_s : {1e-2, 1e-3, 1e-4, 1e-5}) {
      const Model model = model_of(block(law, v_s, 0, 1));
      for (const char* integrator : {"trapezoidal", "generalized-alpha", "esdirk3"}) {
        SCOPED_TRACE(fmt::format("{}, v_s = {}, {}", law, v_s, integrator));
        const SignalTable table = simulate(model, options_of(integrator, 2e-3, 0.8));
        ASSERT_EQ(table.report.status, RunStatus::kDone) << table.report.message;
        const VecX x = table.column("x"), v = table.column("v");
        const Eigen::Index rests = x.size() * 7 / 8;
        const double drift = (x.tail(x.size() - rests).array() - x(rests)).abs().maxCoeff();
        EXPECT_LE(std::abs(v(v.size() - 1)), 2 * v_s);
        EXPECT_LE(drift, 2 * v_s * 0.1 + 1e-6);
        if (law != "static") {
          // bristles without deflection at 1 m/s: LuGre's damping takes 2 % of the speed before they are bent
          EXPECT_NEAR(x(x.size() - 1), 1 / (2 * 0.3 * 9.81), law == "lugre" ? 1e-2 : 5e-3);
        }
      }
    }
  }
}

/// From rest below atan μ of the law's peak it stands, or creeps slower than v_s; above it slides with g (sin − μ_d cos). Bristles begin without deflection:
/// what is let go bends them faster than v_s, so that they hold μ_d, not μ_s.
TEST(ContactRuns, BlockOnInclines) {
  for (const std::string law : kLaws) {
    SCOPED_TRACE(law);
    const double v_s = 1e-3, low = law == "brown-mcphee" ? 0.36 : 0.25, high = 0.5;
    const SignalTable below =
        simulate(model_of(block(law, v_s, low, 0)), options_of("esdirk3", 1e-2, 3));
    ASSERT_EQ(below.report.status, RunStatus::kDone) << below.report.message;
    const VecX x = below.column("x");
    const double creep = (x(x.size() - 1) - x(x.size() / 2)) / 1.5;
    EXPECT_LE(std::abs(creep), stands(law) ? 1e-6 : v_s);
    if (law == "static") continue;  // it has no limit
    const SignalTable above =
        simulate(model_of(block(law, v_s, high, 0)), options_of("trapezoidal", 1e-3, 0.5));
    ASSERT_EQ(above.report.status, RunStatus::kDone) << above.report.message;
    const double expected = 9.81 * (std::sin(high) - 0.3 * std::cos(high)) * 0.5;
    EXPECT_NEAR(last(above, "v"), expected, 0.02 * expected);
  }
}

struct Set {
  CoordinateSet set;
  const char* name;
};
constexpr Set kSets[] = {{CoordinateSet::kJoint, "joint-com"},
                         {CoordinateSet::kJoint, "joint-origin"},
                         {CoordinateSet::kCartesian, "cartesian"},
                         {CoordinateSet::kNatural, "natural"}};

/// Forward and adjoint against the complex step of the same run.
void expect_gradients(const std::string& text, double step, double end,
                      std::initializer_list<const char*> integrators) {
  for (const Set& s : kSets) {
    const Model model = model_of(text, s.set);
    for (const char* integrator : integrators) {
      SCOPED_TRACE(std::string(s.name) + " " + integrator);
      const auto run = [&](const char* method) {
        const VecX rho = model.default_rho();
        GradientOptions options;
        options.method = method;
        options.run = options_of(integrator, step, end);
        options.run.details.steps = StepSizes::kFixed;
        options.run.coordinates = s.name;
        return gradient(model, in(rho), options);
      };
      const GradientReport expected = run("complex-step");
      ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
      for (const char* method : {"forward", "adjoint"}) {
        const GradientReport actual = run(method);
        ASSERT_EQ(actual.status, RunStatus::kDone) << actual.message;
        EXPECT_LE(test::gradient_distance(model, actual, expected), 1e-8) << method;
      }
    }
  }
}

TEST(ContactRuns, GradientsOfEveryLawInAllCoordinateSets) {
  for (const std::string law : kLaws) {
    SCOPED_TRACE(law);
    const std::string text = block(law, 5e-2, 0.1, 0.2);
    expect_gradients(text, 2e-3, 0.06, {"trapezoidal"});
    if (law == "gonthier") expect_gradients(text, 2e-3, 0.03, {"esdirk3"});
  }
}

/// A ground that is a plane is the plane, turned.
TEST(ContactRuns, SlopeAsGroundAndAsFrame) {
  const auto ball = [](const std::string& where) {
    return model_of(fmt::format(R"yaml(parameters: {{R: 0.05, m: 0.3, beta: 0.2}}
bodies: {{b: {{mass: m, com: [0, 0, 0], inertia: ["0.4*m*R^2", "0.4*m*R^2", "0.4*m*R^2"], placement: {{position: [0.3, 0.1, "0.3*tan(beta) + R/cos(beta)"]}}}}}}
joints: {{fly: {{type: floating, bodies: [ground, b]}}}}
forces:
  g: {{type: gravity, acceleration: [0, 0, -9.81]}}
  floor: {{type: sphere-on-plane, bodies: [ground, b], points: [[0, 0, 0], [0, 0, 0]], {}, radius: R, stiffness: 1e5, exponent: 1.5, dissipation: 1, friction_law: lugre, friction: 0.3, static_friction: 0.4, slip_speed: 0.01, bristle_stiffness: 1e3, bristle_damping: 10}}
signals: {{x: b.com.x, z: b.com.z, w: b.wy, bristle: floor.zx}}
)yaml",
                                where));
  };
  const Model frame = ball("axes: [[-sin(beta), 0, cos(beta)], z]"),
              ground = ball("axes: [z, z], ground: tan(beta)*x");
  const SignalTable a = simulate(frame, options_of("rk4", 1e-4, 0.3)),
                    b = simulate(ground, options_of("rk4", 1e-4, 0.3));
  ASSERT_EQ(a.report.status, RunStatus::kDone) << a.report.message;
  ASSERT_EQ(b.report.status, RunStatus::kDone) << b.report.message;
  for (const char* name : {"x", "z", "w"}) EXPECT_NEAR(last(a, name), last(b, name), 1e-9) << name;
}

/// Rolling without slip over a wave keeps the energy of centre and spin: the foot is where it should be. Height of the centre: that of the offset
/// curve.
TEST(ContactRuns, BallOnAWaveKeepsItsEnergy) {
  const Model model = model_of(R"yaml(parameters: {R: 0.05, m: 0.3, h: 0.03}
bodies: {b: {mass: m, com: [0, 0, 0], inertia: ["0.4*m*R^2", "0.4*m*R^2", "0.4*m*R^2"], placement: {position: [0, 0, R]}}}
joints: {fly: {type: floating, bodies: [ground, b]}}
forces:
  g: {type: gravity, acceleration: [0, 0, -9.81]}
  floor: {type: sphere-on-plane, bodies: [ground, b], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], radius: R, stiffness: 1e7, exponent: 1.5, dissipation: 0.5, ground: "0.5*h*(1 - cos(2*pi*x))"}
initial: {fly.v1: 1.5}
signals: {x: b.com.x, z: b.com.z, e: "kinetic_energy + m*9.81*(b.com.z - R)"}
)yaml");
  const SignalTable table = simulate(model, options_of("trapezoidal", 2e-4, 0.8));
  ASSERT_EQ(table.report.status, RunStatus::kDone) << table.report.message;
  const VecX e = table.column("e");
  EXPECT_NEAR(e(e.size() - 1), e(0), 5e-3 * e(0));
  EXPECT_GT(last(table, "x"), 1.0);
}

/// Parameters of a road: in expressions and as values of a spline.
TEST(ContactRuns, GradientsOnGrounds) {
  expect_gradients(
      R"yaml(parameters: {R: 0.05, m: 0.3, h: 0.02, y1: 0.01, y2: -0.005, v0: 0.8, tilt: 0.02}
splines: {road: {nodes: [-1, 0, 0.2, 0.4, 0.6, 2], values: [0, 0, y1, y2, 0, 0]}}
bodies: {b: {mass: m, com: [0.002, 0, 0.001], inertia: ["0.4*m*R^2", "0.4*m*R^2", "0.4*m*R^2"], placement: {position: [0, 0, R]}}}
joints: {fly: {type: floating, bodies: [ground, b]}}
forces:
  g: {type: gravity, acceleration: [0, 0, -9.81]}
  floor: {type: sphere-on-plane, bodies: [ground, b], points: [[0, 0, 0], [0, 0, 0]], axes: [[0, sin(tilt), cos(tilt)], z], radius: R, stiffness: 2e4, exponent: 1.5, dissipation: 0.5, friction: 0.3, static_friction: 0.35, slip_speed: 0.02, ground: "road(x) + h*sin(3*x + y)"}
initial: {fly.v1: v0, fly.v2: 0.2}
signals: {x: b.com.x, z: b.com.z}
objectives: {far: {terminal: x}, high: {integral: "z^2"}}
)yaml",
      1e-3, 0.12, {"trapezoidal"});
}

/// A wheel that is locked, on a slope: with a carcass it stands for a minute, without one it creeps.
TEST(ContactRuns, ParkedWheelStands) {
  const auto parked = [](const char* carcass) {
    const Model model = model_of(fmt::format(R"yaml(parameters: {{m: 400, slope: 0.1}}
bodies: {{car: {{mass: m, inertia: [10, 10, 10]}}}}
joints: {{S: {{type: cartesian, bodies: [ground, car], points: [[0, 0, 0], [0, 0, 0]]}}}}
forces:
  weight: {{type: gravity, acceleration: ["9.81*sin(slope)", "1.0*sin(slope)", "-9.81*cos(slope)"]}}
  tyre: {{type: tyre, bodies: [ground, car], points: [[0, 0, 0], [0, 0, 0]], axes: [z, y], radius: 0.3, stiffness: 2e5, damping: 2000, friction: 0.9, slip: 0.1, slip_angle: 0.15{}}}
initial: {{S.q1: 0, S.q2: 0, S.q3: "0.3 - m*9.81*cos(slope)/2e5"}}
signals: {{x: S.q1, y: S.q2}}
)yaml",
                                             carcass));
    return simulate(model, options_of("esdirk3", 0.5, 60));
  };
  const SignalTable with = parked(", relaxation_length: 0.3"), without = parked("");
  ASSERT_EQ(with.report.status, RunStatus::kDone) << with.report.message;
  ASSERT_EQ(without.report.status, RunStatus::kDone) << without.report.message;
  for (const char* name : {"x", "y"}) {
    const VecX x = with.column(name);
    EXPECT_NEAR(x(x.size() - 1), x(x.size() / 2), 1e-6) << name;
  }
  EXPECT_LE(std::abs(last(with, "x")),
            0.3 * 0.1 * std::tan(0.1) / 0.9 * 1.01);  // the deflection of the carcass
  EXPECT_GT(last(without, "x"), 0.05);
}

/// States are signals, and may be read.
TEST(ContactRuns, StatesAreSignals) {
  const Model model = model_of(block("lugre", 1e-2, 0, 1));
  const SignalTable table = simulate(model, options_of("trapezoidal", 1e-3, 0.2));
  EXPECT_NEAR(last(table, "floor.zx"), 0.3 / 1e4, 1e-7);  // slides: σ₀w = μ_d
}

void expect_example_differentiates(const std::string& name, double part, const Set& s) {
  SCOPED_TRACE(name + " in " + s.name);
  const ModelDescription text = read_model_yaml(test::source_path("examples/" + name + ".yaml"));
  const Model model = compile_model(text, builtin_catalogue(), s.set);
  const auto run = [&](const char* method) {
    const VecX rho = model.default_rho();
    GradientOptions gradients;
    gradients.run.step = model.analysis().step;
    gradients.run.end = part * model.analysis().end;
    gradients.run.coordinates = s.name;
    gradients.method = method;
    return gradient(model, in(rho), gradients);
  };
  const GradientReport expected = run("complex-step");
  ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
  for (const char* method : {"forward", "adjoint"}) {
    const GradientReport actual = run(method);
    ASSERT_EQ(actual.status, RunStatus::kDone) << actual.message;
    EXPECT_LE(test::gradient_distance(model, actual, expected), 1e-8) << method;
  }
}

/// A part of each. What mass and radius do to the ball cancels but for rounding, which is not below 1e-8 about the origin of the world.
TEST(ContactRuns, ExamplesInAllCoordinateSets) {
  for (const Set& s : kSets) {
    expect_example_differentiates("contact/block_on_incline", 0.2, s);
    if (std::string(s.name) != "joint-origin") {
      expect_example_differentiates("contact/bouncing_ball", 0.2, s);
    }
    expect_example_differentiates("contact/ball_off_step", 0.2, s);
    expect_example_differentiates("rolling_wheel", 0.2, s);
  }
}

}  // namespace
}  // namespace kinegrad

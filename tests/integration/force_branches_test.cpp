// What a gradient says where a law of a force changes its branch (docs/theory/monitors.md, [KN-4] to [KN-8]).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using ::testing::HasSubstr;

/// A block of 1 kg on a rail along x, from x0 = 0.303 with −2 m/s, under one force.
std::string block(const std::string& force, const std::string& rest = "") {
  return R"yaml(
parameters: {k: 2, x0: 0.303, w: -2}
bodies:
  a: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  ja: {type: prismatic, bodies: [ground, a], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x], references: [y, y]}
initial: {ja.q: x0, ja.v: w}
objectives: {o: {terminal: ja.q}, i: {integral: ja.q^2}}
forces:
  f: {)yaml" +
         force + "}\n" + rest;
}

/// A wall x = 0 that pushes the block's origin to larger x.
std::string wall(const std::string& law) {
  return "type: sphere-on-plane, bodies: [ground, a], points: [[0, 0, 0], [0, 0, 0]], axes: [x, "
         "x], "
         "references: [y, y], " +
         law;
}
/// A ground under a sphere that the rail carries over it.
std::string ground(const std::string& height, double radius = 0.3) {
  return "type: sphere-on-plane, bodies: [ground, a], points: [[0, 0, 0], [0, 0, 0]], axes: [z, "
         "z], "
         "references: [x, x], stiffness: 300*k, radius: " +
         std::to_string(radius) + ", ground: \"" + height + "\"";
}

std::vector<Warning> kinks_of(const std::string& text,
                              const std::string& integrator = "trapezoidal",
                              const std::string& coordinates = "joint-com", double end = 0.5,
                              double step = 0.01) {
  const CoordinateSet set = coordinates == "cartesian" ? CoordinateSet::kCartesian
                            : coordinates == "natural" ? CoordinateSet::kNatural
                                                       : CoordinateSet::kJoint;
  const Model model = compile_model(parse_model_yaml(text, "block.yaml"), builtin_catalogue(), set);
  const VecX rho = model.default_rho();
  GradientOptions options;
  options.run.coordinates = coordinates;
  options.run.formulation = set == CoordinateSet::kJoint ? "semi-recursive" : "matrix-r";
  options.run.integrator = integrator;
  options.run.step = step;
  options.run.end = end;
  const GradientReport report = gradient(model, in(rho), options);
  EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
  std::vector<Warning> kinks;
  for (const Warning& warning : report.run.warnings) {
    if (warning.kind == "kink") kinks.push_back(warning);
  }
  return kinks;
}

void expect_one(const std::vector<Warning>& kinks, const std::string& text, double t) {
  ASSERT_EQ(kinks.size(), 1u) << (kinks.empty() ? "" : kinks[1].text);
  EXPECT_EQ(kinks[0].element, "f");
  EXPECT_THAT(kinks[0].text, HasSubstr(text));
  EXPECT_NEAR(kinks[0].t, t, 0.012) << kinks[0].text;
}

TEST(ForceBranches, StopWithExponentOneHasAKink) {
  const std::string stop = "type: translational-bump-stop, joint: ja, stiffness: 50*k, length: 0.1";
  expect_one(kinks_of(block(stop)), "force \"f\" passes a kink where it begins (2 times)", 0.1);
  EXPECT_TRUE(kinks_of(block(stop + ", exponent: 1.5")).empty());
  expect_one(kinks_of(block(stop), "rk4"), "passes a kink where it begins", 0.1);
}

TEST(ForceBranches, AreSeenInAllCoordinates) {
  const std::string stop = "type: translational-bump-stop, joint: ja, stiffness: 50*k, length: 0.1";
  for (const char* coordinates : {"joint-com", "cartesian", "natural"}) {
    expect_one(kinks_of(block(stop), "trapezoidal", coordinates), "passes a kink where it begins",
               0.1);
  }
}

TEST(ForceBranches, LeafSpringWithoutWidthHasAKink) {
  const std::string leaf =
      "type: translational-leaf-spring, joint: ja, stiffness: k, length: 0.3, kink: 0.1, "
      "stop_stiffness: 50*k";
  const auto kinks = kinks_of(block(leaf));
  ASSERT_EQ(kinks.size(), 1u);
  EXPECT_THAT(kinks[0].text, HasSubstr("where its stiffness changes"));
  EXPECT_THAT(kinks[0].text, HasSubstr("give it a width"));
  EXPECT_TRUE(kinks_of(block(leaf + ", width: 0.1")).empty());
}

TEST(ForceBranches, TouchIsWhatTheLawMakesOfIt) {
  const std::string jump = "normal_law: kelvin-voigt-jump, stiffness: 100*k, damping: 5";
  const auto kinks = kinks_of(block(wall(jump)));
  ASSERT_GE(kinks.size(), 1u);
  EXPECT_THAT(kinks[0].text, HasSubstr("force \"f\" jumps by 9.9"));
  EXPECT_THAT(kinks[0].text, HasSubstr("where it touches (once)"));
  EXPECT_NEAR(kinks[0].t, 0.1515, 1e-3);
  // without damping there is nothing to jump
  expect_one(kinks_of(block(wall("normal_law: kelvin-voigt-jump, stiffness: 100*k"))),
             "passes a kink where it touches (2 times)", 0.15);
  EXPECT_TRUE(kinks_of(block(wall("stiffness: 300*k, dissipation: 0.1"))).empty());
  expect_one(kinks_of(block(wall("stiffness: 100*k, exponent: 1"))), "where it touches", 0.15);
}

TEST(ForceBranches, LettingGoUnderLoadIsAKink) {
  const auto kinks = kinks_of(
      block(wall("normal_law: kelvin-voigt, stiffness: 100*k, damping: 10, ramp_depth: 0.02")));
  ASSERT_EQ(kinks.size(), 2u);
  EXPECT_THAT(kinks[1].text, HasSubstr("where it lets go (once)"));
}

TEST(ForceBranches, StartExactlyAtAKink) {
  const auto kinks =
      kinks_of(block("type: translational-bump-stop, joint: ja, stiffness: 50*k, length: x0"));
  ASSERT_EQ(kinks.size(), 1u);
  EXPECT_THAT(kinks[0].text, HasSubstr("exactly where it begins, at a kink"));
  EXPECT_EQ(kinks[0].t, 0);
  EXPECT_TRUE(
      kinks_of(block("type: translational-bump-stop, joint: ja, stiffness: 50*k, length: x0, "
                     "exponent: 2"))
          .empty());
}

TEST(ForceBranches, KinkOfAPotentialIsAJumpOfItsForce) {
  const std::string spring = "type: translational-nonlinear-spring, joint: ja, potential: ";
  auto kinks = kinks_of(block(spring + "\"3*k*abs(length - 0.1)\""));
  ASSERT_EQ(kinks.size(), 1u);
  EXPECT_THAT(kinks[0].text, HasSubstr("abs() in force \"f\" makes the force jump by 12"));
  // whose force has a kink alone
  kinks = kinks_of(block(spring + "\"30*k*min(length - 0.1, 0)^2\""));
  ASSERT_EQ(kinks.size(), 1u);
  EXPECT_THAT(kinks[0].text, HasSubstr("passes its kink"));
}

TEST(ForceBranches, KinkOfAGroundTurnsItsNormal) {
  const auto kinks = kinks_of(block(ground("-0.25 + 0.3*abs(x - 0.1)")));
  ASSERT_EQ(kinks.size(), 1u);
  EXPECT_THAT(kinks[0].text, HasSubstr("abs() in force \"f\" makes the force jump"));
  // not in the air
  const auto none = kinks_of(block(ground("-0.25 + 0.3*abs(x - 0.1)", 0.1)));
  for (const Warning& warning : none) EXPECT_THAT(warning.text, HasSubstr("passes its kink"));
}

/// Contacts and tyres of the examples stay on the ground, or touch it by laws that are smooth enough.
TEST(ForceBranches, NoFalseAlarmInExamples) {
  const std::pair<const char*, double> examples[] = {
      {"rolling_wheel", 0.05},         {"bicycle_tyres", 6e-3},
      {"slider_crank_friction", 0.01}, {"contact/bouncing_ball", 0.6},
      {"contact/ball_off_step", 0.3},  {"contact/block_on_incline", 0.1},
      {"engine_mounts", 0.02},         {"five_bar_equilibrium", 0.03}};
  for (const auto& [name, end] : examples) {
    const Model model = test::example(name);
    const VecX rho = model.default_rho();
    GradientOptions options;
    options.run.step = model.analysis().step;
    options.run.end = end;
    const GradientReport report = gradient(model, in(rho), options);
    EXPECT_EQ(report.status, RunStatus::kDone) << name << ": " << report.message;
    for (const Warning& warning : report.run.warnings) {
      EXPECT_NE(warning.kind, "kink") << name << ": " << warning.text;
    }
  }
}

/// A jump misses what the moving instant does, and the warning is right about it.
TEST(ForceBranches, JumpIsWorthItsWarning) {
  const std::string text =
      block(wall("normal_law: kelvin-voigt-jump, stiffness: 20*k, damping: 6"));
  const Model model = compile_model(parse_model_yaml(text, "block.yaml"));
  const VecX rho = model.default_rho();
  GradientOptions options;
  options.run.step = 1e-3;
  options.run.end = 0.3;
  const GradientReport exact = gradient(model, in(rho), options);
  const auto x_end = [&](double x0) {
    VecX there = rho;
    there(1) = x0;
    return gradient(model, in(there), options).values[0];
  };
  const double motion = (x_end(0.313) - x_end(0.293)) / 0.02;
  EXPECT_GT(std::abs(exact.gradient(0, 1) - motion), 0.2 * std::abs(motion));
}

/// Round numbers: 0.3 − 2·0.15, the law is met at δ = 0 to the last bit.
TEST(ForceBranches, JumpMetExactlyIsAJump) {
  const auto kinks = kinks_of(
      "parameters: {k: 2, x0: 0, w: -2}\n"
      "bodies: {a: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {ja: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: x}}\n"
      "initial: {ja.q: x0, ja.v: w}\n"
      "objectives: {o: {terminal: ja.q}}\n"
      "forces: {f: {" +
      wall("normal_law: kelvin-voigt-jump, stiffness: 100*k, damping: 5") + "}}\n");
  ASSERT_FALSE(kinks.empty());
  EXPECT_THAT(kinks[0].text, HasSubstr("jumps by"));
  EXPECT_THAT(kinks[0].text, HasSubstr("touches"));
  EXPECT_EQ(kinks[0].t, 0);
}

/// The load of the friction vanishes where the block starts, and no variable of the port says so.
TEST(ForceBranches, VaryingNumbersThatStartExactlyAtAKink) {
  const auto kinks = kinks_of(
      block("type: joint-friction, joint: ja, normal_force: \"20*(ja.q - x0)\", friction: 0.3"));
  ASSERT_EQ(kinks.size(), 1u);
  EXPECT_THAT(kinks[0].text, HasSubstr("exactly where its normal force passes zero, at a kink"));
  EXPECT_EQ(kinks[0].t, 0);
}

/// A block thrown towards a stop that it would only just reach, between two ends of steps: x = x₀ + 1.25 t − 5 t² is
/// largest at 0.125 s, and 0.125 mm smaller at both ends of the step of 0.01 s around it.
TEST(ForceBranches, TouchAndReleaseWithinAStepAreSeen) {
  const auto thrown = [](double stop) {
    const std::string text =
        "parameters: {k: 2, x0: 0.003125, w: 1.25}\n"
        "bodies: {a: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
        "joints: {ja: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: x}}\n"
        "initial: {ja.q: x0, ja.v: w}\n"
        "objectives: {o: {terminal: ja.q}}\n"
        "forces: {g: {type: gravity, acceleration: [-10, 0, 0]}, "
        "f: {type: translational-rebound-stop, joint: ja, stiffness: 500*k, length: " +
        std::to_string(stop) + "}}\n";
    return kinks_of(text);
  };
  const double apex = 0.003125 + 0.078125;
  expect_one(thrown(apex - 5e-5), "passes a kink where it begins (once)", 0.125);
  EXPECT_TRUE(thrown(apex + 1e-4).empty());
}

/// Near the highest point of its way a ball changes its height by little from step to step; the bounce before it is not passed
/// over.
TEST(ForceBranches, ABounceSoonBeforeTheApexIsSeen) {
  const std::string text =
      "parameters: {k: 2, x0: 0.01, w: -0.6}\n"
      "bodies: {a: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {ja: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: x}}\n"
      "initial: {ja.q: x0, ja.v: w}\n"
      "objectives: {o: {terminal: ja.q}}\n"
      "forces: {g: {type: gravity, acceleration: [-10, 0, 0]}, "
      "f: {type: translational-bump-stop, joint: ja, stiffness: 20000*k, length: 0}}\n";
  for (const double end : {0.06, 0.07, 0.08, 0.09, 0.1, 0.11}) {
    const auto kinks = kinks_of(text, "trapezoidal", "joint-com", end, 2e-3);
    ASSERT_EQ(kinks.size(), 1u) << end;
    EXPECT_THAT(kinks[0].text, HasSubstr("passes a kink where it begins (2 times)")) << end;
  }
}

/// A friction of bristles that slide steadily, or rest, meets its limit at every state, to rounding.
TEST(ForceBranches, SteadySlidingAndRestAreNoKinks) {
  for (const char* start : {"ja.q: 0, ja.v: v", "ja.q: 0, ja.v: 0"}) {
    for (const char* integrator : {"rk4", "trapezoidal"}) {
      const auto kinks = kinks_of(
          std::string("parameters: {mu: 0.3, v: 1}\n"
                      "bodies: {a: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
                      "joints: {ja: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: "
                      "x}}\n"
                      "initial: {") +
              start +
              "}\nobjectives: {o: {terminal: ja.q}}\n"
              "forces: {f: {type: joint-friction, joint: ja, normal_force: 2, friction_law: "
              "gonthier, friction: mu, static_friction: 0.4, slip_speed: 0.01, bristle_stiffness: "
              "1000, bristle_damping: 30, dwell_time: 0.1}}\n",
          integrator);
      for (const Warning& warning : kinks) {
        EXPECT_EQ(warning.text.find("jumps"), std::string::npos) << warning.text;
        EXPECT_EQ(warning.text.find("exactly"), std::string::npos) << warning.text;
      }
    }
  }
}

}  // namespace
}  // namespace kinegrad

// What forces and constraints tell of themselves as signals (docs/theory/signals.md, [SG-9] to [SG-10]).
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
#include "support/places.hpp"

namespace kinegrad {
namespace {

using ::testing::HasSubstr;

/// A ball on a spring that hits the floor and slides, with a bushing to a second body; everything that tells something of itself.
constexpr const char* kBall = R"yaml(
parameters: {m: 0.4, k: 300, c: 2, l0: 0.72, K: 2e4, mu: 0.3, sigma: 300, T: 0.2}
points: {A: [0.1, 0, 0.9]}
bodies:
  b: {mass: m, com: [0.01, 0, 0], inertia: [0.01, 0.012, 0.013], points: {P: [0, 0, 0.05]}, placement: {position: [0.05, 0.02, 0.12]}}
  w: {mass: 0.5, com: [0, 0, 0], inertia: [0.02, 0.02, 0.03], placement: {position: [1, 0, 0.29]}}
joints:
  fly: {type: floating, bodies: [ground, b]}
  roll: {type: floating, bodies: [ground, w]}
forces:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
  spring: {type: spring-damper, points: [A, P], stiffness: "k*(1 + 0.1*sin(3*t))", damping: c, length: l0}
  tether: {type: rebound-stop, points: [A, P], stiffness: 5*k, length: 0.75}
  law: {type: nonlinear-spring, points: [A, P], law: "-20*k*(length - l0)^3"}
  floor: {type: sphere-on-plane, bodies: [ground, b], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], radius: 0.1, stiffness: K, exponent: 1.5, dissipation: 0.2, friction_law: lugre, friction: mu, slip_speed: 0.05, bristle_stiffness: sigma, bristle_damping: 3, ground: 0.02*sin(3*x)}
  tyre: {type: tyre, bodies: [ground, w], points: [[0, 0, 0], [0, 0, 0]], axes: [z, y], references: [x, x], radius: 0.3, stiffness: 2*K, damping: 20, friction: 0.8, slip: 0.1, slip_angle: 0.12, relaxation_length: 0.2}
  bush: {type: bushing, bodies: [ground, b], point: [0.05, 0.02, 0.12], axis: z, reference: x, stiffness: [5, 5, 5, 1, 1, 1], damping: [1, 1, 1, 0.1, 0.1, 0.1]}
  push: {type: point-force, point: P, force: ["0.3*cos(2*t)", mu, 0]}
  turn: {type: body-torque, body: w, torque: [0, T, 0]}
initial: {fly.v1: 0.5, fly.v2: 0.1, fly.v3: -0.6, fly.w: [0.3, 4, 0.2], roll.v1: 2, roll.w: [0, 6, 0.2]}
signals:
)yaml";

const std::vector<std::string> kNames{
    "spring.force",      "tether.force",      "law.force",        "floor.normal_force",
    "floor.friction_x",  "floor.friction_y",  "floor.slip_x",     "floor.slip_y",
    "floor.penetration", "tyre.normal_force", "tyre.friction_x",  "tyre.friction_y",
    "tyre.slip",         "tyre.slip_angle",   "tyre.penetration", "bush.fx",
    "bush.tz",           "push.fx",           "turn.ty"};

std::string ball(const std::string& rest = "") {
  std::string text = kBall, objectives = "objectives:\n";
  for (const std::string& name : kNames) {
    std::string id = name;
    id[id.find('.')] = '_';
    text += fmt::format("  {}: {}\n", id, name);
    objectives += fmt::format("  o_{}: {{integral: {}, terminal: 0.1*{}}}\n", id, name, name);
  }
  return text + rest + objectives;
}

Model model_of(const std::string& text, const std::string& coordinates = "joint-com") {
  return compile_model(parse_model_yaml(text, "file.yaml"), builtin_catalogue(),
                       coordinate_set_named(coordinates));
}

RunOptions options_of(const std::string& coordinates, double step, double end) {
  RunOptions options;
  options.coordinates = coordinates;
  options.formulation = "matrix-r";
  options.step = step;
  options.end = end;
  return options;
}

/// Each against an expression of the file that says the same.
TEST(ElementSignals, AreWhatTheLawsSay) {
  const Model model = model_of(ball(R"yaml(
  spring_law: "-(k*(1 + 0.1*sin(3*t))*(spring.length - l0) + c*spring.rate)"
  cubic: "-20*k*(law.length - l0)^3"
  gap: "0.1 - (b.com.z - 0.01*0)"
  pushed: "0.3*cos(2*t)"
)yaml"));
  const SignalTable table =
      simulate(model, model.default_rho(), options_of("joint-com", 1e-3, 0.3));
  ASSERT_TRUE(table.report.done()) << table.report.message;
  const auto same = [&](const char* one, const char* other, double scale) {
    EXPECT_LT((table.column(one) - table.column(other)).cwiseAbs().maxCoeff(), 1e-12 * scale)
        << one;
    EXPECT_GT(table.column(one).cwiseAbs().maxCoeff(), 0) << one;
  };
  same("spring_force", "spring_law", 100);
  same("law_force", "cubic", 100);
  same("push_fx", "pushed", 1);
  EXPECT_TRUE((table.column("turn_ty").array() == 0.2).all());
  const VecX depth = table.column("floor_penetration"), load = table.column("floor_normal_force");
  for (Eigen::Index i = 0; i < depth.size(); ++i) {
    EXPECT_EQ(load(i) > 0, depth(i) > 0);
    if (depth(i) > 0) {
      EXPECT_NEAR(load(i), 2e4 * std::pow(depth(i), 1.5), 0.5 * load(i));
    }
  }
  EXPECT_GT(load.maxCoeff(), 0);
  EXPECT_LT(depth.minCoeff(), 0) << "it leaves the floor";
}

TEST(ElementSignals, AreDifferentiatedInAllCoordinates) {
  for (const char* coordinates : {"joint-com", "joint-origin", "cartesian", "natural"}) {
    SCOPED_TRACE(coordinates);
    const Model model = model_of(ball(), coordinates);
    const VecX rho = model.default_rho();
    GradientOptions options;
    options.run = options_of(coordinates, 2e-3, 0.08);
    const auto run = [&](const char* method) {
      options.method = method;
      return gradient(model, in(rho), options);
    };
    const GradientReport adjoint = run("adjoint"), forward = run("forward"),
                         expected = run("complex-step");
    ASSERT_EQ(adjoint.status, RunStatus::kDone) << adjoint.message;
    ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
    for (Eigen::Index i = 0; i < expected.gradient.rows(); ++i) {
      const double size = expected.gradient.row(i).cwiseAbs().maxCoeff();
      EXPECT_LT((adjoint.gradient - expected.gradient).row(i).cwiseAbs().maxCoeff(),
                1e-8 * std::max(size, 1e-6))
          << kNames[static_cast<std::size_t>(i)];
      EXPECT_LT((forward.gradient - expected.gradient).row(i).cwiseAbs().maxCoeff(),
                1e-8 * std::max(size, 1e-6))
          << kNames[static_cast<std::size_t>(i)];
    }
  }
}

/// A pendulum whose angle is prescribed: the torque of the drive is that of the inertia and of the weight.
std::string driven(const std::string& signals) {
  return R"yaml(
parameters: {m: 2, l: 0.7, J: 0.3, rate: 2}
bodies: {a: {mass: m, com: [l, 0, 0], inertia: [0.1, 0.2, J]}}
joints: {A: {type: revolute, bodies: [ground, a], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}}
constraints: {drive: {type: prescribed, coordinate: A.q, value: "rate*t + 0.4*sin(3*t)"}}
forces: {weight: {type: gravity, acceleration: [0, -9.81, 0]}}
signals:
  torque: multiplier(drive)
  closed: "(J + m*l^2)*(-3.6*sin(3*t)) + m*9.81*l*cos(rate*t + 0.4*sin(3*t))"
  reaction: reaction(A, tz)
)yaml" + signals +
         "objectives: {work: {integral: multiplier(drive)*A.v}, last: {terminal: "
         "multiplier(drive)}}\n";
}

TEST(ElementSignals, MultiplierIsTheTorqueOfADrive) {
  for (const char* coordinates : {"joint-com", "joint-origin", "cartesian", "natural"}) {
    SCOPED_TRACE(coordinates);
    const Model model = model_of(driven(""), coordinates);
    RunOptions options = options_of(coordinates, 1e-2, 0.5);
    options.formulation = "index1";
    const SignalTable table = simulate(model, model.default_rho(), options);
    ASSERT_TRUE(table.report.done()) << table.report.message;
    EXPECT_LT((table.column("torque") - table.column("closed")).cwiseAbs().maxCoeff(), 5e-3);
    const VecX rho = model.default_rho();
    GradientOptions gradients;
    gradients.run = options;
    const auto run = [&](const char* method) {
      gradients.method = method;
      return gradient(model, in(rho), gradients);
    };
    const GradientReport adjoint = run("adjoint"), expected = run("complex-step");
    ASSERT_EQ(adjoint.status, RunStatus::kDone) << adjoint.message;
    EXPECT_LT((adjoint.gradient - expected.gradient).cwiseAbs().maxCoeff(),
              1e-8 * expected.gradient.cwiseAbs().maxCoeff());
  }
}

std::string refusal(const std::string& text) {
  try {
    model_of(text);
  } catch (const InvalidModel& error) {
    return error.what();
  }
  return "not refused";
}

TEST(ElementSignals, WhatIsNotThereIsRefused) {
  EXPECT_THAT(refusal(ball("  wrong: spring.tension\n")),
              HasSubstr("force \"spring\" has length, rate, force; not .tension"));
  EXPECT_THAT(refusal(ball("  wrong: weight.force\n")),
              HasSubstr("force \"weight\" has no signals"));
  EXPECT_THAT(refusal(ball("  wrong: floor.load\n")),
              HasSubstr("normal_force, friction_x, friction_y, slip_x, slip_y, penetration"));
  EXPECT_THAT(refusal(driven("  wrong: multiplier(dive)\n")),
              HasSubstr("there is no constraint \"dive\" (did you mean \"drive\"?)"));
  EXPECT_THAT(refusal(driven("  wrong: \"multiplier(drive, 2)\"\n")),
              HasSubstr("constraint \"drive\" has no equation 2"));
  EXPECT_THAT(refusal(driven("  wrong: \"multiplier(drive, x)\"\n")), HasSubstr("1, 2, …"));
}

TEST(ElementSignals, ForcesDoNotReadThem) {
  std::string text = ball();
  const std::string from = "law: \"-20*k*(length - l0)^3\"";
  text.replace(text.find(from), from.size(), "law: -spring.force");
  EXPECT_THAT(refusal(text), HasSubstr("a force cannot depend on what other forces"));
}

}  // namespace
}  // namespace kinegrad

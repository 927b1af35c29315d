// Forces that read reactions [RL-1]: closed forms, joint against cartesian coordinates, exact gradients, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/signal_table.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

std::string_view name_of(CoordinateSet set) {
  return set == CoordinateSet::kJoint ? "joint-com" : "cartesian";
}

RunOptions options_of(CoordinateSet set, const std::string& integrator, double step, double end) {
  RunOptions options;
  options.coordinates = name_of(set);
  options.integrator = integrator;
  options.step = step;
  options.end = end;
  return options;
}

/// A block on a rail under its weight, which is pulled up by a part of the push: N = m g − P sin β.
constexpr const char* kBlock = R"yaml(
parameters: {m: 2, mu: 0.3, g: 9.81, P: 5, v0: 3}
bodies: {b: {mass: m, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {S: {type: prismatic, bodies: [ground, b], axis: x}}
forces:
  weight: {type: gravity, acceleration: [0, 0, -g]}
  pull: {type: point-force, point: b.com, force: ["0.8*P", 0, "0.6*P"]}
  rub: {type: joint-force, joint: S, value: "-mu*abs(reaction(S, fz))*tanh(S.v/1e-3)"}
initial: {S.v: v0}
signals: {x: S.q, v: S.v, a: S.a}
objectives: {end: {terminal: v}, way: {integral: v}}
)yaml";

TEST(ReactiveForces, BlockSlidesAsItMust) {
  for (const CoordinateSet set : {CoordinateSet::kJoint, CoordinateSet::kCartesian}) {
    const Model model =
        compile_model(parse_model_yaml(kBlock, "block.yaml"), builtin_catalogue(), set);
    const SignalTable table = simulate(model, options_of(set, "rk4", 1e-2, 0.5));
    const RunReport& report = table.report;
    ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
    const VecX speeds = table.column("v"), rates = table.column("a");
    const double v = speeds(speeds.size() - 1), a = rates(rates.size() - 1);
    const double expected = (0.8 * 5 - 0.3 * (2 * 9.81 - 0.6 * 5)) / 2;
    EXPECT_NEAR(a, expected, 1e-12) << name_of(set);
    EXPECT_NEAR(v, 3 + 0.5 * expected, 1e-11) << name_of(set);
    EXPECT_TRUE(report.warnings.empty()) << report.warnings.front().text;  // the balance holds
  }
}

/// A pendulum whose bearing rubs with the force it carries, which depends on its own acceleration and speed; a second
/// link, and a spatial joint. Radii, masses and lengths are parameters.
std::string bearings(std::mt19937_64& rng) {
  const auto number = [&](double low, double high) {
    return std::to_string(std::uniform_real_distribution<double>(low, high)(rng));
  };
  return R"yaml(
parameters: {m: 1.2, L: 0.5, mu: 0.25, r: )yaml" +
         number(0.02, 0.06) + R"yaml(, w0: )yaml" + number(1, 4) + R"yaml(}
bodies:
  a: {mass: m, com: [0.6*L, 0.02, 0.01], inertia: [0.01, 0.02, "m*L^2/10"], points: {E: [L, 0, 0]}}
  b: {mass: 0.7, com: [0.2, 0, 0.03], inertia: [0.01, 0.015, 0.02], points: {F: [0.4, 0, 0]}}
joints:
  A: {type: revolute, bodies: [ground, a], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}
  B: {type: universal, bodies: [a, b], points: [E, [0, 0, 0]], axes: [z, y]}
forces:
  g: {type: gravity, acceleration: [0.4, -9.81, 0.5]}
  rub: {type: joint-force, joint: A, value: "-mu*r*hypot(reaction(A, fx), reaction(A, fy))*tanh(A.v/0.05)"}
  rub2: {type: joint-force, joint: B.q1, value: "-mu*r*sqrt(reaction(B, fx)^2 + reaction(B, fy)^2 + reaction(B, fz)^2)*tanh(B.v1/0.1) - 0.01*reaction(A, tx)*B.v1"}
initial: {A.q: )yaml" +
         number(-1, 1) + R"yaml(, A.v: w0, B.q1: 0.4, B.v1: )yaml" + number(1, 3) + R"yaml(}
signals: {y: F.y, load: "reaction(A, fx)"}
objectives: {high: {terminal: y}, wear: {integral: "load^2"}}
)yaml";
}

GradientReport gradient_of(const Model& model, CoordinateSet set, const std::string& method,
                           const std::string& integrator) {
  const VecX rho = model.default_rho();
  GradientOptions options;
  options.method = method;
  options.run = options_of(set, integrator, 5e-3, 0.2);
  return gradient(model, in(rho), options);
}

TEST(ReactiveForces, GradientsAgree) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::mt19937_64 rng(seed);
    const ModelDescription description = parse_model_yaml(bearings(rng), "bearings.yaml");
    for (const CoordinateSet set : {CoordinateSet::kJoint, CoordinateSet::kCartesian}) {
      const Model model = compile_model(description, builtin_catalogue(), set);
      for (const char* integrator : {"trapezoidal", "generalized-alpha", "rk4"}) {
        SCOPED_TRACE(std::to_string(seed) + " " + std::string(name_of(set)) + " " + integrator);
        const GradientReport expected = gradient_of(model, set, "complex-step", integrator);
        ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
        for (const char* method : {"forward", "adjoint"}) {
          const GradientReport actual = gradient_of(model, set, method, integrator);
          ASSERT_EQ(actual.status, RunStatus::kDone) << actual.message;
          EXPECT_LE(test::gradient_distance(model, actual, expected), 1e-9) << method;
          EXPECT_TRUE(actual.run.warnings.empty()) << actual.run.warnings.front().text;
        }
      }
    }
  }
}

/// Every reaction is a multiplier in one set and follows from the recursion in the other: the same motion to the order
/// of the steps, 1e-9 with rk4 at 5 ms.
TEST(ReactiveForces, CoordinateSetsAgree) {
  for (unsigned seed = 11; seed <= 16; ++seed) {
    std::mt19937_64 rng(seed);
    const ModelDescription description = parse_model_yaml(bearings(rng), "bearings.yaml");
    VecX values[2];
    int k = 0;
    for (const CoordinateSet set : {CoordinateSet::kJoint, CoordinateSet::kCartesian}) {
      const Model model = compile_model(description, builtin_catalogue(), set);
      const GradientReport report = gradient_of(model, set, "adjoint", "rk4");
      ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
      values[k++] =
          Eigen::Map<const VecX>(report.values.data(), Eigen::Index(report.values.size()));
    }
    EXPECT_LE((values[0] - values[1]).norm(), 1e-7 * values[0].norm()) << seed;
  }
}

/// What cannot take such forces says so, and names who can.
TEST(ReactiveForces, RefusalsSayWhoCan) {
  const auto refusal = [](const std::string& coordinates, const std::string& formulation,
                          const std::string& method, CoordinateSet set) {
    const Model model =
        compile_model(parse_model_yaml(kBlock, "block.yaml"), builtin_catalogue(), set);
    const VecX rho = model.default_rho();
    GradientOptions options;
    options.method = method;
    options.run.coordinates = coordinates;
    options.run.formulation = formulation;
    options.run.step = 1e-2;
    options.run.end = 0.1;
    try {
      gradient(model, in(rho), options);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string recursive =
      refusal("joint-com", "fully-recursive", "adjoint", CoordinateSet::kJoint);
  EXPECT_THAT(recursive, HasSubstr("does not take force \"rub\", which reads reactions"));
  EXPECT_THAT(recursive,
              HasSubstr("ali3p, matrix-r, penalty, index1, index3 and semi-recursive do"));
  EXPECT_THAT(refusal("cartesian", "ali3p", "continuous-adjoint", CoordinateSet::kCartesian),
              HasSubstr("that of formulations at acceleration level and with independent "
                        "coordinates does"));
  EXPECT_EQ(refusal("joint-com", "semi-recursive", "adjoint", CoordinateSet::kJoint), "accepted");
  EXPECT_EQ(refusal("cartesian", "ali3p", "adjoint", CoordinateSet::kCartesian), "accepted");
}

TEST(ReactiveForces, OnlyForcesAlongFreeDirectionsReadThem) {
  const std::string text = R"yaml(bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {S: {type: prismatic, bodies: [ground, b], axis: x}}
forces:
  odd: {type: point-force, point: b.com, force: [0, "reaction(S, fz)", 0]}
)yaml";
  try {
    compile_model(parse_model_yaml(text, "odd.yaml"));
    FAIL() << "accepted";
  } catch (const InvalidModel& error) {
    EXPECT_THAT(error.what(), HasSubstr("odd.yaml:4"));
    EXPECT_THAT(error.what(), HasSubstr("joint-force"));
  }
}

}  // namespace
}  // namespace kinegrad

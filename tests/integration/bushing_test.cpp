// Runs with pairs of frames: gradients by every method in all coordinate sets, the energy of an elastic connection at
// finite rotations, and what a model file may say wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

constexpr CoordinateSet kSets[] = {CoordinateSet::kJoint, CoordinateSet::kCartesian,
                                   CoordinateSet::kNatural};
std::string_view name_of(CoordinateSet set) {
  return set == CoordinateSet::kJoint       ? "joint-com"
         : set == CoordinateSet::kCartesian ? "cartesian"
                                            : "natural";
}

GradientReport gradient_of(const Model& model, CoordinateSet set, const std::string& method,
                           const std::string& formulation = "",
                           const std::string& integrator = "trapezoidal") {
  const VecX rho = model.default_rho();
  GradientOptions options;
  options.method = method;
  options.run.coordinates = name_of(set);
  options.run.formulation = formulation;
  options.run.integrator = integrator;
  options.run.step = 2e-3;
  options.run.end = 0.05;
  return gradient(model, in(rho), options);
}

/// Two arms, the second held by a bushing with full matrices at a place that moves with parameters; a loop is closed by a
/// rope, and an actuator follows a signal.
std::string arms(std::mt19937_64& rng) {
  const auto number = [&](double low, double high) {
    return std::to_string(std::uniform_real_distribution<double>(low, high)(rng));
  };
  std::string K, C;
  for (int i = 0; i < 6; ++i) {
    for (std::string* M : {&K, &C}) *M += i == 0 ? "[[" : ", [";
    for (int j = 0; j < 6; ++j) {
      const char* unit = i < 3 && j < 3 ? "400" : i < 3 || j < 3 ? "10" : "6";
      K += (j ? ", \"" : "\"") + std::string(unit) + "*k*" +
           (i == j ? number(0.8, 2) : number(-0.1, 0.1)) + "\"";
      C += (j ? ", " : "") + (i == j ? number(0.5, 1) : number(-0.05, 0.05));
    }
    K += "]";
    C += "]";
  }
  return R"yaml(
parameters: {k: 1.3, L: 0.4, m: 1.2, xb: 0.05, tilt: 0.3}
bodies:
  A: {mass: m, com: [L/2, 0, 0.02], inertia: [0.01, "m*L^2/12 + 0.002", "m*L^2/12"]}
  B: {mass: 0.5, com: [L/2, 0.01, 0], inertia: [0.005, 0.01, 0.012], placement: {position: [L, 0, 0]}, points: {tip: [L, 0, 0]}}
joints:
  J: {type: revolute, bodies: [ground, A], axis: z}
forces:
  g: {type: gravity, acceleration: [0, )yaml" +
         number(-3, 3) + R"yaml(, -9.81]}
  bush: {type: bushing, bodies: [A, B], point: [L+xb, )yaml" +
         number(-0.1, 0.1) + R"yaml(, 0.01], axis: [0, sin(tilt), cos(tilt)], stiffness: )yaml" +
         K + "], damping: " + C +
         R"yaml(], force: ["2*t", 1, 0], torque: [0.1, "0.2*J.q", 0]}
  stay: {type: bushing, bodies: [B, ground], points: [[L, 0, 0], ["2*L", 0.05, xb]], axes: [x, x], references: [y, y], stiffness: [30, 30, 30, k, k, k]}
  coil: {type: torsional-spring-damper, joint: J, stiffness: "10*(1 + 0.3*sin(9*t))", angle: "0.1*tip.y"}
  push: {type: actuator, points: [A.com, B.com], force: "20*sin(10*t) - 3*J.v"}
initial: {J.q: 0.3, J.v: 2}
signals: {z: B.com.z, x: B.com.x, fx: "reaction(J, fx)"}
objectives: {zz: {integral: z^2}, xe: {terminal: x}, load: {integral: "1e-4*fx^2"}}
)yaml";
}

TEST(BushingRuns, GradientsAgreeInAllCoordinateSets) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    std::mt19937_64 rng(seed);
    const ModelDescription description = parse_model_yaml(arms(rng), "arms.yaml");
    for (const CoordinateSet set : kSets) {
      SCOPED_TRACE(std::to_string(seed) + " " + std::string(name_of(set)));
      const Model model = compile_model(description, builtin_catalogue(), set);
      const GradientReport expected = gradient_of(model, set, "complex-step");
      ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
      for (const char* method : {"forward", "adjoint"}) {
        const GradientReport actual = gradient_of(model, set, method);
        ASSERT_EQ(actual.status, RunStatus::kDone) << actual.message;
        EXPECT_LE(test::gradient_distance(model, actual, expected), 1e-9) << method;
        EXPECT_TRUE(actual.run.warnings.empty()) << actual.run.warnings.front().text;
      }
    }
  }
}

/// The formulations see the same forces.
TEST(BushingRuns, GradientsOfEveryFormulation) {
  std::mt19937_64 rng(77);
  const Model model = compile_model(parse_model_yaml(arms(rng), "arms.yaml"));
  const struct {
    const char *formulation, *integrator;
  } cases[] = {{"semi-recursive", "generalized-alpha"},
               {"fully-recursive", "rk4"},
               {"ali3p", "hht"},
               {"matrix-r", "rk4"},
               {"index1", "trapezoidal"},
               {"penalty", "dopri5"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.formulation);
    const auto run = [&](const char* method) {
      return gradient_of(model, CoordinateSet::kJoint, method, c.formulation, c.integrator);
    };
    const GradientReport expected = run("complex-step");
    ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
    for (const char* method : {"forward", "adjoint"}) {
      EXPECT_LE(test::gradient_distance(model, run(method), expected), 1e-9) << method;
    }
  }
}

/// A free body on a bushing without damping, turned by up to 2.5 rad: with rk4 its energy is kept to h⁴, which a law
/// that holds for small rotations only would not do.
TEST(BushingRuns, ElasticEnergyIsKeptAtFiniteRotations) {
  const Model model = compile_model(parse_model_yaml(R"yaml(
bodies: {B: {mass: 0.5, com: [0.1, 0, 0], inertia: [0.005, 0.01, 0.012]}}
forces: {hold: {type: bushing, bodies: [ground, B], point: [0, 0, 0], stiffness: [40, 50, 60, 0.3, 0.2, 0.4]}}
joints: {fly: {type: floating, bodies: [ground, B]}}
initial: {fly.v1: 0.1, fly.v2: 0.2, fly.v3: 0.3, fly.w: [4, 3, 5]}
signals: {e: energy}
)yaml",
                                                     "hold.yaml"));
  const auto error = [&](double step) {
    RunOptions options;
    options.integrator = "rk4";
    options.step = step;
    options.end = 2;
    const SignalTable table = simulate(model, options);
    EXPECT_EQ(table.report.status, RunStatus::kDone) << table.report.message;
    const VecX energy = table.column("e");
    return (energy.array() - energy(0)).abs().maxCoeff();
  };
  const double coarse = error(4e-3), fine = error(2e-3);
  EXPECT_LE(fine, 1e-4);
  EXPECT_GE(coarse / fine, 8);  // order 4 or more
}

/// Stiffness that varies with time does work: the balance counts it, and nobody is warned.
TEST(BushingRuns, SpringsThatVaryDoWork) {
  const Model model = compile_model(parse_model_yaml(R"yaml(
points: {O: [0, 0, 0]}
bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {P: {type: prismatic, bodies: [ground, b], axis: x}}
forces: {s: {type: spring-damper, points: [O, b.com], stiffness: "30*(1 + 0.5*sin(7*t))", length: "0.3 + 0.1*t"}}
initial: {P.q: 1}
)yaml",
                                                     "vary.yaml"));
  RunOptions options;
  options.step = 1e-3;
  options.end = 1;
  const RunReport report = simulate(model, options).report;
  ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
  EXPECT_TRUE(report.warnings.empty()) << report.warnings.front().text;
}

/// What the energy does not depend on may vary: the potential stays.
TEST(BushingRuns, VaryingDampingKeepsThePotential) {
  const Model model = compile_model(parse_model_yaml(R"yaml(
points: {O: [0, 0, 0]}
bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {P: {type: prismatic, bodies: [ground, b], axis: x}}
forces: {s: {type: spring-damper, points: [O, b.com], stiffness: 30, damping: "1 + sin(t)^2", length: 0.3}}
initial: {P.q: 1}
signals: {e: potential_energy}
)yaml",
                                                     "vary.yaml"));
  RunOptions options;
  options.step = 1e-2;
  options.end = 0.1;
  EXPECT_NEAR(simulate(model, options).column("e")(0), 0.5 * 30 * 0.7 * 0.7, 1e-12);
}

/// A wheel that turns on past half a turn against a bushing: the gradient says that the torque snaps.
TEST(BushingRuns, HalfATurnIsReported) {
  const auto warnings = [](double speed) {
    const Model model = compile_model(parse_model_yaml(R"yaml(
parameters: {k: 0.1}
bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {R: {type: revolute, bodies: [ground, b], axis: z}}
forces: {hold: {type: bushing, bodies: [ground, b], point: [0, 0, 0], stiffness: [0, 0, 0, 0, 0, k]}}
initial: {R.v: )yaml" + std::to_string(speed) + R"yaml(}
objectives: {end: {terminal: R.q}}
)yaml",
                                                       "turn.yaml"));
    const VecX rho = model.default_rho();
    GradientOptions options;
    options.run.step = 1e-2;
    options.run.end = 1;
    return gradient(model, in(rho), options).run.warnings;
  };
  EXPECT_TRUE(warnings(2).empty());
  const Warnings found = warnings(5);  // the energy that jumps is told, too
  const auto kink =
      std::find_if(found.begin(), found.end(), [](const Warning& w) { return w.kind == "kink"; });
  ASSERT_NE(kink, found.end());
  EXPECT_THAT(kink->text, HasSubstr("half a turn"));
  EXPECT_EQ(kink->element, "hold");
}

class BrokenBushing : public testing::TestWithParam<std::pair<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(
    Fields, BrokenBushing,
    testing::Values(
        std::pair{"bodies: [ground, b], stiffness: [1, 2, 3]", "6 numbers"},
        std::pair{"bodies: [ground, b], stiffness: [[1, 2], 3, 4, 5, 6, 7]", "6 numbers"},
        std::pair{"bodies: [b, b], stiffness: [1, 1, 1, 1, 1, 1]", "are the same"},
        std::pair{"bodies: [ground, c], stiffness: [1, 1, 1, 1, 1, 1]", "\"c\""},
        std::pair{"bodies: [ground, b], point: [0, 0, 0], points: [[0, 0, 0], [0, 0, 0]], "
                  "stiffness: [1, 1, 1, 1, 1, 1]",
                  "not both"},
        std::pair{"bodies: [ground, b], axis: [0, 0, 2], stiffness: [1, 1, 1, 1, 1, 1]",
                  "unit vector"},
        std::pair{"bodies: [ground, b], reference: y, stiffness: [1, 1, 1, 1, 1, 1]", "axis"},
        std::pair{"bodies: [ground, b], references: [y, y], stiffness: [1, 1, 1, 1, 1, 1]", "axes"},
        std::pair{"bodies: [ground, b]", "stiffness"},
        std::pair{"bodies: [ground, b], stiffness: 5", "stiffness"}));

TEST_P(BrokenBushing, IsRefusedWithItsLine) {
  const auto& [fields, word] = GetParam();
  const std::string text =
      "bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\nforces:\n  hold: {type: "
      "bushing, " +
      std::string(fields) + "}\n";
  try {
    compile_model(parse_model_yaml(text, "broken.yaml"));
    FAIL() << "accepted";
  } catch (const InvalidModel& error) {
    EXPECT_THAT(error.what(), HasSubstr(word));
    EXPECT_THAT(error.what(), HasSubstr("broken.yaml:3"));
  }
}

}  // namespace
}  // namespace kinegrad

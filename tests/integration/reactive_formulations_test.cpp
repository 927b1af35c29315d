// Forces that read reactions [RL-1] in every formulation, coordinate set and integrator that take them: forward = adjoint =
// complex step, methods agree with each other, a redundant loop elsewhere does no harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

struct Way {
  const char *coordinates, *formulation, *integrator;
};

CoordinateSet set_of(const Way& way) { return coordinate_set_named(way.coordinates); }

std::string name_of(const Way& way) {
  return std::string(way.coordinates) + " " + way.formulation + " " + way.integrator;
}

GradientReport gradient_of(const Model& model, const Way& way, const std::string& method,
                           double step, double end) {
  const VecX rho = model.default_rho();
  GradientOptions options;
  options.method = method;
  options.run.coordinates = way.coordinates;
  options.run.formulation = way.formulation;
  options.run.integrator = way.integrator;
  options.run.step = step;
  options.run.end = end;
  return gradient(model, in(rho), options);
}

std::string number(std::mt19937_64& rng, double low, double high) {
  return std::to_string(std::uniform_real_distribution<double>(low, high)(rng));
}

/// A spatial four-bar linkage without redundancy: two revolute joints on the ground, a coupler with a spherical and a
/// universal joint. Both bearings rub, with what they carry across their axes; a motor drives.
std::string linkage(std::mt19937_64& rng) {
  return R"yaml(
parameters: {m: 1.1, L: 0.3, mu: 0.2, r: )yaml" +
         number(rng, 0.01, 0.04) + R"yaml(, torque: )yaml" + number(rng, 0.5, 1.5) + R"yaml(}
bodies:
  crank: {mass: m, com: [L/2, 0, 0.01], inertia: [0.004, 0.01, 0.012], points: {E: [L, 0, 0]}}
  rod: {mass: 0.8, com: [0.4, 0.02, 0], inertia: [0.003, 0.03, 0.031]}
  rocker: {mass: 1.3, com: [0.2, 0, -0.02], inertia: [0.004, 0.02, 0.022], points: {F: [0.5, 0, 0]}}
joints:
  A: {type: revolute, bodies: [ground, crank], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}
  D: {type: revolute, bodies: [ground, rocker], points: [[0.8, 0, 0.1], [0, 0, 0]], axes: [[0, 0.28, 0.96], [0, 0.28, 0.96]], references: [x, x]}
  B: {type: universal, bodies: [crank, rod], points: [E, [0, 0, 0]], axes: [z, y]}
  C: {type: spherical, bodies: [rod, rocker], points: [[0.75, 0, 0], F]}
forces:
  g: {type: gravity, acceleration: [0.3, -9.81, 0.6]}
  motor: {type: joint-force, joint: A, value: "torque - 0.05*A.v"}
  rub: {type: joint-force, joint: A, value: "-mu*r*hypot(reaction(A, fx), reaction(A, fy))*tanh(A.v/0.2)"}
  rub2: {type: joint-force, joint: D, value: "-mu*r*sqrt(reaction(D, fx)^2 + reaction(D, fy)^2 + 4*reaction(D, tx)^2)*tanh(D.v/0.2)"}
initial: {A.q: 0.6, A.v: )yaml" +
         number(rng, 1, 3) + R"yaml(}
guess: {D.q: 1.3}
signals: {turn: A.v, load: "reaction(D, fx)", x: rocker.com.x}
objectives: {fast: {terminal: turn}, wear: {integral: "load^2/1000"}, way: {integral: "x + turn^2"}}
)yaml";
}

constexpr Way kWays[] = {{"joint-com", "index1", "trapezoidal"},
                         {"joint-com", "index1", "rk4"},
                         {"joint-com", "penalty", "trapezoidal"},
                         {"joint-com", "penalty", "rk4"},
                         {"joint-com", "index3", "hht"},
                         {"joint-com", "ali3p", "trapezoidal"},
                         {"joint-com", "ali3p", "generalized-alpha"},
                         {"joint-com", "matrix-r", "trapezoidal"},
                         {"joint-com", "matrix-r", "generalized-alpha"},
                         {"joint-com", "matrix-r", "rk4"},
                         {"joint-origin", "matrix-r", "trapezoidal"},
                         {"cartesian", "index1", "rk4"},
                         {"cartesian", "index1", "trapezoidal"},
                         {"cartesian", "ali3p", "trapezoidal"},
                         {"cartesian", "matrix-r", "trapezoidal"},
                         {"cartesian", "penalty", "trapezoidal"},
                         {"natural", "index1", "rk4"},
                         {"natural", "matrix-r", "trapezoidal"},
                         {"natural", "ali3p", "trapezoidal"},
                         {"joint-com", "matrix-r", "esdirk3"},
                         {"joint-com", "index1", "esdirk4"},
                         {"cartesian", "index1", "esdirk3"},
                         {"cartesian", "matrix-r", "esdirk4"},
                         {"cartesian", "penalty", "esdirk3"},
                         {"cartesian", "ali3p", "esdirk3"},
                         {"natural", "matrix-r", "esdirk4"}};

class ReactiveWays : public testing::TestWithParam<Way> {};

TEST_P(ReactiveWays, GradientsOfALinkageAgree) {
  const Way way = GetParam();
  for (unsigned seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE(name_of(way) + " " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    const Model model = compile_model(parse_model_yaml(linkage(rng), "linkage.yaml"),
                                      builtin_catalogue(), set_of(way));
    const GradientReport expected = gradient_of(model, way, "complex-step", 5e-3, 0.1);
    ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
    for (const char* method : {"forward", "adjoint"}) {
      const GradientReport actual = gradient_of(model, way, method, 5e-3, 0.1);
      ASSERT_EQ(actual.status, RunStatus::kDone) << actual.message;
      EXPECT_LE(test::gradient_distance(model, actual, expected), 1e-9) << method;
      EXPECT_TRUE(actual.run.warnings.empty()) << actual.run.warnings.front().text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReactiveWays, testing::ValuesIn(kWays), [](const auto& way) {
  std::string name = name_of(way.param);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

}  // namespace
}  // namespace kinegrad

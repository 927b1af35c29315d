// Which reactions are unique [RL-7], and forces that read them beside redundant loops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/io/model_info.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/mobility.hpp"
#include "kinegrad/simulation/signal_table.hpp"
#include "kinegrad/simulation/unique_reactions.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A planar four-bar linkage of revolute joints, and a slider that hangs on its crank or on the ground; `friction` is added.
std::string four_bar(const std::string& slider_on, const std::string& friction) {
  return R"yaml(
parameters: {mu: 0.2, m: 1.5, L: 0.2}
bodies:
  crank: {mass: 1, com: [0.1, 0, 0], inertia: [0.004, 0.01, 0.012], points: {E: [L, 0, 0]}}
  rod: {mass: 0.8, com: [0.3, 0.02, 0], inertia: [0.003, 0.03, 0.031], points: {F: [0.6, 0, 0]}}
  rocker: {mass: 1.3, com: [0.2, 0, 0], inertia: [0.004, 0.02, 0.022], points: {G: [0.4, 0, 0]}}
  block: {mass: m, com: [0, 0.01, 0.02], inertia: [0.01, 0.01, 0.01]}
joints:
  A: {type: revolute, bodies: [ground, crank], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}
  D: {type: revolute, bodies: [ground, rocker], points: [[0.6, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}
  B: {type: revolute, bodies: [crank, rod], points: [E, [0, 0, 0]], axes: [z, z], references: [x, x]}
  C: {type: revolute, bodies: [rod, rocker], points: [F, G], axes: [z, z], references: [x, x]}
  S: {type: prismatic, bodies: [)yaml" +
         slider_on +
         R"yaml(, block], points: [[0, 0, 0.1], [0, 0, 0]], axes: [x, z], references: [y, x]}
forces:
  g: {type: gravity, acceleration: [0.4, -9.81, 0.3]}
)yaml" + friction +
         R"yaml(
initial: {A.q: 0.9, A.v: 4, S.v: 1}
guess: {D.q: 1.4}
signals: {x: S.q, w: A.v}
objectives: {way: {terminal: x}, turn: {integral: "w^2"}}
)yaml";
}

const std::string kOnSlider =
    "  rub: {type: friction, joint: S, friction: mu, slip_speed: 0.05, end1: -0.1, end2: 0.1, "
    "width: 0.2}\n";
const std::string kOnCrank =
    "  rub: {type: friction, joint: A, friction: mu, slip_speed: 0.05, radius: 0.02, end1: -0.1, "
    "end2: 0.1}\n";
const std::string kShort =
    "  rub: {type: friction, joint: A, friction: mu, slip_speed: 0.05, radius: 0.02, "
    "thrust_radius: 0}\n";

TEST(UniqueReactions, PlanarLoopLeavesWhatIsOutOfItsPlaneOpen) {
  for (const CoordinateSet set :
       {CoordinateSet::kJoint, CoordinateSet::kCartesian, CoordinateSet::kNatural}) {
    const Model model = compile_model(parse_model_yaml(four_bar("ground", kOnSlider), "loop.yaml"),
                                      builtin_catalogue(), set);
    const std::vector<double> p = model.default_physical();
    const Mobility mobility = mobility_of(model, p);
    ASSERT_TRUE(mobility.assembled) << mobility.message;
    std::map<std::string, std::string> found;
    for (const AmbiguousReaction& one : ambiguous_reactions(model, p, in(mobility.q))) {
      found[model.joints()[std::size_t(one.joint)].name] = names_of(one.components);
    }
    if (set ==
        CoordinateSet::kNatural) {  // joints that share points have no multipliers of their own
      EXPECT_EQ(found.count("S"), 0u);
      continue;
    }
    const std::map<std::string, std::string> expected{
        {"A", "fz, tx, ty"}, {"B", "fz, tx, ty"}, {"C", "fz, tx, ty"}, {"D", "fz, tx, ty"}};
    EXPECT_EQ(found, expected);
  }
  const Model model = compile_model(parse_model_yaml(four_bar("ground", kOnSlider), "loop.yaml"));
  EXPECT_THAT(model_info_text(model),
              HasSubstr("reaction of joint \"B\": not unique in fz, tx, ty"));
  EXPECT_THAT(model_info_text(model), Not(HasSubstr("reaction of joint \"S\"")));
}

/// A slider on the crank loads the loop, but its own reaction is unique.
TEST(UniqueReactions, LoadsOnALoopAreUnique) {
  const Model model = compile_model(parse_model_yaml(four_bar("crank", kOnSlider), "loop.yaml"));
  const std::vector<double> p = model.default_physical();
  const Mobility mobility = mobility_of(model, p);
  for (const AmbiguousReaction& one : ambiguous_reactions(model, p, in(mobility.q))) {
    EXPECT_NE(model.joints()[std::size_t(one.joint)].name, "S");
  }
  EXPECT_EQ(reactive_refusal(model, p, in(mobility.q)), "");
}

TEST(UniqueReactions, FrictionOfWhatIsNotUniqueIsRefused) {
  for (const char* coordinates : {"joint-com", "cartesian", "natural"}) {
    const Model model = compile_model(parse_model_yaml(four_bar("ground", kOnCrank), "loop.yaml"),
                                      builtin_catalogue(), coordinate_set_named(coordinates));
    RunOptions options;
    options.coordinates = coordinates;
    options.step = 1e-2;
    options.end = 0.1;
    const SignalTable table = simulate(model, options);
    EXPECT_NE(table.report.status, RunStatus::kDone);
    EXPECT_TRUE(table.report.input_wrong);
    EXPECT_THAT(table.report.message,
                HasSubstr("force \"rub\" reads reactions that are not unique"));
    EXPECT_THAT(table.report.message, HasSubstr("joint \"A\" (fz, tx, ty in its own axes)"));
    EXPECT_THAT(table.report.message, HasSubstr("of joint \""));
    EXPECT_THAT(table.report.message, HasSubstr("spherical and universal"));
  }
}

struct Case {
  const char* on;
  const std::string* friction;
  const char *coordinates, *formulation, *integrator;
};

/// A redundant loop elsewhere, or one that friction reads only the unique part of, does no harm: all ways lead to the same
/// motion, with exact gradients.
TEST(UniqueReactions, RedundantLoopsDoNoHarm) {
  const Case cases[] = {{"ground", &kOnSlider, "joint-com", "index1", "rk4"},
                        {"ground", &kOnSlider, "cartesian", "index1", "rk4"},
                        {"crank", &kOnSlider, "joint-com", "matrix-r", "rk4"},
                        {"crank", &kOnSlider, "cartesian", "matrix-r", "rk4"},
                        {"crank", &kOnSlider, "joint-com", "ali3p", "trapezoidal"},
                        {"ground", &kShort, "joint-com", "index1", "trapezoidal"},
                        {"ground", &kShort, "joint-com", "matrix-r", "trapezoidal"},
                        {"ground", &kShort, "cartesian", "matrix-r", "rk4"},
                        {"ground", &kShort, "cartesian", "ali3p", "trapezoidal"},
                        {"ground", &kShort, "natural", "matrix-r", "rk4"}};
  std::map<std::string, double> ends;
  for (const Case& one : cases) {
    SCOPED_TRACE(std::string(one.on) + " " + one.coordinates + " " + one.formulation);
    const Model model =
        compile_model(parse_model_yaml(four_bar(one.on, *one.friction), "loop.yaml"),
                      builtin_catalogue(), coordinate_set_named(one.coordinates));
    const VecX rho = model.default_rho();
    GradientOptions options;
    options.run.coordinates = one.coordinates;
    options.run.formulation = one.formulation;
    options.run.integrator = one.integrator;
    options.run.step = 2e-3;
    options.run.end = 0.1;
    options.method = "complex-step";
    const GradientReport expected = gradient(model, in(rho), options);
    ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
    for (const char* method : {"forward", "adjoint"}) {
      options.method = method;
      const GradientReport actual = gradient(model, in(rho), options);
      ASSERT_EQ(actual.status, RunStatus::kDone) << actual.message;
      EXPECT_LE(test::gradient_distance(model, actual, expected), 1e-9) << method;
    }
    if (one.integrator != std::string("rk4")) continue;
    const std::string key = one.on + *one.friction;
    const auto [at, isnew] = ends.emplace(key, expected.values[1]);
    if (!isnew) {
      EXPECT_NEAR(at->second, expected.values[1], 1e-6 * std::abs(at->second));
    }
  }
}

}  // namespace
}  // namespace kinegrad

// A spline that is read beyond its nodes is a warning of every run; inside them, and periodic ones, are none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/simulation/simulator.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

std::vector<Warning> spline_warnings(const std::string& rest, double end) {
  const Model model = compile_model(parse_model_yaml(
      "bodies: {rod: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {hinge: {type: revolute, bodies: [ground, rod], point: [0, 0, 0], axis: z}}\n" +
          rest,
      "splines.yaml"));
  RunOptions options;
  options.step = 0.01;
  options.end = end;
  const RunReport report =
      Simulator(model, options).run(model.default_physical(), [](const auto&) { return true; });
  EXPECT_TRUE(report.done()) << report.message;
  std::vector<Warning> found;
  for (const Warning& warning : report.warnings) {
    if (warning.kind == "spline") found.push_back(warning);
  }
  return found;
}

const std::string kPush =
    "splines: {u: {nodes: [0, 0.5, 1], values: [0, 1, 0]}}\n"
    "forces: {push: {type: joint-force, joint: hinge, value: u(t)}}\n";

TEST(SplineWatch, TableThatEndsBeforeTheRun) {
  const auto found = spline_warnings(kPush, 1.5);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].element, "push");
  EXPECT_THAT(found[0].text,
              HasSubstr("force \"push\" reads a spline at 1.5, beyond its nodes from "
                        "0 to 1"));
  EXPECT_TRUE(spline_warnings(kPush, 1).empty());
}

TEST(SplineWatch, SignalsAndObjectivesThatReadTheMotion) {
  const auto found = spline_warnings(
      "splines: {s: {nodes: [0, 1], values: [0, 2]}}\n"
      "initial: {hinge.v: -1}\n"
      "objectives: {o: {terminal: s(hinge.q)}}\n",
      0.5);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].text, HasSubstr("objective \"o\" reads a spline at -0.5"));
}

/// One spline, read at several places: each reader is warned of its own.
TEST(SplineWatch, ArgumentsOfEveryKind) {
  const auto found = spline_warnings(
      "parameters: {late: 0.1}\n"
      "splines: {s: {nodes: [0, 1], values: [0, 2]}, r: {nodes: [-9, 9], values: [-9, 9]}}\n"
      "initial: {hinge.v: 4}\n"
      "signals: {a: s(kinetic_energy), b: s(t - late), c: s(r(t + 1)), d: s(hinge.v/8)}\n",
      0.2);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_THAT(found[0].text, HasSubstr("signal \"a\" reads a spline at 2.8, beyond"));
  EXPECT_THAT(found[1].text, HasSubstr("signal \"b\" reads a spline at -0.1, beyond"));
  EXPECT_THAT(found[2].text, HasSubstr("signal \"c\" reads a spline at 1.2, beyond"));
}

/// Monitors look at some steps of a long run; the splines are watched in all of them.
TEST(SplineWatch, ShortExcursionInALongRun) {
  const auto found = spline_warnings(
      "splines: {s: {nodes: [0, 1], values: [0, 2]}}\n"
      "signals: {peak: s(2*exp(-((t - 30.07)/0.02)^2))}\n",
      100);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].text, HasSubstr("signal \"peak\" reads a spline at 2, beyond its nodes"));
  EXPECT_NEAR(found[0].t, 30.07, 1e-9);
}

TEST(SplineWatch, PeriodicSplinesHaveNoEnd) {
  EXPECT_TRUE(
      spline_warnings("splines: {u: {type: periodic, nodes: [0, 0.25, 0.5], values: [0, 1, 0]}}\n"
                      "forces: {push: {type: joint-force, joint: hinge, value: u(t)}}\n",
                      1.5)
          .empty());
}

/// The factorisation may lose an equation, which is no coordinate with a name.
TEST(SingularStart, EquationThatIsLostIsNoCoordinate) {
  const Model model = compile_model(parse_model_yaml(
      "bodies: {rod: {mass: 2, com: [0.5, 0, 0], inertia: [0, 0.1, 0.1], points: {tip: [1, -1e308, "
      "0]}}}\n"
      "joints: {hinge: {type: revolute, bodies: [ground, rod], point: [0, 0, 0], axis: z}}\n"
      "constraints: {circle: {type: expression, expression: tip.x^2 + tip.y^2 - 1}}\n",
      "lost.yaml"));
  RunOptions options;
  options.step = 0.01;
  options.end = 0.1;
  options.integrator = "newmark";
  const RunReport report =
      Simulator(model, options).run(model.default_physical(), [](const auto&) { return true; });
  EXPECT_FALSE(report.done());
  EXPECT_FALSE(report.message.empty());
}

}  // namespace
}  // namespace kinegrad

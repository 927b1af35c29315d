// Starts and ends are judged against the mechanism's own size [KP-11], [KP-12]: the same mechanism built at
// 1 mm and at 100 km starts alike, and contradictions of the same share are refused alike.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/simulation/simulator.hpp"
#include "support/closed_loops.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

RunReport simulated(const std::string& text, double step, double end) {
  const Model model = test::model_of(text);
  RunOptions options;
  options.step = step;
  options.end = end;
  Simulator simulator(model, options);
  return simulator.run(model.default_physical(), [](const auto&) { return true; });
}

/// Two drives of one slide that come apart by `apart` in half a second.
std::string two_drives(double size, double apart) {
  return fmt::format(R"(
bodies: {{a: {{mass: 0.001, inertia: [1e-9, 1e-9, 1e-9], points: {{p: [{:.17g}, 0, 0]}}}}}}
joints: {{j: {{type: planar, bodies: [ground, a], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}}}}
constraints:
  d: {{type: prescribed, coordinate: j.q1, value: 0}}
  e: {{type: prescribed, coordinate: j.q1, value: {:.17g}*t^2}}
)",
                     size, 4 * apart);
}

TEST(StartSize, DrivesThatContradictAreRefusedAtAnySize) {
  for (const double size : {1e-4, 5e-3, 1.0, 1e3}) {
    SCOPED_TRACE(size);
    const RunReport report = simulated(two_drives(size, 1.8 * size), 0.01, 0.5);
    EXPECT_FALSE(report.done());
    EXPECT_THAT(report.message, HasSubstr("contradict"));
  }
}

/// A four-bar linkage beside a slide with a point that signals alone could read.
std::string four_bar_beside(double far) {
  return fmt::format(R"(
points: {{O: [0, 0, 0], D: [1, 0, 0]}}
bodies:
  crank: {{mass: 0.5, com: [0.15, 0, 0], inertia: [0, 0.004, 0.004], points: {{PA: [0.3, 0, 0]}}}}
  coupler: {{mass: 1, com: [0.45, 0.1, 0], inertia: [0.01, 0.07, 0.07], points: {{PB: [0.9, 0, 0]}}}}
  rocker: {{mass: 0.8, com: [0.35, 0, 0], inertia: [0, 0.03, 0.03], points: {{PC: [0.7, 0, 0]}}}}
  slide: {{mass: 1, com: [0, 0, 0], inertia: [1, 1, 1], points: {{Q: [{:.17g}, 0, 0]}}}}
joints:
  A: {{type: revolute, bodies: [ground, crank], points: [O, [0,0,0]], axes: [z, z], references: [x, x]}}
  B: {{type: revolute, bodies: [crank, coupler], points: [PA, [0,0,0]], axes: [z, z], references: [[0.6, 0.8, 0], x]}}
  C: {{type: revolute, bodies: [coupler, rocker], points: [PB, PC], axes: [z, z], references: [x, x]}}
  E: {{type: revolute, bodies: [ground, rocker], points: [D, [0,0,0]], axes: [z, z], references: [y, x]}}
  S: {{type: prismatic, bodies: [ground, slide], points: [[0,0,0], [0,0,0]], axes: [y, y], references: [x, x]}}
forces:
  w: {{type: gravity, acceleration: [0, -9.81, 0]}}
  drag: {{type: torsional-spring-damper, joint: A, stiffness: 0, damping: 0.001}}
initial: {{A.q: 0.3, A.v: 1}}
objectives: {{q: {{terminal: E.q}}}}
)",
                     far);
}

/// With 1e9 m as its size the loop began 0.8 m open, and the run gained 1e4 J.
TEST(StartSize, PointsThatNoEquationReadsDoNotMatter) {
  const RunReport near = simulated(four_bar_beside(1), 2e-3, 1);
  const RunReport far = simulated(four_bar_beside(1e9), 2e-3, 1);
  ASSERT_TRUE(near.done() && far.done()) << near.message << far.message;
  EXPECT_NEAR(far.objectives[0], near.objectives[0], 1e-12);
  EXPECT_LT(far.monitors.balance, 1e-3 * far.monitors.scale);
}

/// A rod of 90 km: the rounding of ½L² alone is a micrometre squared.
std::string long_rod(double size) {
  return fmt::format(R"(
points: {{G: [{0:.17g}*2, 0, 0]}}
bodies:
  a: {{mass: 1, com: [1, 0, 0], inertia: [1, 1, 1], points: {{pa: [{0:.17g}, 0, 0]}}}}
  b: {{mass: 1, com: [1, 0, 0], inertia: [1, 1, 1], points: {{pb: [{0:.17g}*1.5, 0, 0]}}}}
joints:
  ja: {{type: revolute, bodies: [ground, a], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [y, x]}}
  jb: {{type: revolute, bodies: [a, b], points: [pa, [0, 0, 0]], axes: [z, z], references: [[cos(1.2), -sin(1.2), 0], x]}}
constraints: {{c: {{type: distance, points: [G, pb], length: {0:.17g}*0.9}}}}
initial: {{ja.q: 0.1}}
)",
                     size);
}

TEST(StartSize, TheSameMechanismStartsAtAnySize) {
  VecX expected;
  for (const double size : {1.0, 1e-4, 1e-3, 1e2, 1e5, 1e6}) {
    SCOPED_TRACE(size);
    const Model model = test::model_of(long_rod(size));
    const StepState<double> x = test::assembled<double>(model, model.default_physical());
    if (size == 1) expected = x.q;
    EXPECT_LE((x.q - expected).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace kinegrad

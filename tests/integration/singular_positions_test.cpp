// Through positions where rows become dependent, where a choice of coordinates fails, or both.
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/formulations/matrix_r.hpp"
#include "support/closed_loops.hpp"

namespace kinegrad {
namespace {

using test::ConstraintSizes;
using test::Method;

/// Two cranks of 1 m on the ground 2 m apart and a coupler of 2 m: flat at crank angles 0 and π, where
/// it could go on as a parallelogram or crossed.
Model parallelogram(const std::string& drive) {
  return test::model_of(R"(
points: {O: [0, 0, 0], D: [2, 0, 0]}
bodies:
  crank: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], points: {PA: [1, 0, 0]}}
  coupler: {mass: 2, com: [1, 0, 0], inertia: [0.01, 0.6, 0.6], points: {PB: [2, 0, 0]}}
  rocker: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], points: {PC: [1, 0, 0]}}
joints:
  A: {type: revolute, bodies: [ground, crank], points: [O, [0, 0, 0]], axes: [z, z], references: [x, x]}
  B: {type: revolute, bodies: [crank, coupler], points: [PA, [0, 0, 0]], axes: [z, z], references: [x, [0.5, sqrt(3)/2, 0]]}
  E: {type: revolute, bodies: [ground, rocker], points: [D, [0, 0, 0]], axes: [z, z], references: [[0.5, sqrt(3)/2, 0], x]}
  C: {type: revolute, bodies: [coupler, rocker], points: [PB, PC], axes: [z, z], references: [x, x], cut: true}
forces:
  weight: {type: gravity, acceleration: [0, -2, 0]}
)" + drive);
}

/// A crank longer than its offset from rest: the slider is the coordinate that changes least, until it
/// stands still.
Model slider_crank() {
  return test::model_of(R"(
points: {O: [0, 0, 0]}
bodies:
  crank: {mass: 1, com: [1.5, 0, 0], inertia: [0.01, 0.75, 0.75], points: {P: [3, 0, 0]}}
  rod: {mass: 1, com: [2.5, 0, 0], inertia: [0.01, 2, 2], points: {Q: [5, 0, 0]}}
  slider: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1], points: {S: [0, 0, 0]}}
joints:
  crank: {type: revolute, bodies: [ground, crank], points: [O, [0, 0, 0]], axes: [z, z], references: [x, x]}
  knee: {type: revolute, bodies: [crank, rod], points: [P, [0, 0, 0]], axes: [z, z], references: [x, x]}
  slide: {type: prismatic, bodies: [ground, slider], points: [O, [0, 0, 0]], axes: [x, x], references: [y, y]}
  pin: {type: revolute, bodies: [rod, slider], points: [Q, S], axes: [z, z], cut: true}
forces:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
initial: {crank.q: 1.5, crank.v: 3}
)");
}

struct Outcome {
  StepState<double> end;
  ConstraintSizes sizes;
  int selections = 0;
  std::vector<int> first_choice;
};

Outcome outcome(const Model& model, const Method& method, double end, int steps,
                const test::StepObserver<double>& observer = {}) {
  const std::vector<double> p = model.default_physical();
  Outcome out{{}, ConstraintSizes(model, p), 0, {}};
  const auto solver =
      make_formulation<double>(method.formulation, model, method.point, method.constraints);
  solver->set_parameters(p);
  const auto* matrix_r = dynamic_cast<const MatrixR<double>*>(solver.get());
  out.end = test::run_from<double>(test::assembled<double>(model, p), *solver, method, end, steps,
                                   [&](const StepState<double>& x) {
                                     out.sizes.take(x);
                                     if (matrix_r && out.first_choice.empty()) {
                                       out.first_choice = matrix_r->independent();
                                     }
                                     if (observer) observer(x);
                                   });
  if (matrix_r) out.selections = matrix_r->selections();
  return out;
}

/// Positions to Newton's tolerance, speeds and accelerations to rounding.
void expect_held(const Outcome& out, const Method& method) {
  EXPECT_LE(out.sizes.positions, 1e-10) << method.name();
  EXPECT_LE(out.sizes.speeds, 1e-12) << method.name();
  EXPECT_LE(out.sizes.accelerations, 1e-10) << method.name();
}

/// Of a penalty at acceleration level: the error of the step, stabilised with Ω = 10/s.
void expect_held_softly(const Outcome& out, const Method& method, double bound) {
  EXPECT_LE(out.sizes.positions, bound) << method.name();
  EXPECT_LE(out.sizes.speeds, 20 * bound) << method.name();
}

TEST(SingularPositions, Bricard) {
  const Model model = test::example("bricard");
  constexpr double kEnd = 10;
  const VecX expected = outcome(model, {"matrix-r", "rk4"}, kEnd, 10000).end.q;
  for (const Method& method : {Method{"ali3p", "trapezoidal"}, Method{"matrix-r", "trapezoidal"}}) {
    const Outcome out = outcome(model, method, kEnd, 10000);
    expect_held(out, method);
    // near the end of a swing: phase errors of 1e-6 are felt with their square
    EXPECT_LE((out.end.q - expected).norm(), 1e-6) << method.name();
  }
  const Method penalty{"penalty", "trapezoidal"};
  const Outcome soft = outcome(model, penalty, kEnd, 10000);
  expect_held_softly(soft, penalty, 1e-6);
  EXPECT_LE((soft.end.q - expected).norm(), 1e-3);
}

TEST(SingularPositions, BricardIsChosenAnew) {
  const Outcome out = outcome(test::example("bricard"), {"matrix-r", "trapezoidal"}, 2, 1000);
  EXPECT_GE(out.selections, 2);
}

/// The flat position is passed with momentum, so it stays a parallelogram: E.q follows A.q, from π/3
/// at the start, and the coupler does not turn. This is what asks for the large penalty of ali3p: at
/// 1e10 the border of a 1 ms step is 4e-4 of the rows', felt within 0.02 rad of the flat position, and
/// thirty iterations of Newton's method are not enough there.
TEST(SingularPositions, ParallelogramSwingsThroughFlat) {
  const Model model = parallelogram("initial: {A.q: pi/3, A.v: 4}");
  for (const Method& method : {Method{"ali3p", "trapezoidal"}, Method{"matrix-r", "trapezoidal"},
                               Method{"matrix-r", "rk4"}, Method{"index3", "generalized-alpha"}}) {
    for (const int steps : {1500, 1501, 1507}) {
      double turned = 0;
      const Outcome out = outcome(model, method, 1.5, steps, [&](const StepState<double>& x) {
        turned = std::max(turned, std::abs(x.q(0) + x.q(1) - M_PI / 3));
      });
      EXPECT_LE(out.sizes.positions, 1e-10) << method.name();
      EXPECT_GE(out.end.q(0), 2.3 * M_PI) << "two flat positions are behind";
      EXPECT_LE(turned, 1e-7) << method.name() << ", " << steps;
      EXPECT_NEAR(out.end.q(2), out.end.q(0) - M_PI / 3, 1e-7) << method.name();
    }
  }
}

Model driven_parallelogram() {
  return parallelogram(
      "constraints: {drive: {type: prescribed, coordinate: A.q, value: pi/3 + 3*t}}");
}

TEST(SingularPositions, ParallelogramIsDrivenThroughFlat) {
  const Model model = driven_parallelogram();
  const Method method{"matrix-r", "trapezoidal"};
  for (const int steps : {1500, 1501, 1507}) {
    const Outcome out = outcome(model, method, 2, steps);
    EXPECT_LE(out.sizes.positions, 1e-10);
    EXPECT_NEAR(out.end.q(0), M_PI / 3 + 6, 1e-9);
    EXPECT_NEAR(out.end.q(2), 6, 1e-7) << steps;
  }
}

/// A step that ends exactly in the flat position: the rows lose a direction, its guess is kept.
TEST(SingularPositions, ParallelogramIsDrivenOntoFlat) {
  const Model model = driven_parallelogram();
  constexpr double kEnd = 4 * M_PI / 9;  // flat half way
  for (const char* formulation : {"matrix-r", "kinematic"}) {
    for (const int steps : {10, 100, 1000}) {
      const Outcome out = outcome(model, {formulation, "trapezoidal"}, kEnd, steps);
      EXPECT_LE(out.sizes.positions, 1e-9) << formulation << ", " << steps;
      EXPECT_NEAR(out.end.q(2), 3 * kEnd, 1e-7) << formulation << ", " << steps;
    }
  }
}

/// Rows alone say where the rocker goes, and in the flat position they do not: a smaller border and
/// every term of Newton's matrix carry ali3p and the penalties through [B-3].
TEST(SingularPositions, ParallelogramIsDrivenThroughFlatWithMultipliers) {
  const Model model = driven_parallelogram();
  for (const int steps : {1500, 1501, 1507}) {
    const Outcome out = outcome(model, {"ali3p", "trapezoidal"}, 2, steps);
    EXPECT_LE(out.sizes.positions, 1e-9) << steps;  // ten times Newton's tolerance
    EXPECT_NEAR(out.end.q(2), 6, 1e-7) << steps;
    const Outcome soft = outcome(model, {"penalty", "trapezoidal"}, 2, steps);
    EXPECT_NEAR(soft.end.q(2), 6, 1e-6) << steps;
  }
}

/// Where the crank passes its dead points the slider stands still and can describe nothing.
TEST(SingularPositions, DeadPoints) {
  const Model model = slider_crank();
  constexpr double kEnd = 3;
  const Outcome expected = outcome(model, {"matrix-r", "rk4"}, kEnd, 3000);
  EXPECT_GE(expected.end.q(0), 2 * M_PI) << "both dead points were passed";
  for (const Method& method : {Method{"ali3p", "trapezoidal"}, Method{"matrix-r", "trapezoidal"},
                               Method{"matrix-r", "rk4"}}) {
    const Outcome out = outcome(model, method, kEnd, 3000);
    expect_held(out, method);
    EXPECT_LE((out.end.q - expected.end.q).norm(), 1e-2) << method.name();
    if (method.formulation != "matrix-r") continue;
    EXPECT_EQ(out.first_choice, std::vector<int>{2}) << "the slider";
    EXPECT_GE(out.selections, 2) << method.name();
  }
  const Method penalty{"penalty", "trapezoidal"};
  const Outcome soft = outcome(model, penalty, kEnd, 3000);
  expect_held_softly(soft, penalty, 1e-4);
  EXPECT_LE((soft.end.q - expected.end.q).norm(), 1e-2);
}

}  // namespace
}  // namespace kinegrad

// The complex step goes where forward and adjoint go: derivatives that are zero but for reactions, starts of
// spherical joints that are nearest to the drawing.
#include <gtest/gtest.h>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "support/gradient_distance.hpp"
#include "support/refusals.hpp"

namespace kinegrad {
namespace {

struct Choice {
  const char *coordinates, *formulation, *integrator;
};

constexpr Choice kChoices[] = {
    {"joint-com", "ali3p", "trapezoidal"},  {"joint-com", "index3", "generalized-alpha"},
    {"joint-com", "index1", "trapezoidal"}, {"joint-com", "matrix-r", "trapezoidal"},
    {"joint-com", "matrix-r", "dopri5"},    {"joint-com", "fully-recursive", "rk4"},
    {"cartesian", "ali3p", "trapezoidal"},  {"natural", "ali3p", "trapezoidal"}};

/// The complex step and the adjoint of a model, by every choice.
void compare(const std::string& text, double step, double end) {
  for (const Choice& choice : kChoices) {
    const Model model = compile_model(parse_model_yaml(text, "case"), builtin_catalogue(),
                                      coordinate_set_named(choice.coordinates));
    const VecX rho = model.default_rho();
    GradientOptions options;
    options.run.coordinates = choice.coordinates;
    options.run.formulation = choice.formulation;
    options.run.integrator = choice.integrator;
    options.run.step = step;
    options.run.end = end;
    const std::string name =
        std::string(choice.coordinates) + " × " + choice.formulation + " × " + choice.integrator;
    options.method = "adjoint";
    const GradientReport adjoint = gradient(model, in(rho), options);
    options.method = "complex-step";
    const GradientReport complex = gradient(model, in(rho), options);
    ASSERT_EQ(adjoint.status, RunStatus::kDone) << name << ": " << adjoint.message;
    ASSERT_EQ(complex.status, RunStatus::kDone) << name << ": " << complex.message;
    // multipliers of steps solved to 1e-13 of coordinates, over h², beside reactions of some ten newtons
    EXPECT_LE(test::gradient_distance(model, adjoint, complex), 1e-7) << name;
  }
}

/// All is driven: the motion knows nothing of masses and stiffnesses, the reactions do.
TEST(ComplexStepRuns, ParametersThatChangeReactionsOnly) {
  compare(R"yaml(
parameters: {m: 1.8, k: 29, c: -0.07, g: 9.81, amplitude: 0.2}
points: {G: [0.33, 0.44, 0], E: [1.6, 0, 0]}
bodies:
  b0: {mass: 1.5, com: [0.5, c, 0], inertia: [0.1, 0.1, 0.2], points: {p0: [1, 0, 0]}}
  b1: {mass: m, com: [0.4, 0.05, 0], inertia: [0.1*m, 0.1*m, 0.2*m], points: {p1: [0.8, 0, 0]}}
joints:
  j0: {type: revolute, bodies: [ground, b0], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [[0.6, 0.8, 0], x]}
  j1: {type: revolute, bodies: [b0, b1], points: [p0, [0, 0, 0]], axes: [z, z], references: [[0.6, -0.8, 0], x]}
constraints:
  close: {type: distance, points: [E, p1], length: 0.7}
  drive: {type: prescribed, coordinate: j0.q, value: amplitude*sin(3*t)}
forces:
  weight: {type: gravity, acceleration: [0, -g, 0]}
  spring: {type: spring-damper, points: [p0, G], stiffness: k, damping: 1.6, length: 0.3}
objectives:
  pull: {integral: "reaction(j1, fx)", terminal: "reaction(j0, tz)"}
  place: {terminal: p1.y}
)yaml",
          2e-3, 0.05);
}

/// Nothing is given of a ball and a Cardan joint: they start nearest to the drawing, where L moves them.
TEST(ComplexStepRuns, NearestStartsOfSphericalJoints) {
  compare(R"yaml(
parameters: {h: 1, be: 0.2, m: 1.3, L: 1.1, w: 0.7}
points: {Q: [0, 0, 2]}
bodies:
  A:
    mass: 2
    inertia: [0.1, 0.2, 0.2]
    placement: {position: [0.2, 0, h], orientation: {axis: [0.8, 0.6, 0], angle: be}}
    points: {a2: [L, 0.1, 0]}
  B:
    mass: m
    com: [0, 0.1, 0]
    inertia: [0.2, 0.3, 0.25]
    placement: {position: [1.3, 0, h]}
    points: {b: [0, 0, 0], b2: [0.1, 0.4, 0]}
joints:
  JA: {type: spherical, bodies: [ground, A], point: [0.2, 0, h]}
  JB: {type: universal, bodies: [A, B], point: [0.8, 0, h], axis: z, axis2: y}
constraints: {c: {type: distance, points: [Q, b], length: L + 0.5}}
forces:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
  torque: {type: body-torque, body: B, torque: [0.1, w, 0.2], axes: body}
objectives: {o: {terminal: b2.x*b2.vy + a2.z}, q: {integral: a2.ax + b.z^2}}
)yaml",
          5e-3, 0.05);
}

}  // namespace
}  // namespace kinegrad

// Starts of loops whose coordinates the file does not give: the place nearest to the drawing [KP-7], the
// speeds nearest to those of the file [KP-8], and their derivatives [KP-9] by all methods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/nearest.hpp"
#include "support/closed_loops.hpp"
#include "support/gradient_distance.hpp"
#include "support/named_coordinates.hpp"

namespace kinegrad {
namespace {

constexpr double kAgreement = 1e-9, kDifferences = 1e-7;

struct Case {
  const char* name;
  ModelDescription (*description)();
  const char* formulation = "index1";
  double step = 1e-3;
};

/// Drawn open: a bar is too long, an angle turned.
ModelDescription five_bar() {
  return test::rewritten(
      "five_bar",
      {{"parameters:", "parameters:\n  turned: {value: 0.2}"},
       {"initial: {A.q: -3*pi/4, J1.q: pi/4 + atan(1.5), A.v: 0, J1.v: 0}", ""},
       {"L_A1: {value: sqrt(2)", "L_A1: {value: 1.5"},
       {"points: [A, [0, 0, 0]]\n    axes: [z, z]\n    references: [x, x]",
        "points: [A, [0, 0, 0]]\n    axes: [z, z]\n    references: [[cos(turned - 3*pi/4), "
        "sin(turned - 3*pi/4), 0], x]"},
       {"points: [P1, [0, 0, 0]]\n    axes: [z, z]\n    references: [x, x]",
        "points: [P1, [0, 0, 0]]\n    axes: [z, z]\n    references: [[cos(pi/4 + atan(1.5)), "
        "sin(pi/4 + atan(1.5)), 0], x]"},
       {"objectives:",
        "objectives:\n  start: {terminal: P2.x + 2*P2.y^2 + A.q*J1.v}\n"
        "  all: {integral: P2.x*P3.y + kinetic_energy + A.a^2}"}});
}

/// The same with a drive that leaves one of its freedoms.
ModelDescription driven_five_bar() {
  ModelDescription driven = five_bar();
  ConstraintSpec& drive = driven.constraints.emplace_back();
  drive.name = "drive";
  drive.type = NameSpec("prescribed");
  drive.numbers["coordinate"] = {NumberSpec("J2.q")};
  drive.numbers["value"] = {NumberSpec("0.1*L_A1 + (L_A1 + turned)*t + r_G*t^2")};
  return driven;
}

/// The speed of a point is given and nothing else: too few speeds, which are completed.
ModelDescription five_bar_with_a_speed() {
  return parse_model_yaml(R"(
name: five bars
parameters: {a: {value: 1.1}, b: {value: 1.7}, turned: {value: 0.15}, w: {value: 0.7}}
points: {O: [0, 0, 0], D: [1, 0, 0]}
bodies:
  A: {mass: 1, com: [a/2, 0, 0], inertia: [0.01, 0.1, 0.1], points: {PA: [a, 0, 0]}}
  B: {mass: 2, com: [b/2, 0, 0], inertia: [0.01, 0.6, 0.6], points: {PB: [b, 0, 0]}}
  C: {mass: 2, com: [1, 0, 0], inertia: [0.01, 0.6, 0.6], points: {PC: [1.6, 0, 0]}}
  E: {mass: 2, com: [1, 0, 0], inertia: [0.01, 0.6, 0.6], points: {PE: [1.2, 0, 0]}}
joints:
  J1: {type: revolute, bodies: [ground, A], points: [O, [0, 0, 0]], axes: [z, z], references: [[-0.5, 0.8, 0], x]}
  J2: {type: revolute, bodies: [A, B], points: [PA, [0, 0, 0]], axes: [z, z], references: [[cos(turned - 1.2), sin(turned - 1.2), 0], x]}
  J3: {type: revolute, bodies: [B, C], points: [PB, [0, 0, 0]], axes: [z, z], references: [[0.1, -1, 0], x]}
  J4: {type: revolute, bodies: [C, E], points: [PC, [0, 0, 0]], axes: [z, z], references: [[0.3, -1, 0], x]}
  J5: {type: revolute, bodies: [E, ground], points: [PE, D], axes: [z, z], cut: true}
forces: {weight: {type: gravity, acceleration: [0, -9.81, 0]}}
initial: {PB.vx: w*a}
objectives:
  start: {terminal: PB.x + 2*PC.y^2 + J1.v*J3.v + J2.q}
  all: {integral: PB.x*PC.vy + kinetic_energy + J1.a^2}
analysis: {step: 1e-3, end: 5e-3}
)",
                          "five bars");
}

/// Six hinges, of which the loop leaves one freedom with a row to spare; drawn with one of them turned.
ModelDescription bricard() {
  return parse_model_yaml(R"(
name: Bricard
parameters: {m: {value: 2}, turned: {value: 0.05}, g: {value: 9.81}}
bodies:
  R1: {mass: m, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  R2: {mass: 1, com: [0, -0.5, 0], inertia: [0.1, 0.01, 0.1]}
  R3: {mass: m, com: [0, 0, 0.5], inertia: [0.1, 0.1, 0.01], points: {P3: [0, 0, 1]}}
  R4: {mass: 1, com: [-0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  R5: {mass: 1, com: [0, 0.5, 0], inertia: [0.1, 0.01, 0.1]}
joints:
  J1: {type: revolute, bodies: [ground, R1], points: [[0, 0, 0], [0, 0, 0]], axes: [y, y], references: [x, x]}
  J2: {type: revolute, bodies: [R1, R2], points: [[1, 0, 0], [0, 0, 0]], axes: [z, z], references: [[cos(turned), sin(turned), 0], x]}
  J3: {type: revolute, bodies: [R2, R3], points: [[0, -1, 0], [0, 0, 0]], axes: [x, x], references: [y, y]}
  J4: {type: revolute, bodies: [R3, R4], points: [P3, [0, 0, 0]], axes: [y, y], references: [x, x]}
  J5: {type: revolute, bodies: [R4, R5], points: [[-1, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}
  J6: {type: revolute, bodies: [R5, ground], points: [[0, 1, 0], [0, 0, 1]], axes: [x, x], references: [y, y]}
forces: {weight: {type: gravity, acceleration: [0, -g, 0]}}
objectives:
  start: {terminal: P3.x + P3.vy + P3.z^2 + J1.q}
  all: {integral: P3.x + kinetic_energy + J3.q*P3.ay}
analysis: {step: 1e-3, end: 5e-3}
)",
                          "bricard");
}

/// Euler parameters with their normalisations, much freedom, and rows that move with time.
ModelDescription balls() {
  return parse_model_yaml(R"(
name: balls
parameters: {l: {value: 1.3}, h: {value: 0.4}, m: {value: 2}, w: {value: 0.6}}
points: {O: [0, 0, 0], D: [1.5, 0.3, 0.2]}
bodies:
  A: {mass: m, com: [0.5, 0.1, 0], inertia: [0.2, 0.1, 0.2], points: {PA: [l, 0, 0.1]}}
  B: {mass: 1, com: [0.2, 0.3, h], inertia: [0.1, 0.2, 0.15], points: {PB: [0.2, 0.9, h]}}
joints:
  S: {type: spherical, bodies: [ground, A], points: [O, [0, 0, 0]]}
  T: {type: spherical, bodies: [A, B], points: [PA, [0, 0, 0]]}
constraints:
  rod: {type: distance, points: [PB, D], length: 0.8 + h*t}
  drive: {type: expression, expression: PA.z - 0.3*l - w*t}
forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}
objectives:
  start: {terminal: PB.x + PB.vy*PA.vz + S.q1}
  all: {integral: PB.x^2 + PB.vz + S.q1*T.a3}
analysis: {step: 1e-3, end: 5e-3}
)",
                          "balls");
}

GradientReport by(const Model& model, const Case& c, const std::string& method,
                  const char* coordinates = "joint-com") {
  GradientOptions options;
  options.method = method;
  options.run.coordinates = coordinates;
  options.run.formulation = c.formulation;
  options.run.integrator = "trapezoidal";
  options.run.step = c.step;
  options.run.end = 4 * c.step;
  options.run.details.tolerance = 1e-14;
  const VecX rho = model.default_rho();
  return gradient(model, {rho.data(), std::size_t(rho.size())}, options);
}

void expect_agreement(const Model& model, const Case& c, const char* coordinates = "joint-com") {
  const GradientReport expected = by(model, c, "complex-step", coordinates);
  ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
  for (const char* method : {"forward", "adjoint", "finite-difference"}) {
    const GradientReport actual = by(model, c, method, coordinates);
    ASSERT_EQ(actual.status, RunStatus::kDone) << method << ": " << actual.message;
    const double bound = std::string(method) == "finite-difference" ? kDifferences : kAgreement;
    EXPECT_LE(test::gradient_distance(model, expected, actual), bound) << method;
  }
}

Model compiled(const ModelDescription& description, CoordinateSet set = CoordinateSet::kJoint) {
  return compile_model(description, builtin_catalogue(), set);
}

/// Of holonomic constraints and normalisations, at a place.
MatX rows_of(JointSystem<double>& system, const VecX& q) {
  system.place(0, test::view(q));
  const auto sets = system.euler_sets();
  const int m = system.holonomic();
  MatX J = MatX::Zero(m + Eigen::Index(sets.size()), system.nq());
  const SparseRows<double>& rows = system.Phi_q();
  for (int i = 0; i < m; ++i) {
    for (int k = rows.start[std::size_t(i)]; k < rows.start[std::size_t(i) + 1]; ++k) {
      J(i, rows.column[std::size_t(k)]) = rows.value[std::size_t(k)];
    }
  }
  for (std::size_t e = 0; e < sets.size(); ++e) {
    J.block(m + Eigen::Index(e), sets[e], 1, 4) = q.segment(sets[e], 4).transpose();
  }
  return J;
}

class NearestStart : public testing::TestWithParam<Case> {};

/// Nothing of the way to the drawing is left beside the rows.
TEST_P(NearestStart, IsTheNearestPlace) {
  const Model model = compiled(GetParam().description());
  const std::vector<double> p = model.default_physical();
  const VecX drawn = Eigen::Map<const VecX>(p.data() + model.initial_q(), model.nq());
  JointSystem<double> system(model, ReferencePoint::kCom);
  system.set_parameters(p);
  VecX q = drawn, v = Eigen::Map<const VecX>(p.data() + model.initial_v(), model.nq());
  const KinematicReport report = assemble_start<double>(model, system, 0, q, v);
  ASSERT_TRUE(report.solved) << report.message;
  ASSERT_TRUE(report.sets.nearest);
  EXPECT_GT((q - drawn).norm(), 1e-2) << "drawn closed: nothing is tested";
  const IndependentRows rows(rows_of(system, q), 1e-9);
  EXPECT_LE((rows.beside().transpose() * (drawn - q)).norm(), 1e-12);
}

TEST_P(NearestStart, AllMethodsHaveItsDerivative) {
  expect_agreement(compiled(GetParam().description()), GetParam());
}

TEST_P(NearestStart, AlsoInCartesianCoordinates) {
  const Case& c = GetParam();
  expect_agreement(compiled(c.description(), CoordinateSet::kCartesian), c, "cartesian");
}

INSTANTIATE_TEST_SUITE_P(Cases, NearestStart,
                         testing::Values(Case{"FiveBar", five_bar},
                                         Case{"DrivenFiveBar", driven_five_bar},
                                         Case{"FiveBarWithASpeed", five_bar_with_a_speed},
                                         Case{"Bricard", bricard}, Case{"Balls", balls}),
                         [](const auto& c) { return std::string(c.param.name); });

/// Drawn at the centre of curvature: places beside the nearest one are as near, to second order.
TEST(NearestStarts, WithoutADerivativeSayWhatIsMissing) {
  const ModelDescription parabola = parse_model_yaml(R"(
name: parabola
parameters: {slope: {value: 0}}
bodies:
  A: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}
  B: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1], points: {P: [0, 0, 0]}}
joints:
  X: {type: prismatic, bodies: [ground, A], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x], references: [y, y]}
  Y: {type: prismatic, bodies: [A, B], points: [[0, 0, 0], [0, 0, 0]], axes: [y, y], references: [x, x]}
constraints: {track: {type: expression, expression: Y.q + 1 - X.q^2/2 - slope*X.q}}
objectives: {end: {terminal: P.x + P.y}}
analysis: {step: 1e-3, end: 5e-3}
)",
                                                     "parabola");
  const Model model = compiled(parabola);
  const Case c{"parabola", nullptr};
  for (const char* method : {"forward", "adjoint", "complex-step", "continuous-adjoint"}) {
    const GradientReport report = by(model, c, method);
    EXPECT_EQ(report.status, RunStatus::kFailed) << method;
    EXPECT_THAT(report.message, testing::HasSubstr("give as many as there are degrees")) << method;
  }
  EXPECT_EQ(by(model, c, "finite-difference").status, RunStatus::kDone);
}

}  // namespace
}  // namespace kinegrad

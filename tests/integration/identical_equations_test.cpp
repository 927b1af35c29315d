// Constraint equations that say nothing, [RK]: satisfied identically by the joints, or by other equations.
// Neither the motion nor its gradients may see them, by any method, in any coordinates.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/mobility.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

struct Setting {
  const char *coordinates, *formulation, *integrator;
};

void PrintTo(const Setting& s, std::ostream* out) {
  *out << s.coordinates << " x " << s.formulation << " x " << s.integrator;
}

CoordinateSet set_of(const std::string& coordinates) {
  return coordinates == "cartesian" ? CoordinateSet::kCartesian
         : coordinates == "natural" ? CoordinateSet::kNatural
                                    : CoordinateSet::kJoint;
}

Model compiled(const std::string& yaml, const std::string& coordinates) {
  return compile_model(parse_model_yaml(yaml, "model.yaml"), builtin_catalogue(),
                       set_of(coordinates));
}

GradientReport gradient_by(const std::string& method, const Model& model, const Setting& s,
                           double step, double end) {
  GradientOptions options;
  options.method = method;
  options.run.coordinates = s.coordinates;
  options.run.formulation = s.formulation;
  options.run.integrator = s.integrator;
  options.run.step = step;
  options.run.end = end;
  options.run.details.tolerance = std::string(s.integrator) == "dopri5" ? 1e-8 : 1e-12;
  if (std::string(s.formulation) == "penalty") options.run.constraints.penalty = 1e7;
  const VecX rho = model.default_rho();
  return gradient(model, {rho.data(), std::size_t(rho.size())}, options);
}

/// A closed loop whose angles are not given to all digits: the start closes it.
std::string four_bar(const std::string& constraints, const char* inertia = "0") {
  return fmt::format(R"(
parameters: {{La: 1, Lb: 2, Lc: 2, m: 3}}
points: {{O: [0, 0, 0], D: [3.816, -1.5618, 0]}}
bodies:
  A: {{mass: m, com: [La/2, 0, 0], inertia: [{1}, m*La^2/12, m*La^2/12], points: {{PA: [La, 0, 0]}}}}
  B: {{mass: 6, com: [Lb/2, 0, 0], inertia: [{1}, 6*Lb^2/12, 6*Lb^2/12], points: {{PB: [Lb, 0, 0]}}}}
  C: {{mass: 6, com: [Lc/2, 0, 0], inertia: [{1}, 6*Lc^2/12, 6*Lc^2/12], points: {{PC: [Lc, 0, 0]}}}}
joints:
  J1: {{type: revolute, bodies: [ground, A], points: [O, [0, 0, 0]], axes: [z, z], references: [x, x]}}
  J2: {{type: revolute, bodies: [A, B], points: [PA, [0, 0, 0]], axes: [z, z], references: [[0.8, -0.6, 0], x]}}
  J3: {{type: revolute, bodies: [B, C], points: [PB, [0, 0, 0]], axes: [z, z], references: [[0.6, -0.8, 0], x]}}
  J4: {{type: revolute, bodies: [C, ground], points: [PC, D], axes: [z, z], references: [x, x], cut: true}}
constraints: {{{0}}}
forces:
  weight: {{type: gravity, acceleration: [0, -9.81, 0]}}
initial: {{J1.q: 0.5, J1.v: -0.3}}
objectives:
  angle: {{terminal: J1.q}}
  speed: {{integral: J2.v^2}}
)",
                     constraints, inertia);
}

std::string pendulum(const std::string& constraints) {
  return fmt::format(R"(
parameters: {{L: 1.3, start: 0.3}}
points: {{O: [0, 0, 0]}}
bodies:
  rod: {{mass: 2, com: [L/2, 0, 0], inertia: [0, 0.1, 0.1], points: {{tip: [L, 0, 0]}}}}
joints:
  hinge: {{type: revolute, bodies: [ground, rod], points: [O, [0, 0, 0]], axes: [z, z], references: [x, x]}}
constraints: {{{}}}
forces:
  weight: {{type: gravity, acceleration: [0, -9.81, 0]}}
initial: {{hinge.q: start, hinge.v: 0.2}}
objectives:
  angle: {{terminal: hinge.q}}
  speed: {{integral: hinge.v^2}}
)",
                     constraints);
}

/// A disc in the coordinates of its contact: the height of its centre follows from the joints.
const char* const kRolling = R"(
parameters: {m: 2, tilt: 0.2}
bodies:
  yawing: {mass: 0, com: [0, 0, 0], inertia: [0, 0, 0]}
  leaning: {mass: 0, com: [0, 0, 0], inertia: [0, 0, 0]}
  disc:
    mass: m
    com: [0, 0, 0]
    inertia: [0.03, 0.06, 0.03]
    points: {center: [0, 0, 0]}
    vectors: {axle: [0, 1, 0]}
joints:
  contact: {type: planar, bodies: [ground, yawing], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}
  lean: {type: revolute, bodies: [yawing, leaning], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x], references: [y, y]}
  spin: {type: revolute, bodies: [leaning, disc], points: [[0, 0, 0.25], [0, 0, 0]], axes: [y, y], references: [x, x]}
constraints:
  rolling: {type: rolling, center: center, axis: axle, radius: 0.25}
forces:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
initial: {contact.q: [0, 0, 0], lean.q: tilt, spin.q: 0, contact.v3: 0.5, lean.v: 0, spin.v: 12}
objectives:
  lean_end: {terminal: lean.q}
)";

std::string expression(const std::string& name, const std::string& text) {
  return name + ": {type: expression, expression: \"" + text + "\"}";
}

const std::string kLoopEquations[] = {
    expression("again", "hypot(PA.x, PA.y) - La"),
    expression("again", "PA.x*cos(0.6) + PA.y*sin(0.6) - La*cos(J1.q - 0.6)"),
    expression("again", "1e3*(PA.x - PA.x*cos(0.3)^2 - PA.x*sin(0.3)^2)"),
    expression("again", "1e-6*(PA.x^2 + PA.y^2 - La^2)"),
    "again: {type: distance, points: [O, PA], length: La}",
    "again: {type: distance, points: [PB, D], length: Lc}",  // not identical, but redundant
};
const std::string kPendulumEquations[] = {
    expression("circle", "tip.x^2 + tip.y^2 - L^2"),
    expression("circle", "1e-6*(hypot(tip.x, tip.y) - L)"),
    "circle: {type: distance, points: [O, tip], length: L}",
};

/// Steps of the Newton family are exact for their derivatives to what tolerances of 1e-12 leave after
/// division by c_q; of explicit ones to rounding.
constexpr double kAgreement = 1e-7;
/// In global coordinates an identical equation depends on those of the joints, and E is forgotten, not absent.
constexpr double kUnseen = 1e-6;

class IdenticalEquations : public testing::TestWithParam<Setting> {};

void expect_unseen(const std::string& with, const std::string& without, const Setting& s,
                   double step, double end) {
  const Model model = compiled(with, s.coordinates), plain = compiled(without, s.coordinates);
  const GradientReport expected = gradient_by("complex-step", plain, s, step, end);
  ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
  // penalties strain equations that agree, with springs of their own
  const bool soft =
      std::string(s.formulation) == "penalty" && set_of(s.coordinates) != CoordinateSet::kJoint;
  for (const char* method : {"forward", "adjoint", "complex-step"}) {
    const GradientReport actual = gradient_by(method, model, s, step, end);
    ASSERT_EQ(actual.status, RunStatus::kDone) << method << ": " << actual.message;
    EXPECT_LE(test::gradient_distance(model, expected, actual), soft ? 1e-3 : kUnseen) << method;
  }
}

TEST_P(IdenticalEquations, AreUnseenInALoop) {
  for (const std::string& equation : kLoopEquations) {
    SCOPED_TRACE(equation);
    // off the constraints equations that agree disagree by their drift: index1 is let drift less
    const bool drifts = equation.find("PB, D") != std::string::npos;
    const std::string f = GetParam().formulation;
    if (drifts && (f == "index1" || f == "penalty" || f == "fully-recursive")) continue;
    expect_unseen(four_bar(equation), four_bar(""), GetParam(), 2e-3, 0.02);
  }
}

TEST_P(IdenticalEquations, AreUnseenWhereTheyAreTheOnlyOnes) {
  for (const std::string& equation : kPendulumEquations) {
    SCOPED_TRACE(equation);
    expect_unseen(pendulum(equation), pendulum(""), GetParam(), 2e-3, 0.02);
  }
}

TEST_P(IdenticalEquations, ARollingDiscInCoordinatesOfItsContact) {
  const Setting& s = GetParam();
  const Model model = compiled(kRolling, s.coordinates);
  const GradientReport expected = gradient_by("complex-step", model, s, 2e-3, 0.04);
  ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
  for (const char* method : {"forward", "adjoint"}) {
    const GradientReport actual = gradient_by(method, model, s, 2e-3, 0.04);
    ASSERT_EQ(actual.status, RunStatus::kDone) << method << ": " << actual.message;
    EXPECT_LE(test::gradient_distance(model, expected, actual), kAgreement) << method;
  }
  if (std::string(s.integrator) != "trapezoidal") return;
  const GradientReport continuous = gradient_by("continuous-adjoint", model, s, 2e-3, 0.04);
  ASSERT_EQ(continuous.status, RunStatus::kDone) << continuous.message;
  EXPECT_LE(test::gradient_distance(model, expected, continuous), 1e-3) << "O(h²)";
}

constexpr Setting kSettings[] = {
    {"joint-com", "ali3p", "trapezoidal"},
    {"joint-com", "ali3p", "generalized-alpha"},
    {"joint-com", "index1", "trapezoidal"},
    {"joint-com", "index1", "rk4"},
    {"joint-com", "index3", "generalized-alpha"},
    {"joint-com", "fully-recursive", "trapezoidal"},
    {"joint-com", "fully-recursive", "rk4"},
    {"joint-com", "matrix-r", "trapezoidal"},
    {"joint-com", "matrix-r", "dopri5"},
    {"joint-com", "penalty", "trapezoidal"},
    {"joint-com", "penalty", "rk4"},
    {"joint-origin", "ali3p", "trapezoidal"},
    {"joint-origin", "index1", "dopri5"},
    {"joint-origin", "index3", "generalized-alpha"},
    {"joint-origin", "fully-recursive", "dopri5"},
    {"cartesian", "ali3p", "trapezoidal"},
    {"cartesian", "index1", "rk4"},
    {"cartesian", "index3", "generalized-alpha"},
    {"cartesian", "matrix-r", "rk4"},
    {"cartesian", "penalty", "trapezoidal"},
    {"natural", "ali3p", "trapezoidal"},
    {"natural", "index1", "rk4"},
    {"natural", "index3", "generalized-alpha"},
    {"natural", "matrix-r", "trapezoidal"},
};

INSTANTIATE_TEST_SUITE_P(Methods, IdenticalEquations, testing::ValuesIn(kSettings),
                         [](const auto& setting) {
                           std::string name;
                           for (const char* part :
                                {setting.param.coordinates, setting.param.formulation,
                                 setting.param.integrator}) {
                             for (const char c : std::string(part)) {
                               if (c != '-') name += c;
                             }
                             name += '_';
                           }
                           name.pop_back();
                           return name;
                         });

TEST(IdenticalEquationsCounted, MobilityFindsNoRankInThem) {
  for (const std::string& equation : kLoopEquations) {
    for (const char* coordinates : {"joint-com", "cartesian", "natural"}) {
      const Model model = compiled(four_bar(equation), coordinates);
      const Mobility m = mobility_of(model, model.default_physical());
      EXPECT_TRUE(m.assembled) << m.message;
      EXPECT_EQ(m.freedom, 1) << coordinates << ", " << equation;
    }
  }
}

/// Thin rods have equations of their own with large diagonals in natural coordinates; those of the loop hold
/// all the same. With a border measured against the largest of all, loops opened by decimetres.
TEST(IdenticalEquationsOfThinRods, LoopsStayClosedInNaturalCoordinates) {
  for (const char* inertia : {"1e-4", "1e-6", "1e-8", "1e-10"}) {
    for (const char* equation : {"", "again: {type: distance, points: [PB, D], length: Lc}"}) {
      SCOPED_TRACE(std::string(inertia) + " " + equation);
      VecX values[2];
      double open = 0;
      int k = 0;
      for (const Setting& s :
           {Setting{"natural", "index1", "dopri5"}, {"joint-com", "matrix-r", "dopri5"}}) {
        const Model model = compiled(four_bar(equation, inertia), s.coordinates);
        const GradientReport report = gradient_by("adjoint", model, s, 0.05, 0.5);
        ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
        if (k == 0) open = report.constraint_norms[0];
        values[k++] = Eigen::Map<const VecX>(report.values.data(), 2);
      }
      EXPECT_LE(open, 1e-6) << "the drift of index1 at a tolerance of 1e-8";
      EXPECT_LE((values[0] - values[1]).norm(), 1e-4);
    }
  }
}

/// Two blades side by side on one sled: one condition written twice, on speeds.
TEST(DependentNonholonomicEquations, KeepTheirMultipliers) {
  const char* yaml = R"yaml(
parameters: {m: 1, w: 4}
bodies:
  sled: {mass: m, com: [0.1, 0, 0], inertia: [0.05, 0.05, 0.05]}
  b1: {mass: 0.5, com: [0, 0, 0], inertia: [0.02, 0.02, 0.02], points: {C1: [0, 0, 0]}, vectors: {lat1: [0, 1, 0]}}
  b2: {mass: 0.5, com: [0, 0, 0], inertia: [0.02, 0.02, 0.02], points: {C2: [0, 0, 0]}, vectors: {lat2: [0, 1, 0]}}
joints:
  plane: {type: planar, bodies: [ground, sled], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z]}
  fix1: {type: fixed, bodies: [sled, b1], points: [[0, 0.25, 0], [0, 0, 0]]}
  fix2: {type: fixed, bodies: [sled, b2], points: [[0, -0.25, 0], [0, 0, 0]]}
constraints:
  blade1: {type: knife-edge, point: C1, direction: lat1}
  blade2: {type: knife-edge, point: C2, direction: lat2}
initial: {plane.q: [0, 0, 0], plane.v: [1, 0, w]}
objectives:
  x: {terminal: plane.q1}
  force: {terminal: "sqrt(reaction(fix1, fx)^2 + reaction(fix1, fy)^2)"}
)yaml";
  const Model joint = compiled(yaml, "joint-com");
  const GradientReport expected =
      gradient_by("complex-step", joint, {"joint-com", "ali3p", "trapezoidal"}, 1e-3, 0.3);
  ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
  for (const char* coordinates : {"cartesian", "natural"}) {
    SCOPED_TRACE(coordinates);
    const Model model = compiled(yaml, coordinates);
    const Setting s{coordinates, "ali3p", "trapezoidal"};
    const GradientReport forward = gradient_by("forward", model, s, 1e-3, 0.3);
    const GradientReport adjoint = gradient_by("adjoint", model, s, 1e-3, 0.3);
    ASSERT_EQ(forward.status, RunStatus::kDone) << forward.message;
    ASSERT_EQ(adjoint.status, RunStatus::kDone) << adjoint.message;
    EXPECT_NEAR(adjoint.values[0], expected.values[0], 1e-4) << "O(h²)";
    EXPECT_LE(adjoint.values[1], 100)
        << "some newtons; dependent equations share them as they like";
    const GradientReport complex = gradient_by("complex-step", model, s, 1e-3, 0.3);
    ASSERT_EQ(complex.status, RunStatus::kDone) << complex.message;
    for (int k = 0; k < 2; ++k) {
      EXPECT_NEAR(adjoint.gradient(0, k), expected.gradient(0, k), 1e-4) << "O(h²)";
      EXPECT_NEAR(adjoint.gradient(0, k), forward.gradient(0, k), 1e-8);
      EXPECT_NEAR(adjoint.gradient(0, k), complex.gradient(0, k), 1e-7) << "of the same run";
    }
  }
}

}  // namespace
}  // namespace kinegrad

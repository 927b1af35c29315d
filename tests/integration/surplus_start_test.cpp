// More initial values than degrees of freedom [KP-13]: accepted where they agree, with one derivative by every
// method; refused with names where they contradict, or where a value is no freedom while a freedom is open.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/sensitivity/gradient.hpp"
#include "support/closed_loops.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Links of 1, 2 and √13/2 m from (0, 0) to (2.5, −1) that close at J1 = 0, J2 = −π/2: the end of B is
/// at (1, −2), from where C leads up to D.
std::string four_bar(const std::string& more) {
  return R"(
parameters: {a: 1, b: 2, c: sqrt(13)/2, w: 0.8}
points: {O: [0, 0, 0], D: [2.5, -1, 0]}
bodies:
  A: {mass: 1, com: [a/2, 0, 0], inertia: [0.01, 0.1, 0.1], points: {PA: [a, 0, 0]}}
  B: {mass: 2, com: [b/2, 0, 0], inertia: [0.01, 0.6, 0.6], points: {PB: [b, 0, 0]}}
  C: {mass: 2, com: [1, 0, 0], inertia: [0.01, 0.6, 0.6], points: {PC: [c, 0, 0]}}
joints:
  J1: {type: revolute, bodies: [ground, A], points: [O, [0, 0, 0]], axes: [z, z], references: [x, x]}
  J2: {type: revolute, bodies: [A, B], points: [PA, [0, 0, 0]], axes: [z, z], references: [x, x]}
  J3: {type: revolute, bodies: [B, C], points: [PB, [0, 0, 0]], axes: [z, z], references: [x, x]}
  J4: {type: revolute, bodies: [C, ground], points: [PC, D], axes: [z, z], cut: true}
forces: {weight: {type: gravity, acceleration: [0, -9.81, 0]}}
objectives:
  end: {terminal: PB.x + 2*PA.y + J3.q*J1.v}
  all: {integral: PB.x*PA.vy + kinetic_energy}
analysis: {step: 1e-3, end: 5e-3}
)" + more +
         "\n";
}

constexpr const char* kThird = "pi/2 + atan(1/1.5)";

GradientReport by(const Model& model, const std::string& method,
                  const char* coordinates = "joint-com", double step = 1e-3) {
  GradientOptions options;
  options.method = method;
  options.run.coordinates = coordinates;
  options.run.formulation = "index1";
  options.run.integrator = "trapezoidal";
  options.run.step = step;
  options.run.end = 4e-3;
  options.run.details.tolerance = 1e-14;
  const VecX rho = model.default_rho();
  return gradient(model, {rho.data(), std::size_t(rho.size())}, options);
}

void expect_agreement(const std::string& initial) {
  SCOPED_TRACE(initial);
  const auto description = parse_model_yaml(four_bar(initial), "four bars");
  const Model model = compile_model(description, builtin_catalogue());
  const GradientReport expected = by(model, "complex-step");
  ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
  for (const char* method : {"forward", "adjoint", "finite-difference"}) {
    const GradientReport actual = by(model, method);
    ASSERT_EQ(actual.status, RunStatus::kDone) << method << ": " << actual.message;
    const double bound = std::string(method) == "finite-difference" ? 1e-7 : 1e-9;
    EXPECT_LE(test::gradient_distance(model, expected, actual), bound) << method;
  }
  // the continuous adjoint converges to the others with the steps, by their second order
  double distance[2];
  for (const int k : {0, 1}) {
    const double step = k == 0 ? 1e-3 : 2.5e-4;
    const GradientReport discrete = by(model, "adjoint", "joint-com", step),
                         continuous = by(model, "continuous-adjoint", "joint-com", step);
    ASSERT_EQ(continuous.status, RunStatus::kDone) << continuous.message;
    distance[k] = test::gradient_distance(model, discrete, continuous);
  }
  EXPECT_LE(distance[0], 1e-2);
  EXPECT_LE(distance[1], 0.3 * distance[0] + 1e-9);
  const Model cartesian =
      compile_model(description, builtin_catalogue(), CoordinateSet::kCartesian);
  const GradientReport there = by(cartesian, "adjoint", "cartesian");
  ASSERT_EQ(there.status, RunStatus::kDone) << there.message;
  EXPECT_LE(test::gradient_distance(model, expected, there), 1e-5);  // another discretisation
}

TEST(SurplusStart, AllMethodsHaveTheSameDerivative) {
  const std::string all = fmt::format("J1.q: 0, J2.q: -pi/2, J3.q: {}", kThird);
  expect_agreement("initial: {" + all + "}");
  expect_agreement("initial: {" + all + ", J1.v: w}");
  expect_agreement(fmt::format("initial: {{J3.q: {}, J1.q: 0, J2.v: w}}", kThird));
  expect_agreement("initial: {PA.x: 1, PA.y: 0, J2.q: -pi/2}\nguess: {J3.q: 2}");
  expect_agreement("initial: {J1.q: 0, PB.x: a, PB.y: -b, J2.q: -pi/2}\nguess: {J3.q: 2}");
}

/// The first values of the file are held; the others follow them when a length changes.
TEST(SurplusStart, TheOrderOfTheFileDecides) {
  const auto start = [](const std::string& initial, double b) {
    const Model model = test::model_of(four_bar(initial));
    VecX rho = model.default_rho();
    rho(model.find_parameters("b").front()) = b;
    const std::vector<double> p = test::physical_with<double>(model, {{"b", b}});
    JointSystem<double> system(model, ReferencePoint::kCom);
    system.set_parameters(p);
    VecX q = Eigen::Map<const VecX>(p.data() + model.initial_q(), 3), v = VecX::Zero(3);
    const KinematicReport report = assemble_start<double>(model, system, 0, q, v, true);
    EXPECT_TRUE(report.solved) << report.message;
    return q;
  };
  const std::string third = fmt::format(", J3.q: {}", kThird);
  const VecX first = start("initial: {J1.q: 0, J2.q: -pi/2" + third + "}", 2.01);
  EXPECT_EQ(first(0), 0);
  EXPECT_GT(std::abs(first(1) + M_PI / 2), 1e-4);
  const VecX second = start("initial: {J2.q: -pi/2, J1.q: 0" + third + "}", 2.01);
  EXPECT_EQ(second(1), -M_PI / 2);
  EXPECT_GT(std::abs(second(0)), 1e-4);
}

/// Digits as people type them are completed; more than that is a contradiction, with the value due.
TEST(SurplusStart, DigitsTypedAreEnough) {
  const auto report = [](const std::string& second) {
    const Model model =
        test::model_of(four_bar("initial: {J1.q: 0, J2.q: " + second + "}\nguess: {J3.q: 2}"));
    Simulator simulator(model, [] {
      RunOptions options;
      options.step = 1e-3;
      options.end = 1e-3;
      return options;
    }());
    return simulator.run(model.default_physical(), [](const auto&) { return true; });
  };
  EXPECT_TRUE(report("-1.5707963").done());
  const RunReport wrong = report("-1.5");
  EXPECT_TRUE(wrong.input_wrong);
  EXPECT_THAT(wrong.message,
              AllOf(HasSubstr("contradict"), HasSubstr("J2.q at -1.57079"), HasSubstr("not -1.5")));
}

/// A value that a constraint fixes, while another freedom is open: it divided by a slope of 1e-17.
std::string hinge_and_wrist(const std::string& initial) {
  return R"(
parameters: {L: 1}
bodies:
  rod: {mass: 2, com: [L/2, 0, 0], inertia: [0.1, 0.1, 0.1], points: {tip: [L, 0, 0]}}
  bob: {mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1], points: {c: [0, 0, 0]}}
joints:
  hinge: {type: revolute, bodies: [ground, rod], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}
  wrist: {type: revolute, bodies: [rod, bob], points: [tip, [0, 0, 0]], axes: [z, z], references: [x, x]}
constraints:
  plane: {type: point-on-plane, point: c, through: [0, 0, 0], normal: y, offset: -0.5}
objectives: {end: {terminal: wrist.q + hinge.q}}
analysis: {step: 1e-3, end: 5e-3}
initial: {)" +
         initial + "}\n";
}

TEST(SurplusStart, ASlopeOfRoundingIsNoFreedom) {
  const auto message = [](const std::string& initial) {
    const GradientReport report = by(test::model_of(hinge_and_wrist(initial)), "adjoint");
    EXPECT_EQ(report.status, RunStatus::kFailed) << initial;
    EXPECT_TRUE(report.run.input_wrong) << initial;
    return report.message.empty() ? report.run.message : report.message;
  };
  EXPECT_THAT(message("hinge.q: 0 - pi/6"),
              AllOf(HasSubstr("too many"), HasSubstr("fix hinge.q already"), HasSubstr("wrist.q")));
  EXPECT_THAT(message("hinge.v: 0.3"), AllOf(HasSubstr("contradict"), HasSubstr("\"plane\""),
                                             HasSubstr("hinge.v is 0 there, not 0.3")));
  // what is open may be given beside it
  const Model both = test::model_of(hinge_and_wrist("hinge.q: 0 - pi/6, wrist.q: 0.4, hinge.v: 0"));
  const GradientReport expected = by(both, "complex-step");
  ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
  EXPECT_LE(test::gradient_distance(both, expected, by(both, "adjoint")), 1e-9);
}

/// Two hinges on one axis, slanted, in a loop that closes with three equations of rounding alone: what they
/// share is a freedom, and everything else is none.
TEST(SurplusStart, TwoHingesOnOneAxis) {
  const auto triangle = [](const std::string& initial) {
    return test::model_of(R"(
parameters: {L: 1}
bodies:
  A: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], points: {PA: [L, 0, 0]}}
  B: {mass: 2, com: [0.3, 0.1, 0], inertia: [0.1, 0.6, 0.6], points: {PB: [0, 0, 0.37]}}
  C: {mass: 2, com: [1, 0, 0], inertia: [0.1, 0.6, 0.6], points: {PC: [1.3, 0, 0]}}
joints:
  JA: {type: revolute, bodies: [ground, A], points: [[0.1, 0.2, 0.3], [0, 0, 0]], axes: [[0.6, 0, 0.8], z], references: [[1, 0.3, 0.2], x]}
  JB: {type: revolute, bodies: [A, B], points: [PA, [0, 0, 0]], axes: [z, z], references: [x, x]}
  JC: {type: revolute, bodies: [B, C], points: [PB, [0, 0, 0.37]], axes: [z, z], references: [x, x]}
  Z: {type: revolute, bodies: [C, ground], points: [PC, [0.1, 1.0, 0.3]], axes: [z, [0.6, 0, 0.8]], cut: true}
objectives: {end: {terminal: PC.x + JA.q + JC.q}}
analysis: {step: 1e-3, end: 5e-3}
)" + initial);
  };
  for (const char* initial : {"", "initial: {JB.q: 0.2, JB.v: 0.3}\n", "initial: {JC.q: 0.2}\n"}) {
    SCOPED_TRACE(initial);
    const Model model = triangle(initial);
    const GradientReport expected = by(model, "complex-step");
    ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
    for (const char* method : {"forward", "adjoint"}) {
      EXPECT_LE(test::gradient_distance(model, expected, by(model, method)), 1e-9) << method;
    }
  }
  const GradientReport wrong = by(triangle("initial: {JB.q: 0.2, JA.q: 0.3}\n"), "adjoint");
  EXPECT_TRUE(wrong.run.input_wrong);
}

}  // namespace
}  // namespace kinegrad

// [RK]: which equations vanish, whatever their scale, their place and the coordinates.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kinegrad/assembly/coordinate_change.hpp"
#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/math/rank_rule.hpp"
#include "kinegrad/math/views.hpp"
#include "support/constraint_oracles.hpp"
#include "support/tree_samples.hpp"

namespace kinegrad {
namespace {

/// A double pendulum of links of that length, its hinge at (far, 0, 0), that starts bent; C is a point of
/// the ground at the hinge.
Model pendulum(const std::string& constraint, double length = 1, double far = 0,
               const char* start = "0.3") {
  return test::model_of(fmt::format(R"(
parameters: {{L: {0:.17g}, F: {1:.17g}}}
points: {{C: [F, 0, 0]}}
bodies:
  A: {{mass: 2, com: [L/2, 0, 0], inertia: [0, 0.1*L^2, 0.1*L^2], points: {{PA: [L, 0, 0]}}}}
  B: {{mass: 1, com: [L/2, 0, 0], inertia: [0, 0.1*L^2, 0.1*L^2], points: {{PB: [L, 0, 0]}}}}
joints:
  J1: {{type: revolute, bodies: [ground, A], points: [C, [0, 0, 0]], axes: [z, z], references: [x, x]}}
  J2: {{type: revolute, bodies: [A, B], points: [PA, [0, 0, 0]], axes: [z, z], references: [x, x]}}
constraints:
  c: {2}
initial: {{J1.q: {3}, J1.v: 0.4, J2.q: 0.9, J2.v: -0.7}}
)",
                                    length, far, constraint, start));
}

template <Scalar T>
double remaining(const Model& model, ReferencePoint point = ReferencePoint::kCom) {
  const auto system = make_system<T>(model, point);
  const std::vector<double> p = model.default_physical();
  const std::vector<T> numbers(p.begin(), p.end());
  system->set_parameters(numbers);
  VecXT<T> q(model.nq());
  for (int k = 0; k < model.nq(); ++k) q(k) = T(p[std::size_t(model.initial_q() + k)]);
  system->place(T(0), in(q));
  const double part = system->remaining(0);
  double largest = 0;
  system->Phi_q().each(
      0, [&](int, const T& x) { largest = std::max(largest, std::abs(real_part(x))); });
  EXPECT_EQ(part == 0, largest == 0) << "a row of zeros";
  return part;
}

std::string expression(const std::string& text) {
  return "{type: expression, expression: \"" + text + "\"}";
}

const char* const kIdentical[] = {
    "hypot(PA.x - F, PA.y) - L",
    "(PA.x - F)^2 + PA.y^2 - L^2",
    "(PA.x - F)*cos(0.7) + PA.y*sin(0.7) - L*cos(J1.q - 0.7)",
    "PA.x - PA.x*cos(0.3)^2 - PA.x*sin(0.3)^2",
    "hypot(PB.x - PA.x, PB.y - PA.y) - L",
    "PB.x - PA.x - L*cos(J1.q + J2.q)",
    "PB.z + PA.z*2",
    "atan2(PA.y, PA.x - F) - J1.q",
};

TEST(ConstraintRank, IdenticalEquationsVanish) {
  for (const char* text : kIdentical) {
    for (const char* start : {"0.3", "0", "1.5707963267948966", "-2.2"}) {
      const Model model = pendulum(expression(text), 1.3, 0, start);
      EXPECT_EQ(remaining<double>(model), 0) << text << " at " << start;
      EXPECT_EQ(remaining<Complex>(model), 0) << text << " at " << start;
      EXPECT_EQ(remaining<double>(model, ReferencePoint::kOrigin), 0) << text << " at " << start;
    }
  }
  EXPECT_EQ(remaining<double>(pendulum("{type: distance, points: [C, PA], length: L}", 1.3)), 0);
  EXPECT_EQ(remaining<double>(pendulum("{type: distance, points: [PA, PB], length: L}", 1.3)), 0);
}

TEST(ConstraintRank, ScaleAndPlaceDoNotCount) {
  for (const char* text : kIdentical) {
    for (const char* factor : {"1e-6", "1", "1e6"}) {
      for (const double length : {5e-3, 1.0, 1e4}) {
        for (const double far : {0.0, 1e2, 1e4}) {
          const std::string scaled = std::string(factor) + "*(" + text + ")";
          const Model model = pendulum(expression(scaled), length, far);
          EXPECT_EQ(remaining<double>(model), 0) << scaled << ", " << length << " m at " << far;
          EXPECT_EQ(remaining<double>(model, ReferencePoint::kOrigin), 0)
              << scaled << ", " << length << " m at " << far;
        }
      }
    }
  }
}

TEST(ConstraintRank, EquationsThatHoldSomethingRemain) {
  for (const char* text :
       {"hypot(PB.x - F, PB.y) - 1.7*L", "PA.x - F - 0.5*L", "PB.y", "J1.q - 2*J2.q",
        "hypot(PA.x - F, PA.y) - L + 1e-6*L*J2.q", "PB.x - PA.x*cos(0.3)^2 - PA.x*sin(0.3)^2"}) {
    for (const char* factor : {"1e-6", "1", "1e6"}) {
      for (const double length : {5e-3, 1.0, 1e4}) {
        for (const double far : {0.0, 1e4}) {
          const std::string scaled = std::string(factor) + "*(" + text + ")";
          const Model model = pendulum(expression(scaled), length, far);
          EXPECT_GE(remaining<double>(model), rank::kClear)
              << scaled << ", " << length << " m at " << far;
        }
      }
    }
  }
}

/// PA.x is stationary where the link lies along x: what remains falls with the angle, and is told.
TEST(ConstraintRank, WhatRemainsFallsOnTheWayToWhereItSaysNothing) {
  for (const double angle : {1e-3, 1e-6, 1e-9}) {
    const Model model =
        pendulum(expression("PA.x - F - 0.9*L"), 1, 0, fmt::format("{}", angle).c_str());
    EXPECT_NEAR(remaining<double>(model), angle, 1e-3 * angle);
  }
  EXPECT_EQ(remaining<double>(pendulum(expression("PA.x - F - 0.9*L"), 1, 0, "1e-11")), 0);
}

/// Sizes that were found in one place serve in others.
TEST(ConstraintRank, DecidesAnewWhereTheMechanismIs) {
  const Model model = pendulum(expression("PA.x - F - 0.9*L"));
  const auto system = make_system<double>(model, ReferencePoint::kCom);
  system->set_parameters(model.default_physical());
  VecX q(2);
  for (const auto& [angle, expected] :
       {std::pair{0.5, 1.0}, {1e-4, 1e-4}, {0.0, 0.0}, {1e-12, 0.0}, {1e-8, 1e-8}, {2.0, 1.0}}) {
    q << angle, 0.2;
    system->place(0, in(q));
    EXPECT_NEAR(system->remaining(0), expected, 1e-3 * expected) << angle;
  }
}

/// What the joints of the tree satisfy identically is an equation like others where bodies have coordinates of
/// their own.
TEST(ConstraintRank, JointsSatisfyItInTheirOwnCoordinatesAlone) {
  const char* yaml = R"(
bodies:
  A: {mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], points: {PA: [1, 0, 0]}}
  B: {mass: 1, com: [0.3, 0.1, 0], inertia: [0.1, 0.1, 0.1], points: {QB: [0, 0, 0]}}
joints:
  J1: {type: revolute, bodies: [ground, A], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}
  J2: {type: revolute, bodies: [A, B], points: [PA, QB], axes: [z, z], references: [x, x]}
constraints:
  same: {type: expression, expression: "PA.x - QB.x"}
initial: {J1.q: 0.3, J1.v: 0.4, J2.q: 0.9, J2.v: -0.7}
)";
  for (const CoordinateSet set : {CoordinateSet::kJoint, CoordinateSet::kCartesian}) {
    const Model model =
        compile_model(parse_model_yaml(yaml, "model.yaml"), builtin_catalogue(), set);
    const auto system = make_system<double>(model, ReferencePoint::kCom);
    system->set_parameters(model.default_physical());
    const std::vector<double> p = model.default_physical();
    const Model& joints = model.start();
    VecX q = Eigen::Map<const VecX>(p.data() + joints.initial_q(), joints.nq()), v = q, other;
    if (&joints != &model) {
      FromJointCoordinates<double>(model).convert(p, in(v), in(v), q, other);
    }
    system->place(0, in(q));
    int same = -1;
    for (std::size_t i = 0; i < model.constraint_rows().size(); ++i) {
      const int c = model.constraint_rows()[i].constraint;
      if (model.constraints()[std::size_t(c)].name == "same") same = int(i);
    }
    ASSERT_GE(same, 0);
    EXPECT_EQ(system->remaining(same), set == CoordinateSet::kCartesian ? 1 : 0) << int(set);
  }
}

}  // namespace
}  // namespace kinegrad

// [LO-4] on equations whose distance is known.
#include "kinegrad/simulation/constraint_distance.hpp"

#include <gtest/gtest.h>

#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/catalogue.hpp"
#include "kinegrad/model/compile.hpp"

namespace kinegrad {
namespace {

/// A particle in the plane, on the line y = 0 and on the line y = part·(x − 1).
Model two_lines(const std::string& part) {
  return compile_model(parse_model_yaml(R"yaml(
parameters: {part: )yaml" + part + R"yaml(}
bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1], points: {P: [0, 0, 0]}}}
joints: {J: {type: planar, bodies: [ground, b], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}}
constraints:
  first: {type: expression, expression: "P.y"}
  second: {type: expression, expression: "P.y - part*(P.x - 1)"}
)yaml",
                                        "two_lines"),
                       builtin_catalogue());
}

ConstraintDistance at_origin(const std::string& part, double unit) {
  const Model model = two_lines(part);
  const auto system = make_system<double>(model, ReferencePoint::kCom);
  system->set_parameters(model.default_physical());
  VecX units = VecX::Ones(model.nq());
  units.head(2).setConstant(unit);
  return distance_of_positions(*system, 0, VecX::Zero(model.nq()), units);
}

TEST(ConstraintDistance, IsThatOfTheStateNotOfTheEquations) {
  for (const char* part : {"1", "1e-3", "1e-6", "1e-8"}) {
    const ConstraintDistance found = at_origin(part, 1);
    EXPECT_NEAR(found.distance, 1, 1e-6) << part;  // rounding over 1e-8
    EXPECT_NEAR(found.open, std::stod(part) / std::hypot(1, std::stod(part)), 1e-12) << part;
    EXPECT_NEAR(at_origin(part, 10).distance, 0.1, 1e-7) << "in parts of ten metres";
  }
}

TEST(ConstraintDistance, NamesTheEquationThatHasLeastOfItsOwn) {
  const ConstraintDistance found = at_origin("1e-6", 1);
  EXPECT_NEAR(found.least, 1e-6, 1e-12);
  EXPECT_GE(found.equation, 0);
}

/// An equation that depends on the others by the rank rule says nothing.
TEST(ConstraintDistance, LeavesOutEquationsThatDepend) {
  const ConstraintDistance found = at_origin("1e-10", 1);
  EXPECT_LT(found.distance, 1e-9);
  EXPECT_GT(found.least, 0.5);
}

/// What is surely closed is so by R as well, whatever differs by how much [LO-6].
TEST(ConstraintDistance, SurelyClosedMeansThatTheFactorsFindNothing) {
  for (const char* part : {"1", "0.3", "0.02", "2e-3", "1e-6", "1e-10"}) {
    const Model model = two_lines(part);
    const auto system = make_system<double>(model, ReferencePoint::kCom);
    system->set_parameters(model.default_physical());
    const VecX units = VecX::Ones(model.nq());
    for (const double away : {0.0, 1e-9, 1e-7, 1e-5, 1e-2}) {
      VecX q = VecX::Zero(model.nq());
      q(0) = 1 + away;  // the lines meet at 1
      q(1) = 0.5 * away;
      const ConstraintDistance found = distance_of_positions(*system, 0, q, units);
      for (const double least : {1e-3, 3e-2}) {
        const bool sure = surely_closed(*system, 0, q, units, least, 1e-6);
        // what is an equation's own is found up to rounding over its square
        const bool apart = found.least < least * (1 - 1e-6) || found.distance > 1e-6 * (1 + 1e-6);
        EXPECT_EQ(sure, !apart && found.independent.size() == 2) << part << " " << away;
      }
    }
  }
}

}  // namespace
}  // namespace kinegrad

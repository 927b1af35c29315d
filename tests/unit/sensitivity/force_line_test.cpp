// What a force does on the line between two states [KN-5], [KN-6].
#include "kinegrad/sensitivity/force_line.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"

namespace kinegrad {
namespace {

using Kind = ForceBreak::Kind;

/// A block on a rail at x with speed v.
StepState<double> state(double t, double x, double v) {
  StepState<double> out;
  out.t = t;
  out.q = VecX::Constant(1, x);
  out.v = VecX::Constant(1, v);
  out.a = VecX::Zero(1);
  return out;
}

/// The break between x = 0.2 and x = −0.3 of a force whose first switch is at x = 0.
ForceBreak found(const std::string& force) {
  const Model model =
      compile_model(parse_model_yaml("bodies: {a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
                                     "joints: {J: {type: prismatic, bodies: [ground, a], points: "
                                     "[[0, 0, 0], [0, 0, 0]], axes: [x, "
                                     "x], references: [y, y]}}\n"
                                     "forces: {f: {" +
                                         force + "}}\n",
                                     "line.yaml"));
  ForceLine line(model, model.default_physical());
  ForceLine::End from, to;
  line.move(state(1, 0.2, -2));
  EXPECT_TRUE(line.read(model.forces()[0], from));
  line.move(state(2, -0.3, -2));
  EXPECT_TRUE(line.read(model.forces()[0], to));
  EXPECT_EQ(from.t, 1);
  line.take(model.forces()[0], from, to);
  line.go(0);
  const bool positive = line.switch_values()(0) > 0;
  return line.find([&] { return (line.switch_values()(0) > 0) == positive; });
}

std::string stop(const std::string& exponent) {
  return "type: translational-bump-stop, joint: J, stiffness: 50, length: 0" + exponent;
}
std::string wall(const std::string& law) {
  return "type: sphere-on-plane, bodies: [ground, a], points: [[0, 0, 0], [0, 0, 0]], axes: [x, "
         "x], "
         "references: [y, y], stiffness: 100, " +
         law;
}

TEST(ForceLine, TellsKinksFromWhatIsSmoothEnough) {
  EXPECT_EQ(found(stop("")).kind, Kind::kKink);
  EXPECT_NEAR(found(stop("")).part, 0.4, 1e-12);
  EXPECT_EQ(found(stop(", exponent: 1.5")).kind, Kind::kSmooth);
  EXPECT_EQ(found(stop(", exponent: 2")).kind, Kind::kSmooth);
  EXPECT_EQ(found(wall("exponent: 1")).kind, Kind::kKink);
  EXPECT_EQ(found(wall("exponent: 1.5")).kind, Kind::kSmooth);
}

TEST(ForceLine, MeasuresJumps) {
  const ForceBreak jump = found(wall("normal_law: kelvin-voigt-jump, damping: 3"));
  EXPECT_EQ(jump.kind, Kind::kJump);
  EXPECT_NEAR(jump.jump, 6, 1e-9);
  EXPECT_EQ(found(wall("normal_law: kelvin-voigt, damping: 3")).kind, Kind::kKink);
}

}  // namespace
}  // namespace kinegrad

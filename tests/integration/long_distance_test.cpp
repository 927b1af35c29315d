// Mechanisms of a hundred kilometres: rounding of squared distances must not keep loops from closing.
#include <gtest/gtest.h>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/simulation/simulator.hpp"

namespace kinegrad {
namespace {

/// The same mechanism and gravity, ×1 and ×1e5: angles are the same, and distances of 1e5 m close.
TEST(LongDistance, AnglesDoNotKnowTheSize) {
  const auto end = [](double size) {
    const std::string s = std::to_string(size);
    const Model model = compile_model(parse_model_yaml(R"yaml(
parameters: {s: )yaml" + s + R"yaml(}
points: {G: [2*s, 0, 0]}
bodies:
  a: {mass: 1, com: [0.5*s, 0, 0], inertia: [0.01*s^2, 0.1*s^2, 0.1*s^2], points: {pa: [s, 0, 0]}}
  b: {mass: 1, com: [0.7*s, 0, 0], inertia: [0.01*s^2, 0.2*s^2, 0.2*s^2], points: {pb: [1.5*s, 0, 0]}}
joints:
  ja: {type: revolute, bodies: [ground, a], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [y, x]}
  jb: {type: revolute, bodies: [a, b], points: [pa, [0, 0, 0]], axes: [z, z], references: [["cos(1.2)", "-sin(1.2)", 0], x]}
constraints: {c: {type: distance, points: [G, pb], length: 0.9*s}}
initial: {ja.q: 0.1}
forces: {weight: {type: gravity, acceleration: [0, -9.81*s, 0]}}
)yaml",
                                                       "long"));
    RunOptions options;
    options.step = 5e-3;
    options.end = 0.5;
    VecX q;
    const RunReport report =
        Simulator(model, options).run(model.default_physical(), [&](const StepState<double>& x) {
          q = x.q;
          return true;
        });
    EXPECT_TRUE(report.done()) << size << ": " << report.message;
    return q;
  };
  const VecX small = end(1);
  EXPECT_GT((small - VecX::Constant(2, 0.1)).norm(), 0.1);  // it moved
  for (const double size : {1e4, 1e5}) {
    // Newton's method stops at 1e-10 rad, a hundred steps long
    EXPECT_LE((end(size) - small).norm(), 1e-8) << size;
  }
}

}  // namespace
}  // namespace kinegrad

// Wheels with tyres that move: a stop, a slope, gradients in every coordinate set.
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "support/closed_loops.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

Model example_in(const std::string& coordinates) {
  const CoordinateSet set = coordinates == "cartesian" ? CoordinateSet::kCartesian
                            : coordinates == "natural" ? CoordinateSet::kNatural
                                                       : CoordinateSet::kJoint;
  return compile_model(read_model_yaml(test::source_path("examples/rolling_wheel.yaml")),
                       builtin_catalogue(), set);
}

RunOptions rolling(const std::string& coordinates, double end) {
  RunOptions options;
  options.coordinates = coordinates;
  options.start = "equilibrium";
  options.step = 5e-3;
  options.end = end;
  return options;
}

/// The brake does not lock the wheel: the sum of its torque and of what the wheel stores is what the road does, and the
/// distance is that of a constant deceleration but for the time in which the brake comes on.
TEST(TyreRuns, BrakesToAStand) {
  const Model model = example_in("joint-com");
  double speed = 0, distance = 0;
  const RunReport report = Simulator(model, rolling("joint-com", 2.5))
                               .run(model.default_physical(), [&](const StepState<double>& x) {
                                 distance = x.q(0);
                                 speed = x.v(0);
                                 return true;
                               });
  ASSERT_TRUE(report.done()) << report.message;
  EXPECT_LE(std::abs(speed), 0.02);
  const double inertia = 282 + 1.1 / 0.09, deceleration = 500 / 0.3 / inertia;
  EXPECT_NEAR(distance, 64 / (2 * deceleration), 1.5);
}

/// Locked, it decelerates by μ of its load, of which the spring, ten times softer than the tyre, carries its share.
TEST(TyreRuns, ALockedWheelSlidesWithAllOfItsFriction) {
  ModelDescription description = read_model_yaml(test::source_path("examples/rolling_wheel.yaml"));
  set_parameter(description, "T", "1500");
  const Model model = compile_model(description);
  double early = 0, late = 0;
  const RunReport report = Simulator(model, rolling("joint-com", 0.6))
                               .run(model.default_physical(), [&](const StepState<double>& x) {
                                 if (std::abs(x.t - 0.4) < 1e-9) early = x.v(0);
                                 late = x.v(0);
                                 return true;
                               });
  ASSERT_TRUE(report.done()) << report.message;
  EXPECT_NEAR((early - late) / 0.2, 0.9 * 9.81 / 1.1, 1e-9);
}

TEST(TyreRuns, GradientsAgreeInAllCoordinateSets) {
  for (const std::string coordinates : {"joint-com", "joint-origin", "cartesian", "natural"}) {
    const Model model = example_in(coordinates);
    const VecX rho = model.default_rho();
    GradientOptions options;
    options.run = rolling(coordinates, 2.5);
    options.method = "complex-step";
    const GradientReport expected = gradient(model, in(rho), options);
    ASSERT_EQ(expected.status, RunStatus::kDone) << coordinates << ": " << expected.message;
    for (const char* method : {"forward", "adjoint"}) {
      options.method = method;
      const GradientReport actual = gradient(model, in(rho), options);
      ASSERT_EQ(actual.status, RunStatus::kDone) << coordinates << ": " << actual.message;
      EXPECT_LE(test::gradient_distance(model, actual, expected), 1e-8)
          << coordinates << " " << method;
    }
  }
}

/// A wheel that is thrown onto the road, bounces, topples and lies down: nothing breaks, and the gradient is that of
/// the run.
TEST(TyreRuns, AWheelThatTopples) {
  const Model model = compile_model(parse_model_yaml(R"yaml(
parameters: {mu: {value: 0.7}, k: {value: 2e4}, v0: {value: 2}}
bodies: {wheel: {mass: 5, inertia: [0.12, 0.22, 0.12]}}
joints: {free: {type: floating, bodies: [ground, wheel], points: [[0, 0, 0], [0, 0, 0]]}}
forces:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
  tyre: {type: tyre, bodies: [ground, wheel], points: [[0, 0, 0], [0, 0, 0]], axes: [z, y], radius: 0.3, stiffness: k, damping: 150, friction: mu, slip: 0.1, slip_angle: 0.15}
initial: {free.q1: 0, free.q2: 0, free.q3: 0.32, free.q4: cos(0.15), free.q5: sin(0.15), free.q6: 0, free.q7: 0, free.v1: v0}
signals: {x: wheel.com.x, z: wheel.com.z}
objectives: {far: {terminal: x}, low: {integral: z}}
)yaml",
                                                     "topples"));
  const VecX rho = model.default_rho();
  GradientOptions options;
  options.run.step = 5e-4;
  options.run.end = 1;
  options.method = "complex-step";
  const GradientReport expected = gradient(model, in(rho), options);
  ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
  options.method = "adjoint";
  const GradientReport actual = gradient(model, in(rho), options);
  ASSERT_EQ(actual.status, RunStatus::kDone) << actual.message;
  EXPECT_LE(test::gradient_distance(model, actual, expected), 1e-7);  // impacts magnify rounding
}

}  // namespace
}  // namespace kinegrad

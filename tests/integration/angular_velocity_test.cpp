// Angular velocities as signals [SG-6]: against the twists of the bodies, in all coordinates, and their gradients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

/// A rod on a ball that spins, and an arm hinged to it about the rod's x axis, under gravity.
std::string top(const std::string& outputs, const std::string& forces = "") {
  return R"yaml(
parameters: {L: 0.6, w: 4, m: 1.2}
bodies:
  rod: {mass: m, com: [L/2, 0.05, 0], inertia: [0.02, 0.1, 0.11], points: {P: [L, 0, 0]}}
  arm: {mass: 0.5, com: [0, 0.1, 0], inertia: [0.01, 0.002, 0.01]}
joints:
  ball: {type: spherical, bodies: [ground, rod], points: [[0, 0, 0], [0, 0, 0]]}
  hinge: {type: revolute, bodies: [rod, arm], points: [P, [0, 0, 0]], axes: [x, x], references: [y, y]}
forces:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
)yaml" + forces +
         "initial: {ball.w: [1, -2, w], hinge.v: 3}\n" + outputs;
}

Model compiled(const std::string& text, const std::string& coordinates = "joint-com") {
  return compile_model(parse_model_yaml(text, "case"), builtin_catalogue(),
                       coordinate_set_named(coordinates));
}

RunOptions run_in(const std::string& coordinates) {
  RunOptions options;
  options.coordinates = coordinates;
  if (coordinates != "joint-com") options.formulation = "matrix-r";
  options.integrator = "rk4";
  options.step = 5e-3;
  options.end = 0.2;
  return options;
}

/// At the start ω is what the file gives; the arm turns about the rod's x axis besides.
TEST(AngularVelocity, IsThatOfTheInitialValues) {
  for (const char* coordinates : {"joint-com", "joint-origin", "cartesian", "natural"}) {
    const Model model = compiled(
        top("signals: {a: rod.wx, b: rod.wy, c: rod.wz, d: arm.wx, e: arm.wy, f: ground.wz}\n"),
        coordinates);
    const std::vector<double> p = model.default_physical();
    SignalEvaluator<double> signals(model);
    std::vector<double> first;
    RunOptions options = run_in(coordinates);
    if (std::string(coordinates) == "joint-origin") options.formulation = "semi-recursive";
    const RunReport report = Simulator(model, options).run(p, [&](const StepState<double>& x) {
      signals.evaluate(p, x.t, in(x.q), in(x.v), in(x.a), in(x.lambda));
      if (first.empty()) {
        for (int k = 0; k < 6; ++k) first.push_back(signals.signal(std::size_t(k)));
      }
      return true;
    });
    ASSERT_TRUE(report.done()) << coordinates << ": " << report.message;
    const double expected[] = {1, -2, 4, 4, -2, 0};
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_NEAR(first[k], expected[k], 1e-9) << coordinates << k;
  }
}

/// Forces and objectives read it; all methods agree about the derivatives, forwards through Euler parameters.
TEST(AngularVelocity, GradientsAgree) {
  const std::string text = top(
      "objectives: {spin: {terminal: rod.wz*arm.wx, integral: rod.wx^2 + arm.wz}}\n",
      "  brake: {type: body-torque, body: rod, torque: [-0.1*rod.wx, -0.1*rod.wy, -0.2*rod.wz]}\n");
  for (const char* coordinates : {"joint-com", "cartesian", "natural"}) {
    const Model model = compiled(text, coordinates);
    const VecX rho = model.default_rho();
    std::vector<GradientReport> all;
    for (const char* method : {"complex-step", "forward", "adjoint"}) {
      GradientOptions options;
      options.method = method;
      options.run = run_in(coordinates);
      all.push_back(gradient(model, in(rho), options));
      ASSERT_EQ(all.back().status, RunStatus::kDone) << method << ": " << all.back().message;
    }
    EXPECT_LE(test::gradient_distance(model, all[0], all[1]), 1e-9) << coordinates;
    EXPECT_LE(test::gradient_distance(model, all[0], all[2]), 1e-9) << coordinates;
    EXPECT_GT(all[0].gradient.cwiseAbs().maxCoeff(), 0.1);
  }
}

TEST(AngularVelocity, OtherComponentsAreRefusedWithTheChoices) {
  try {
    compiled(top("signals: {a: rod.wq}\n"));
    FAIL() << "not refused";
  } catch (const InvalidModel& error) {
    EXPECT_THAT(error.what(), HasSubstr("has wx, wy, wz, its angular velocity"));
  }
}

}  // namespace
}  // namespace kinegrad

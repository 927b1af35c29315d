// Controls through straight lines [SP-9]: exact gradients by every method from a flat start, no warning of what reads
// the time alone, and a word where a node is passed by something that moves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

/// A block on a rail that is pushed by a control of six values, all equal.
std::string pushed(const std::string& type, const std::string& force = "push(t)*(1 + 0.3*ja.q)",
                   const std::string& rest = "") {
  return R"yaml(
parameters:
  u: {value: 0.4, count: 6}
  k: 2
  x0: 0.3
splines:
  push: {type: )yaml" +
         type + R"yaml(, nodes: {from: 0, to: 1, count: 6}, values: u}
bodies: {a: {mass: 1, com: [0,0,0], inertia: [0.1,0.1,0.1]}}
joints: {ja: {type: prismatic, bodies: [ground, a], points: [[0,0,0],[0,0,0]], axes: [x, x], references: [y, y]}}
forces: {f: {type: joint-force, joint: ja, value: ")yaml" +
         force + R"yaml( - k*ja.q - 0.1*ja.v"}}
initial: {ja.q: x0, ja.v: 1}
objectives: {miss: {terminal: (ja.q - 1)^2}, effort: {integral: push(t)^2 + ja.v^2}}
)yaml" + rest;
}

GradientReport gradient_of(const std::string& text, const std::string& method,
                           const std::string& integrator, double step = 0.01) {
  const Model model = compile_model(parse_model_yaml(text, "pushed.yaml"));
  const VecX rho = model.default_rho();
  GradientOptions options;
  options.method = method;
  options.run.integrator = integrator;
  options.run.step = step;
  options.run.end = 0.93;
  return gradient(model, in(rho), options);
}

Warnings kinks_of(const GradientReport& report) {
  Warnings out;
  for (const Warning& warning : report.run.warnings) {
    if (warning.kind == "kink") out.push_back(warning);
  }
  return out;
}

class LinearSplines : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Integrators, LinearSplines,
                         testing::Values("trapezoidal", "hht", "rk4", "dopri5"));

/// The recorded steps are a smooth function of the values; all exact methods agree to rounding.
TEST_P(LinearSplines, GradientsOfAFlatStartAgree) {
  const GradientReport expected = gradient_of(pushed("linear"), "complex-step", GetParam());
  ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
  const double size = expected.gradient.cwiseAbs().maxCoeff();
  for (const char* method : {"forward", "adjoint"}) {
    const GradientReport actual = gradient_of(pushed("linear"), method, GetParam());
    ASSERT_EQ(actual.status, RunStatus::kDone) << actual.message;
    EXPECT_LE((actual.gradient - expected.gradient).cwiseAbs().maxCoeff(), 1e-11 * size) << method;
    EXPECT_TRUE(actual.run.warnings.empty()) << method << ": " << actual.run.warnings.front().text;
  }
  const GradientReport differences = gradient_of(pushed("linear"), "finite-difference", GetParam());
  for (Eigen::Index i = 0; i < expected.gradient.size(); ++i) {
    EXPECT_LE(std::abs(differences.gradient(i) - expected.gradient(i)),
              differences.error(i) + 1e-11 * size);
  }
}

/// The continuous adjoint goes over nodes of the control with its own steps: second order, a few per mille here.
TEST(LinearSpline, TheContinuousAdjointConvergesToIt) {
  double before = 0;
  for (const double step : {1e-2, 2.5e-3}) {
    const GradientReport exact = gradient_of(pushed("linear"), "adjoint", "trapezoidal", step);
    const GradientReport other =
        gradient_of(pushed("linear"), "continuous-adjoint", "trapezoidal", step);
    ASSERT_EQ(other.status, RunStatus::kDone) << other.message;
    const double distance = (other.gradient - exact.gradient).cwiseAbs().maxCoeff();
    EXPECT_LE(distance, 1e-2 * exact.gradient.cwiseAbs().maxCoeff());
    if (before > 0) {
      EXPECT_LE(distance, 0.2 * before) << "at least of order 1.2";
    }
    before = distance;
  }
}

/// Its partial derivatives belong to a gradient: along several values at once they add up, as those of a monotone
/// spline do not [SP-8].
TEST(LinearSpline, PartialsOfAFlatStartAddUp) {
  const auto terminal = [](const std::string& type) {
    const std::string text = R"yaml(
parameters: {u: {value: 1, count: 4}}
splines: {sp: {type: )yaml" + type +
                             R"yaml(, nodes: [0, 1, 2, 3], values: u}}
bodies: {a: {mass: 1, com: [0,0,0], inertia: [0.1,0.1,0.1]}}
joints: {ja: {type: prismatic, bodies: [ground, a], points: [[0,0,0],[0,0,0]], axes: [x, x], references: [y, y]}}
objectives: {o: {terminal: sp(t - 0.43)}}
)yaml";
    return gradient_of(text, "adjoint", "trapezoidal");
  };
  const GradientReport linear = terminal("linear"), monotone = terminal("monotone");
  EXPECT_NEAR(linear.gradient.sum(), 1, 1e-14);
  EXPECT_NEAR(linear.gradient(0), 0.5, 1e-12);
  EXPECT_NEAR(linear.gradient(1), 0.5, 1e-12);
  EXPECT_TRUE(kinks_of(linear).empty());
  EXPECT_NEAR(monotone.gradient.sum(), 1.0625, 1e-12);
  ASSERT_EQ(kinks_of(monotone).size(), 1u);
  EXPECT_THAT(kinks_of(monotone)[0].text, HasSubstr("use the type cubic or linear"));
}

TEST(LinearSpline, NodesThatAMotionPassesAreKinks) {
  const GradientReport report =
      gradient_of(pushed("linear", "push(ja.q)"), "adjoint", "trapezoidal");
  ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
  const Warnings kinks = kinks_of(report);
  ASSERT_EQ(kinks.size(), 1u);
  EXPECT_EQ(kinks[0].element, "f");
  EXPECT_THAT(kinks[0].text,
              HasSubstr("the linear spline \"push\" in force \"f\" passes its kink"));
  EXPECT_THAT(kinks[0].text, HasSubstr("use the type cubic"));
}

/// A time that a parameter shifts moves the nodes.
TEST(LinearSpline, TimesThatParametersShiftAreWatched) {
  const GradientReport report =
      gradient_of(pushed("linear", "push(t + 0.1*x0)"), "adjoint", "trapezoidal");
  EXPECT_EQ(kinks_of(report).size(), 1u);
}

TEST(LinearSpline, PositionsThatFollowItAreRefused) {
  const std::string drive =
      "constraints: {drive: {type: prescribed, coordinate: ja.q, value: push(t)}}\n";
  EXPECT_NO_THROW(compile_model(parse_model_yaml(pushed("cubic", "0", drive), "pushed.yaml")));
  try {
    compile_model(parse_model_yaml(pushed("linear", "0", drive), "pushed.yaml"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("reads the linear spline \"push\", whose slope jumps"));
  }
  // a speed that follows it does not jump
  const std::string speed =
      "constraints: {drive: {type: nonholonomic, expression: ja.v - push(t)}}\n";
  EXPECT_NO_THROW(compile_model(parse_model_yaml(pushed("linear", "0", speed), "pushed.yaml")));
}

}  // namespace
}  // namespace kinegrad

// Contact in runs: restitution, rolling and sliding against closed forms; gradients in all coordinate sets.
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/signal_table.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

RunOptions options_of(const std::string& integrator, double step, double end) {
  RunOptions options;
  options.integrator = integrator;
  options.step = step;
  options.end = end;
  return options;
}

double last(const SignalTable& table, const char* name) {
  const VecX x = table.column(name);
  return x(x.size() - 1);
}

/// The restitution that follows from a given χ and speed [CN-3], by bisection.
double restitution(double d) {
  double low = 0, high = 1;
  for (int k = 0; k < 100; ++k) {
    const double e = 0.5 * (low + high);
    (d * (1 + e) > std::log((1 + d) / (1 - d * e)) ? low : high) = e;
  }
  return low;
}

/// A ball without weight hits the plane at 2 m/s; the printed values for nominal e = 0.9, 0.7, 0.5, 0.3 are 0.909, 0.768,
/// 0.663, 0.581.
TEST(SphereOnPlaneRuns, RestitutionIsTheClosedForm) {
  const double nominal[] = {0.9, 0.7, 0.5, 0.3}, printed[] = {0.909, 0.768, 0.663, 0.581};
  for (int k = 0; k < 4; ++k) {
    const double chi = 1.5 * (1 - nominal[k]) / 2.0;
    const Model model = compile_model(parse_model_yaml(R"yaml(
bodies: {b: {mass: 0.3, com: [0, 0, 0], inertia: [1e-4, 1e-4, 1e-4], placement: {position: [0, 0, 0.06]}}}
forces: {hit: {type: sphere-on-plane, bodies: [ground, b], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], radius: 0.05, stiffness: 1e6, exponent: 1.5, dissipation: )yaml" +
                                                           std::to_string(chi) + R"yaml(}}
joints: {fly: {type: floating, bodies: [ground, b]}}
initial: {fly.v3: -2}
signals: {v: b.com.vz}
)yaml",
                                                       "hit.yaml"));
    const SignalTable table = simulate(model, options_of("rk4", 1e-6, 0.025));
    ASSERT_EQ(table.report.status, RunStatus::kDone) << table.report.message;
    const double e = last(table, "v") / 2;
    EXPECT_NEAR(e, restitution(chi * 2), 1e-6) << nominal[k];
    EXPECT_NEAR(e, printed[k], 6e-4) << nominal[k];
  }
}

/// A ball let go on a slope of 0.2 rad rolls with 5/7 g sin β.
TEST(SphereOnPlaneRuns, BallRollsDownASlope) {
  const Model model = compile_model(parse_model_yaml(R"yaml(
parameters: {R: 0.05, m: 0.3, beta: 0.2}
bodies: {b: {mass: m, com: [0, 0, 0], inertia: ["0.4*m*R^2", "0.4*m*R^2", "0.4*m*R^2"], placement: {position: [0, 0, R]}}}
forces:
  g: {type: gravity, acceleration: ["9.81*sin(beta)", 0, "-9.81*cos(beta)"]}
  floor: {type: sphere-on-plane, bodies: [ground, b], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], radius: R, stiffness: 1e6, exponent: 1.5, dissipation: 1, friction: 0.5, static_friction: 0.6, slip_speed: 1e-3}
signals: {x: b.com.x, v: b.com.vx, w: b.wy}
)yaml",
                                                     "roll.yaml"));
  const SignalTable table = simulate(model, options_of("trapezoidal", 1e-4, 0.5));
  ASSERT_EQ(table.report.status, RunStatus::kDone) << table.report.message;
  const double expected = 5.0 / 7 * 9.81 * std::sin(0.2) * 0.5;
  EXPECT_NEAR(last(table, "v"), expected,
              5e-3 * expected);  // slips at v_s, and bounces a little at first
  EXPECT_NEAR(last(table, "w") * 0.05, last(table, "v"), 5e-3);
}

/// A ball that is thrown flat onto the plane slides, grips and rolls on.
constexpr const char* kThrown = R"yaml(
parameters: {R: 0.05, m: 0.3, mu: 0.25, K: 2e4, v0: 1.2, tilt: 0.03}
bodies: {b: {mass: m, com: [0.002, 0, 0.001], inertia: ["0.4*m*R^2", "0.4*m*R^2", "0.4*m*R^2"], placement: {position: [0, 0, "R + 0.002"]}}}
forces:
  g: {type: gravity, acceleration: [0, 0, -9.81]}
  floor: {type: sphere-on-plane, bodies: [ground, b], points: [[0, 0, 0], [0, 0, 0]], axes: [[0, sin(tilt), cos(tilt)], z], radius: R, stiffness: K, exponent: 1.5, dissipation: 0.5, friction: mu, static_friction: "1.3*mu", slip_speed: 0.02}
joints: {fly: {type: floating, bodies: [ground, b]}}
initial: {fly.v1: v0, fly.v2: 0.2}
signals: {x: b.com.x, y: b.com.y}
objectives: {far: {terminal: x}, side: {integral: "y^2"}}
)yaml";

TEST(SphereOnPlaneRuns, GradientsAgreeInAllCoordinateSets) {
  struct SetCase {
    CoordinateSet set;
    const char* coordinates;
  };
  for (const SetCase& c :
       {SetCase{CoordinateSet::kJoint, "joint-com"}, SetCase{CoordinateSet::kJoint, "joint-origin"},
        SetCase{CoordinateSet::kCartesian, "cartesian"}, SetCase{CoordinateSet::kNatural, "natural"}}) {
    const Model model =
        compile_model(parse_model_yaml(kThrown, "thrown.yaml"), builtin_catalogue(), c.set);
    for (const char* integrator : {"trapezoidal", "rk4"}) {
      SCOPED_TRACE(std::string(c.coordinates) + " " + integrator);
      const auto run = [&](const char* method) {
        const VecX rho = model.default_rho();
        GradientOptions options;
        options.method = method;
        options.run = options_of(integrator, 1e-3, 0.15);
        options.run.coordinates = c.coordinates;
        if (c.set != CoordinateSet::kJoint && std::string(integrator) == "rk4") {
          options.run.formulation = "index1";  // the default of constraints is implicit
        }
        return gradient(model, in(rho), options);
      };
      const GradientReport expected = run("complex-step");
      ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
      for (const char* method : {"forward", "adjoint"}) {
        const GradientReport actual = run(method);
        ASSERT_EQ(actual.status, RunStatus::kDone) << actual.message;
        EXPECT_LE(test::gradient_distance(model, actual, expected), 1e-8) << method;
      }
    }
  }
}

}  // namespace
}  // namespace kinegrad

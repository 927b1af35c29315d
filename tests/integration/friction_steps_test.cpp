// A block of 1 kg that friction brings to rest, as steep as it may be written: Newton's method of the steps must
// find its way, and gradients are those of the run as it was made [GA-5].
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/math/views.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "support/constraint_oracles.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

struct Friction {
  const char* law;
  const char* force;
};
constexpr Friction kLaws[] = {
    {"tanh", "-mu_d*m*g*tanh(S.v/v_s)"},
    {"Brown-McPhee",
     "-m*g*(mu_d*tanh(4*S.v/v_s) + (mu_s - mu_d)*(S.v/v_s)/((S.v/(2*v_s))^2 + 3/4)^2)"}};

std::string block(const Friction& friction, double v_s) {
  return fmt::format(R"(parameters: {{m: 1, g: 9.81, mu_d: 0.3, mu_s: 0.4, v_s: {}, v0: 1}}
bodies: {{block: {{mass: m, inertia: [1, 1, 1]}}}}
joints:
  S: {{type: prismatic, bodies: [ground, block], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}}
forces: {{rub: {{type: joint-force, joint: S, value: "{}"}}}}
initial: {{S.q: 0, S.v: v0}}
objectives: {{x_end: {{terminal: S.q}}, v_end: {{terminal: S.v}}}}
)",
                     v_s, friction.force);
}

constexpr double kEnd = 1, kRests = 0.6;  // friction stops it after 0.34 s

RunOptions options_for(const std::string& integrator, double step) {
  RunOptions options;
  options.integrator = integrator;
  options.step = step;
  options.end = kEnd;
  if (has_adaptive_steps(integrator, options.details.steps)) options.details.tolerance = 1e-6;
  return options;
}

template <typename Visit>
void each_case(const Visit& visit) {
  for (const Friction& friction : kLaws) {
    for (const double v_s : {1e-2, 1e-3, 1e-4, 1e-5}) {
      const Model model = test::model_of(block(friction, v_s));
      for (const double step : {1e-3, 1e-2}) {
        for (const std::string integrator :
             {"trapezoidal", "generalized-alpha", "esdirk3", "esdirk4"}) {
          SCOPED_TRACE(
              fmt::format("{}, v_s = {}, h = {}, {}", friction.law, v_s, step, integrator));
          visit(model, v_s, options_for(integrator, step));
        }
      }
    }
  }
}

TEST(FrictionSteps, TheBlockRests) {
  each_case([](const Model& model, double v_s, const RunOptions& options) {
    double rest = NAN, drift = 0, v = NAN;
    Simulator simulator(model, options);
    const RunReport report =
        simulator.run(model.default_physical(), [&](const StepState<double>& x) {
          v = x.v(0);
          if (x.t < kRests) return true;
          if (std::isnan(rest)) rest = x.q(0);
          drift = std::max(drift, std::abs(x.q(0) - rest));
          return true;
        });
    EXPECT_TRUE(report.done()) << report.message;
    EXPECT_LE(std::abs(v), 2 * v_s);
    EXPECT_LE(drift, 2 * v_s * (kEnd - kRests));
  });
}

/// 1e-10 was measured for the steepest law: what Newton's method leaves open over v_s.
TEST(FrictionSteps, AdjointIsTheComplexStepOfTheSameRun) {
  each_case([](const Model& model, double, const RunOptions& options) {
    GradientOptions gradients;
    gradients.run = options;
    const VecX rho = model.default_rho();
    const GradientReport adjoint = gradient(model, in(rho), gradients);
    gradients.method = "complex-step";
    const GradientReport complex = gradient(model, in(rho), gradients);
    EXPECT_EQ(adjoint.status, RunStatus::kDone) << adjoint.message;
    EXPECT_EQ(complex.status, RunStatus::kDone) << complex.message;
    EXPECT_LE(test::gradient_distance(model, complex, adjoint), 1e-8);
  });
}

}  // namespace
}  // namespace kinegrad

// Orders of convergence of a bouncing ball (docs/theory/contact.md): values at the order p of the method, gradients at min(p, n) for a law with δⁿ,
// n = 3/2 of Hertz's, and at p for one that is smooth enough.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad {
namespace {

/// A ball that falls 0.3 m on a soft floor and is in the air again after 0.6 s.
Model ball(double exponent) {
  return compile_model(parse_model_yaml(fmt::format(R"yaml(
parameters: {{m: 1, K: {}, chi: 0.1, high: 0.3}}
bodies: {{b: {{mass: m, com: [0, 0, 0], inertia: [1, 1, 1]}}}}
joints: {{drop: {{type: prismatic, bodies: [ground, b], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}}}}
forces:
  weight: {{type: gravity, acceleration: [0, 0, -9.81]}}
  floor: {{type: sphere-on-plane, bodies: [ground, b], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], stiffness: K, exponent: {}, dissipation: chi}}
initial: {{drop.q: high, drop.v: 0}}
objectives: {{end: {{terminal: drop.q + 0.1*drop.v}}}}
)yaml",
                                                    exponent == 1.5 ? 4e3 : 2e6, exponent),
                                        "ball.yaml"));
}

struct Answer {
  double value;
  VecX gradient;
};

Answer answer(const Model& model, const char* integrator, int steps) {
  constexpr double kDuration = 0.6;
  const VecX rho = model.default_rho();
  GradientOptions options;
  options.run.integrator = integrator;
  options.run.step = kDuration / steps;
  options.run.end = kDuration;
  options.run.details.tolerance = 1e-12;
  options.run.monitors = false;
  options.self_check = false;
  const GradientReport report = gradient(model, in(rho), options);
  EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
  return {report.values[0], report.gradient.row(0).transpose()};
}

struct Orders {
  double of_values, of_gradients;
};

/// Errors depend on where in a step the ball touches: means over some numbers of steps, from one mean to that of steps eight times as short.
Orders orders(double exponent, const char* integrator) {
  const Model model = ball(exponent);
  const Answer exact = answer(model, "rk4", 120000);
  const auto mean_errors = [&](int steps) {
    constexpr int kMany = 8;
    double value = 0, gradient = 0;
    for (int k = 0; k < kMany; ++k) {
      const Answer at = answer(model, integrator, steps + k * steps / 40);
      value += std::abs(at.value - exact.value) / kMany;
      gradient += (at.gradient - exact.gradient).norm() / kMany;
    }
    return std::pair{value, gradient};
  };
  const auto coarse = mean_errors(800), fine = mean_errors(6400);
  return {std::log2(coarse.first / fine.first) / 3, std::log2(coarse.second / fine.second) / 3};
}

TEST(ContactOrders, HertzianBallConvergesAsItsLawIsSmooth) {
  const Orders found = orders(1.5, "trapezoidal");
  fmt::print("n = 3/2, trapezoidal: values {:.2f}, gradients {:.2f}\n", found.of_values,
             found.of_gradients);
  EXPECT_GT(found.of_values, 1.8);
  EXPECT_GT(found.of_gradients, 1.35);
  EXPECT_LT(found.of_gradients, 1.8) << "the slope behaves like a root at touch";
}

TEST(ContactOrders, SmoothBallConvergesAtTheOrderOfTheMethod) {
  for (const char* integrator : {"trapezoidal", "generalized-alpha"}) {
    const Orders found = orders(3.5, integrator);
    fmt::print("n = 7/2, {}: values {:.2f}, gradients {:.2f}\n", integrator, found.of_values,
               found.of_gradients);
    EXPECT_NEAR(found.of_values, 2, 0.15);
    EXPECT_NEAR(found.of_gradients, 2, 0.15);
  }
}

}  // namespace
}  // namespace kinegrad

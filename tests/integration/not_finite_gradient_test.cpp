// A gradient with a number that is not finite fails and says which and when, by every method.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

/// A block at 1 m/s on a rail: ja.q = x0 + t.
GradientReport gradient_of(const std::string& method, const std::string& rest, double end = 0.5,
                           std::size_t memory = 0) {
  const Model model = compile_model(parse_model_yaml(R"yaml(
parameters: {x0: 0.25, k: 2}
bodies: {a: {mass: 1, com: [0,0,0], inertia: [0.1,0.1,0.1]}}
joints: {ja: {type: prismatic, bodies: [ground, a], points: [[0,0,0],[0,0,0]], axes: [x, x], references: [y, y]}}
initial: {ja.q: x0, ja.v: 1}
)yaml" + rest,
                                                     "block.yaml"));
  const VecX rho = model.default_rho();
  GradientOptions options;
  options.method = method;
  options.memory = memory;
  options.run.step = 0.125;
  options.run.end = end;
  return gradient(model, in(rho), options);
}

class NotFiniteGradients : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, NotFiniteGradients,
                         testing::Values("forward", "adjoint", "complex-step", "finite-difference",
                                         "continuous-adjoint"),
                         [](const auto& method) {
                           std::string name = method.param;
                           std::erase(name, '-');
                           return name;
                         });

/// 1/(ja.q − 0.5) at t = 0.25, where a step ends.
TEST_P(NotFiniteGradients, IntegrandsAreNamedWithTheirTime) {
  const GradientReport report = gradient_of(
      GetParam(), "objectives: {fine: {terminal: k*ja.q}, o: {integral: k/(ja.q - 0.5)}}\n");
  EXPECT_EQ(report.status, RunStatus::kFailed);
  EXPECT_THAT(report.message, HasSubstr("at t = 0.25: objective \"o\" is not finite"));
}

TEST_P(NotFiniteGradients, ValuesAtTheEndAreNamed) {
  const GradientReport report =
      gradient_of(GetParam(), "objectives: {o: {terminal: log(ja.q - 2)*k}}\n");
  EXPECT_EQ(report.status, RunStatus::kFailed);
  EXPECT_THAT(report.message, HasSubstr("at t = 0.5: objective \"o\" is not finite"));
}

/// √(ja.q − 0.25) has a value at the start, and no derivative there that depends on x0.
TEST(NotFiniteGradient, DerivativesAreNamedWithTheirTime) {
  for (const char* method : {"forward", "adjoint"}) {
    const GradientReport report =
        gradient_of(method, "objectives: {o: {integral: k*sqrt(ja.q - 0.25)}}\n");
    EXPECT_EQ(report.status, RunStatus::kFailed);
    EXPECT_THAT(report.message,
                HasSubstr("at t = 0: the derivative of objective \"o\" is not finite"));
    EXPECT_THAT(report.message, HasSubstr("with respect to x0"));
  }
}

TEST(NotFiniteGradient, SignalsThatAreNotFiniteAreNamedToo) {
  const GradientReport report =
      gradient_of("adjoint", "signals: {s: 1/(ja.q - 0.5)}\nobjectives: {o: {integral: s*k}}\n");
  EXPECT_THAT(report.message,
              HasSubstr("at t = 0.25: objective \"o\" is not finite, nor is signal \"s\""));
}

}  // namespace
}  // namespace kinegrad

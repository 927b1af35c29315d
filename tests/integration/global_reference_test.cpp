// Printed gradients of the five-bar in global coordinates: source 001, Table 5.1, and source 002, Tables 1
// and 2 (ψ = ∫|r₂ − r₂₀|² dt over 5 s by the free lengths of the springs; digits as printed, copied from the
// sources; which integrators the first of them used is not said).
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/math/views.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

struct Pair {
  double L01, L02;
};
/// By complex step and small steps, six digits.
constexpr Pair kExact{-4.22881, 3.21160};
double distance(const Pair& a) { return std::hypot(a.L01 - kExact.L01, a.L02 - kExact.L02); }

Pair five_bar(CoordinateSet set, const char* method, const char* formulation,
              const char* integrator, double step, double tolerance = 1e-10) {
  const Model model = test::example("five_bar", set);
  GradientOptions options;
  options.method = method;
  options.run.coordinates = set == CoordinateSet::kCartesian ? "cartesian" : "natural";
  options.run.formulation = formulation;
  options.run.integrator = integrator;
  options.run.step = step;
  options.run.end = 5;
  options.run.details.tolerance = tolerance;
  options.objectives = {0};
  options.parameters = {0, 1};
  const VecX rho = model.default_rho();
  const GradientReport report = gradient(model, in(rho), options);
  EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
  return {report.gradient(0, 0), report.gradient(0, 1)};
}

TEST(GlobalReference, FiveBarOfSource001) {
  struct Row {
    const char *formulation, *integrator;
    Pair direct, adjoint;
  };
  const Row rows[] = {
      {"index3", "generalized-alpha", {-4.2381, 3.2170}, {-4.2287, 3.2090}},
      {"index1", "trapezoidal", {-4.2383, 3.2169}, {-4.2294, 3.2094}},
      {"penalty", "trapezoidal", {-4.2305, 3.2154}, {-4.2293, 3.2137}},
      {"matrix-r", "rk4", {-4.2300, 3.2112}, {-4.2294, 3.2093}},
  };
  for (const CoordinateSet set : {CoordinateSet::kCartesian, CoordinateSet::kNatural}) {
    for (const Row& row : rows) {
      SCOPED_TRACE(std::string(row.formulation) + (set == CoordinateSet::kNatural ? " n" : " c"));
      const Pair direct = five_bar(set, "forward", row.formulation, row.integrator, 1e-2);
      const Pair adjoint = five_bar(set, "adjoint", row.formulation, row.integrator, 1e-2);
      EXPECT_LE(distance(direct), distance(row.direct));
      EXPECT_LE(distance(adjoint), distance(row.adjoint));
    }
  }
}

/// Table 1: from 5e-4 s on the printed gradients move away again (2e-3 at 5e-4 for ALI3-P, 8e-3 for the
/// penalty method), ours go on converging with the square of the step.
TEST(GlobalReference, StepsOfSource002) {
  for (const char* formulation : {"ali3p", "penalty"}) {
    SCOPED_TRACE(formulation);
    double before = HUGE_VAL;
    for (const double step : {1e-2, 5e-3, 1e-3, 5e-4}) {
      const double now =
          distance(five_bar(CoordinateSet::kNatural, "adjoint", formulation, "trapezoidal", step));
      // 8 h² at most, and what the digits of the exact value leave
      EXPECT_LE(now, 12 * step * step + 1.2e-5) << step;
      EXPECT_LT(now, before + 1e-5);
      before = now;
    }
  }
}

/// Table 2: the printed gradients lose their second digit from a tolerance of 1e-9 on.
TEST(GlobalReference, TolerancesOfSource002) {
  const Pair tight =
      five_bar(CoordinateSet::kNatural, "adjoint", "ali3p", "trapezoidal", 1e-2, 1e-13);
  for (const double tolerance : {1e-12, 1e-9, 1e-7}) {
    const Pair loose =
        five_bar(CoordinateSet::kNatural, "adjoint", "ali3p", "trapezoidal", 1e-2, tolerance);
    EXPECT_NEAR(loose.L01, tight.L01, 1e-8) << tolerance;
    EXPECT_NEAR(loose.L02, tight.L02, 1e-8) << tolerance;
  }
}

}  // namespace
}  // namespace kinegrad

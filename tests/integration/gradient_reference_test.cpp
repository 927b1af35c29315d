// Forward and adjoint gradients against published values, and what must not change them: the
// formulation, the penalty, the step.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "kinegrad/sensitivity/gradient.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

struct Choice {
  std::string method, formulation, integrator = "trapezoidal";
};

GradientOptions options_of(const Choice& choice, double step, double end) {
  GradientOptions options;
  options.method = choice.method;
  options.run.formulation = choice.formulation;
  options.run.integrator = choice.integrator;
  options.run.step = step;
  options.run.end = end;
  return options;
}

MatX gradient_by(const Model& model, const GradientOptions& options) {
  const VecX rho = model.default_rho();
  const GradientReport report = gradient(model, {rho.data(), std::size_t(rho.size())}, options);
  EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
  return report.gradient;
}

/// A. López Varela, doctoral thesis, 2022, tables 7.4 to 7.6, reference and direct rows, printed to
/// four digits: L_s1, L_s2, m_A1, r_G, L_A1.
TEST(GradientReference, FiveBarOfTheThesisByEveryFormulation) {
  const Model model = test::example("five_bar");
  MatX expected(3, 5);
  expected << -4.228, 3.212, 0.3186, 0.4423, 3.360,  //
      -15.45, 50.32, 0.9700, 0.7454, -27.37,         //
      221.8, 2437, -32.51, -85.70, -2547;
  const Choice choices[] = {
      {"adjoint", "ali3p"},           {"adjoint", "matrix-r"},
      {"adjoint", "penalty"},         {"adjoint", "index1"},
      {"adjoint", "fully-recursive"}, {"adjoint", "index3", "generalized-alpha"},
      {"adjoint", "matrix-r", "rk4"}, {"forward", "ali3p"},
      {"forward", "matrix-r"}};
  for (const Choice& choice : choices) {
    SCOPED_TRACE(choice.method + " " + choice.formulation + " " + choice.integrator);
    const MatX actual = gradient_by(model, options_of(choice, 1e-3, 5));
    for (Eigen::Index i = 0; i < 3; ++i) {
      for (Eigen::Index j = 0; j < 5; ++j) {
        EXPECT_NEAR(actual(i, j), expected(i, j), 1e-3 * std::abs(expected(i, j)))
            << "psi" << i + 1 << ", " << parameter_at(model, int(j)).name;
      }
    }
  }
}

/// The gradient converges like the motion: halving the step quarters the difference to the next.
TEST(GradientReference, SecondOrderInTheStep) {
  const Model model = test::example("five_bar");
  for (const char* formulation : {"ali3p", "matrix-r"}) {
    MatX g[4];
    double step = 4e-3;
    for (MatX& x : g) {
      GradientOptions options = options_of({"adjoint", formulation}, step, 1);
      options.run.details.tolerance = 1e-12;
      x = gradient_by(model, options);
      step /= 2;
    }
    for (Eigen::Index i = 0; i < 3; ++i) {  // by objective: single components may cross zero
      const double first = (g[1] - g[2]).row(i).norm(), second = (g[2] - g[3]).row(i).norm();
      EXPECT_NEAR(std::log2(first / second), 2, 0.1) << formulation << ", psi" << i + 1;
    }
  }
}

/// field-notes C1, quadruple precision: dG/dρ of the planar slider-crank, an adaptive run on Matrix R.
TEST(GradientReference, PlanarSliderCrank) {
  const Model model = test::example("slider_crank_planar");
  const std::map<std::string, double> expected{
      {"k", 0.333448106128},  {"c", -0.363754033971}, {"a", 6.06077760034},   {"J1", 1.10183273627},
      {"J2", 0.191038037418}, {"m2", 0.169739059402}, {"l0", 0.734758944948}, {"F", 1.71326485682}};
  for (const char* method : {"forward", "adjoint"}) {
    GradientOptions options = options_of({method, "matrix-r", "dopri5"}, 1e-2, 10);
    options.run.details.tolerance = 1e-10;
    const MatX actual = gradient_by(model, options);
    for (Eigen::Index j = 0; j < actual.cols(); ++j) {
      const std::string& name = parameter_at(model, int(j)).name;
      EXPECT_NEAR(actual(0, j), expected.at(name), 1e-7) << method << ", " << name;
    }
  }
}

/// Source 002: from steps of 0.1 to 1e-5 and penalties to 1e10, where its own results degrade.
TEST(GradientReference, TwoMassesFromCoarseToFine) {
  const Model model = test::example("two_mass_nonholonomic");
  constexpr double kDuration = 0.5;
  GradientOptions fine = options_of({"adjoint", "index1", "rk4"}, 1e-3, kDuration);
  const MatX exact = gradient_by(model, fine);
  for (const double step : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5}) {
    for (const char* formulation : {"ali3p", "index1"}) {
      for (const char* method : {"forward", "adjoint"}) {
        if (step < 1e-3 && std::string(method) == "forward") continue;  // time
        GradientOptions options = options_of({method, formulation}, step, kDuration);
        options.run.details.tolerance = 1e-13;
        const MatX actual = gradient_by(model, options);
        // second order, with a constant of 1.7, down to rounding
        EXPECT_LE((actual - exact).norm(), (2 * step * step + 1e-9) * exact.norm())
            << method << " " << formulation << " h = " << step;
      }
    }
  }
  GradientOptions options = options_of({"adjoint", "ali3p"}, 1e-3, kDuration);
  const MatX reference = gradient_by(model, options);
  for (const double penalty : {1e6, 1e8, 1e10}) {
    options.run.constraints.penalty = penalty;
    EXPECT_LE((gradient_by(model, options) - reference).norm(), 1e-8 * reference.norm()) << penalty;
  }
}

TEST(GradientReference, FiveBarDoesNotDependOnThePenalty) {
  const Model model = test::example("five_bar");
  GradientOptions options = options_of({"adjoint", "ali3p"}, 1e-3, 1);
  options.run.constraints.penalty = 1e8;
  const MatX reference = gradient_by(model, options);
  for (const double penalty : {1e9, 1e10, 1e11}) {
    options.run.constraints.penalty = penalty;
    const MatX actual = gradient_by(model, options);
    for (Eigen::Index i = 0; i < 3; ++i) {
      EXPECT_LE((actual - reference).row(i).norm(), 1e-7 * reference.row(i).norm()) << penalty;
    }
  }
}

/// A run that starts at rest in an equilibrium, whose place depends on the springs.
TEST(GradientReference, StartAtAnEquilibrium) {
  const Model model = test::example("five_bar");
  GradientOptions options = options_of({"finite-difference", "ali3p"}, 1e-3, 0.1);
  options.run.start = "equilibrium";
  options.objectives = {0};
  const MatX expected = gradient_by(model, options);
  for (const char* method : {"forward", "adjoint"}) {
    options.method = method;
    const MatX actual = gradient_by(model, options);
    // differences of an iteration that ends leave six digits
    EXPECT_LE((actual - expected).norm(), 1e-5 * expected.norm())
        << method << ": " << actual << " vs " << expected;
  }
}

}  // namespace
}  // namespace kinegrad

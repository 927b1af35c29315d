// An attack on the judge: smooth models with other parameters than those of the examples, every choice of coordinates,
// formulation and integrator, all methods. Where two of them disagree by more than is stated of them, a warning says so.
//
//   KINEGRAD_SMOOTH_CASES=2000 KINEGRAD_SMOOTH_SEED=1 kinegrad_integration_tests --gtest_filter=SmoothAttack.*
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "kinegrad/base/error.hpp"
#include "kinegrad/formulations/all.hpp"
#include "kinegrad/integrators/all.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "support/example_runs.hpp"
#include "support/random_mechanisms.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

/// Exact methods, of the largest |ρ ∂ψ/∂ρ| of an objective: what level L4 of the derivative ladder states, times ten
/// because parameters are worse conditioned than those of the examples.
constexpr double kExact = 1e-8;
/// The penalty formulation has α = 1e9 and loses the digits that are above 1e8.
constexpr double kSoft = 1e-5;
/// The continuous adjoint differs from the discrete one by the error of the run, which its own estimate lacks: this much
/// in runs of a few coarse steps, and where it is more, twice what halving the step does to the discrete gradient (a method
/// of second order changes by 3/4 of its error then).
constexpr double kContinuous = 0.05, kOfTheRun = 2;

struct Case {
  test::ExampleRun example;
  RunOptions run;
  std::string name;
};

Case case_of(test::Dice& dice, std::uint64_t seed) {
  static const std::vector<std::string> coordinates{"joint-com", "joint-origin", "cartesian",
                                                    "natural"};
  static const std::vector<std::string> formulations{"semi-recursive", "fully-recursive", "ali3p",
                                                     "matrix-r",       "index1",          "index3",
                                                     "penalty",        "kinematic"};
  static const std::vector<std::string> integrators{"trapezoidal",       "newmark", "hht",
                                                    "generalized-alpha", "rk4",     "dopri5"};
  Case out;
  out.example = test::kExampleRuns[dice.below(static_cast<int>(std::size(test::kExampleRuns)))];
  out.run.coordinates = dice.of(coordinates);
  out.run.formulation = dice.of(formulations);
  out.run.integrator = dice.of(integrators);
  out.run.step = out.example.step * dice.decades(0.3, 2);
  out.run.end = out.example.end;
  if (out.run.integrator == "dopri5") out.run.details.tolerance = 1e-6;  // a handful of steps
  out.name = fmt::format("{} {}: {} × {} × {}", seed, out.example.name, out.run.coordinates,
                         out.run.formulation, out.run.integrator);
  return out;
}

class Judge {
 public:
  Judge(const Case& random, test::Dice& dice)
      : case_(random),
        model_(test::example(random.example.name, coordinate_set_named(random.run.coordinates))),
        rho_(model_.default_rho()) {
    for (double& x : rho_) x *= 1 + 0.1 * dice.uniform(-1, 1);
  }

  /// Empty where everything agrees.
  std::string disagreement() {
    const GradientReport forward = by("forward");
    if (!done_) return {};
    exact(forward, "forward", by("adjoint"), "adjoint");
    exact(forward, "forward", by("complex-step"), "complex-step");
    estimated(forward, by("finite-difference"), "finite-difference", 1, allowed());
    const GradientReport continuous = by("continuous-adjoint");
    double beyond = kContinuous;
    if (continuous.status == RunStatus::kDone && !(gap(forward, continuous, 10) <= beyond))
      beyond += kOfTheRun * change_at_half_the_step(forward);
    estimated(forward, continuous, "continuous-adjoint", 10, beyond);
    return text_;
  }
  bool warned() const { return !said_.empty(); }
  const std::string& said() const { return said_; }
  bool done() const { return done_; }
  const std::string& reason() const { return reason_; }

 private:
  double allowed() const { return case_.run.formulation == "penalty" ? kSoft : kExact; }

  /// How much of the discrete gradient is the error of the run. None is known where the finer run fails.
  double change_at_half_the_step(const GradientReport& forward) {
    GradientOptions options;
    options.method = "forward";
    options.run = case_.run;
    options.run.step /= 2;
    const GradientReport finer = gradient(model_, in(rho_), options);
    return finer.status == RunStatus::kDone ? gap(forward, finer, 0) : 0;
  }

  GradientReport by(const std::string& method) {
    GradientOptions options;
    options.method = method;
    options.run = case_.run;
    GradientReport out;
    try {
      out = gradient(model_, in(rho_), options);
    } catch (const InvalidArgument& error) {  // refused
      out.status = RunStatus::kFailed;
      out.message = error.what();
    }
    for (const Warning& warning : out.run.warnings)
      said_ += warning.kind + ": " + warning.text + "; ";
    if (method == "forward") done_ = out.status == RunStatus::kDone;
    if (out.status != RunStatus::kDone) reason_ = method + ": " + out.message;
    return out;
  }

  /// Largest gap beyond an own estimate, of the scale of its objective.
  double gap(const GradientReport& a, const GradientReport& b, double trust) const {
    double most = 0;
    for (Eigen::Index i = 0; i < a.gradient.rows(); ++i) {
      double scale = 1e-8 * (1 + std::abs(a.values[std::size_t(i)])), beyond = 0;
      for (Eigen::Index j = 0; j < a.gradient.cols(); ++j) {
        const double size = std::max(1e-3, std::abs(rho_(a.parameters[std::size_t(j)])));
        const double error = b.error.size() ? trust * b.error(i, j) : 0;
        const double d = std::abs(a.gradient(i, j) - b.gradient(i, j)) - error;
        scale = std::max(scale, size * std::abs(a.gradient(i, j)));
        beyond = std::isnan(d) ? HUGE_VAL : std::max(beyond, size * d);
      }
      most = std::max(most, beyond / scale);
    }
    return most;
  }
  void exact(const GradientReport& a, const char* one, const GradientReport& b, const char* other) {
    if (b.status != RunStatus::kDone) return;
    const double d = gap(a, b, 0);
    if (!(d <= allowed())) text_ += fmt::format("{} and {} differ by {:.1e}; ", one, other, d);
  }
  void estimated(const GradientReport& a, const GradientReport& b, const char* other, double trust,
                 double beyond) {
    if (b.status != RunStatus::kDone) return;
    const double d = gap(a, b, trust);
    if (!(d <= beyond)) text_ += fmt::format("{} is off by {:.1e} more than it says; ", other, d);
  }

  const Case& case_;
  Model model_;
  VecX rho_;
  std::string text_, reason_, said_;
  bool done_ = false;
};

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(SmoothAttack, MethodsAgreeOrSomebodySaysSo) {
  const std::uint64_t first = number_from("KINEGRAD_SMOOTH_SEED", 1);
  const std::uint64_t cases = number_from("KINEGRAD_SMOOTH_CASES", 60);
  int agree = 0, warned = 0, off_warned = 0, silent = 0, ended = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    test::Dice dice(seed * 104729 + 7);
    const Case random = case_of(dice, seed);
    Judge judge(random, dice);
    const std::string found = judge.disagreement();
    if (!judge.done()) {
      ++ended;
      continue;
    }
    ++(found.empty() ? (judge.warned() ? warned : agree) : judge.warned() ? off_warned : silent);
    if (found.empty() && judge.warned()) fmt::print("{} agrees: {}\n", random.name, judge.said());
    if (found.empty()) continue;
    fmt::print("{}{}: {}\n", random.name, judge.warned() ? " (warned)" : "", found);
    if (!judge.warned()) ADD_FAILURE() << random.name << ": " << found;
  }
  fmt::print(
      "{} cases: {} agree, {} agree and warn, {} disagree and warn, {} disagree in silence, "
      "{} are refused or end with a reason\n",
      cases, agree, warned, off_warned, silent, ended);
  EXPECT_GE(agree, static_cast<int>(cases) / 5);
}

}  // namespace
}  // namespace kinegrad

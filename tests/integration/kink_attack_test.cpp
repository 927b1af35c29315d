// Models with kinks and jumps at random: a gradient that is off carries a warning.
//
//   KINEGRAD_KINK_CASES=2000 KINEGRAD_KINK_SEED=1 kinegrad_integration_tests --gtest_filter=KinkAttack.*
//
// runs others; with KINEGRAD_KINK_FOLDER the models of those that are off in silence are written there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/replay.hpp"
#include "kinegrad/simulation/simulator.hpp"
#include "support/random_kinks.hpp"
#include "support/random_mechanisms.hpp"
#include "support/recorded_differences.hpp"

namespace kinegrad {
namespace {

using test::KinkCase;

/// What a gradient may be off by beside differences of the same steps, of the largest of an objective; where those
/// know themselves.
constexpr double kSteps = 1e-6;
/// The same of laws whose slopes behave like a root or a fifth root at a branch: differences beside it do not know their own error.
constexpr double kRoots = 1e-4;
/// Beside differences of whole runs with parameters changed by 1e-3, which feel jumps: the largest error that an
/// ordinary discretisation explains.
constexpr double kMotion = 0.1;

enum class Verdict { kAgrees, kWarned, kOffWarned, kOffSilent, kFailed };

class Judge {
 public:
  /// `steps`: what its gradient may be off by beside differences of the same steps.
  Judge(const KinkCase& random, double steps)
      : case_(random),
        steps_(steps),
        model_(compile_model(parse_model_yaml(random.yaml, "kinks.yaml"))),
        rho_(model_.default_rho()),
        sizes_(rho_.unaryExpr([](double x) { return x == 0 ? 1.0 : std::abs(x); })) {}

  Verdict verdict() {
    GradientOptions options;
    options.run = case_.run;
    options.method = case_.method;
    const GradientReport report = gradient(model_, in(rho_), options);
    if (report.status != RunStatus::kDone) {
      text_ = report.message;
      return Verdict::kFailed;
    }
    test::Dice dice(case_.seed);
    direction_ = sizes_;
    for (double& x : direction_) x *= dice.uniform(0.3, 1) * (dice.chance(0.5) ? 1 : -1);
    // one that is about derivatives; that energy changes is another matter
    const bool warned = std::any_of(report.run.warnings.begin(), report.run.warnings.end(),
                                    [](const Warning& warning) {
                                      return warning.kind == "kink" || warning.kind == "self-check";
                                    });
    const bool off = beside_steps(report) || beside_motion(report);
    if (off) return warned ? Verdict::kOffWarned : Verdict::kOffSilent;
    return warned ? Verdict::kWarned : Verdict::kAgrees;
  }
  const std::string& text() const { return text_; }

 private:
  double scale(const GradientReport& report, Eigen::Index i) const {
    return std::max(1e-3,
                    sizes_.cwiseProduct(report.gradient.row(i).transpose()).cwiseAbs().maxCoeff());
  }

  /// Differences of the recorded steps, with the error that they know of.
  bool beside_steps(const GradientReport& report) {
    Simulator simulator(model_, report.settings);
    StepPlan plan;
    const std::vector<double> p = model_.default_physical();
    simulator.run(
        p, [](const StepState<double>&) { return true; }, &plan);
    Replay<double> replay(model_, options_for_derivatives(report.settings), plan);
    const auto found = test::directional_difference([&](double h) -> std::optional<VecX> {
      const VecX there = rho_ + h * direction_;
      if (!replay.run(in(there)).done()) return {};
      return VecX(Eigen::Map<const VecX>(replay.objectives().data(),
                                         static_cast<Eigen::Index>(replay.objectives().size())));
    });
    return found && differs(report, "steps", found->slope, found->error, steps_);
  }

  std::optional<VecX> values(const VecX& rho) const {
    Simulator simulator(model_, case_.run);
    const RunReport run =
        simulator.run(physical_at(model_, in(rho)), [](const StepState<double>&) { return true; });
    if (!run.done()) return {};
    return VecX(Eigen::Map<const VecX>(run.objectives.data(),
                                       static_cast<Eigen::Index>(run.objectives.size())));
  }

  /// Whole runs a thousandth and two away: what both agree about is the derivative of the motion.
  bool beside_motion(const GradientReport& report) {
    VecX slope[2];
    for (const int k : {0, 1}) {
      const double h = k == 0 ? 1e-3 : 2e-3;
      const auto ahead = values(rho_ + h * direction_), behind = values(rho_ - h * direction_);
      if (!ahead || !behind) return false;
      slope[k] = (*ahead - *behind) / (2 * h);
    }
    return differs(report, "motion", slope[0], 3 * (slope[1] - slope[0]).cwiseAbs(), kMotion);
  }

  bool differs(const GradientReport& report, const char* what, const VecX& slope, const VecX& error,
               double allowed) {
    const VecX along = report.gradient * direction_;
    for (Eigen::Index i = 0; i < along.size(); ++i) {
      if (std::abs(along(i) - slope(i)) <= error(i) + allowed * scale(report, i)) continue;
      text_ += fmt::format("{} {:.9e}, {} {:.9e} ± {:.1e}; ", case_.method, along(i), what,
                           slope(i), error(i));
      return true;
    }
    return false;
  }

  const KinkCase& case_;
  double steps_;
  Model model_;
  VecX rho_, sizes_, direction_;
  std::string text_;
};

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

void keep(const KinkCase& random) {
  const char* folder = std::getenv("KINEGRAD_KINK_FOLDER");
  if (!folder) return;
  std::filesystem::create_directories(folder);
  std::ofstream(std::filesystem::path(folder) / fmt::format("kink_{}.yaml", random.seed))
      << random.yaml
      << fmt::format("analysis: {{formulation: {}, integrator: {}, step: {:.17g}, end: {:.17g}}}\n",
                     random.run.formulation, random.run.integrator, random.run.step,
                     random.run.end);
}

TEST(KinkAttack, EqualSeedsGiveEqualCases) {
  for (const std::uint64_t seed : {1u, 17u}) {
    EXPECT_EQ(test::random_kinks(seed).yaml, test::random_kinks(seed).yaml);
    EXPECT_NE(test::random_kinks(seed).yaml, test::random_kinks(seed + 1).yaml);
  }
}

/// Cases in a row: none is off in silence, and not everything is warned of.
void attack(KinkCase (*make)(std::uint64_t), std::uint64_t otherwise, double steps) {
  const std::uint64_t first = number_from("KINEGRAD_KINK_SEED", 1);
  const std::uint64_t cases = number_from("KINEGRAD_KINK_CASES", otherwise);
  int counts[5] = {};
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    const KinkCase random = make(seed);
    Judge judge(random, steps);
    const Verdict verdict = judge.verdict();
    ++counts[static_cast<int>(verdict)];
    if (verdict != Verdict::kOffSilent) continue;
    keep(random);
    ADD_FAILURE() << random.name << "\n  " << judge.text();
  }
  fmt::print(
      "{} cases: {} agree in silence, {} agree and warn, {} are off and warn, {} are off in "
      "silence, {} end with a reason\n",
      cases, counts[0], counts[1], counts[2], counts[3], counts[4]);
  EXPECT_LE(counts[4], static_cast<int>(cases) / 10);
  EXPECT_GE(counts[0], static_cast<int>(cases) / 10) << "warning of everything is no warning";
}

TEST(KinkAttack, WhatIsOffCarriesAWarning) { attack(test::random_kinks, 150, kSteps); }

/// Laws of forces with branches, which no expression shows.
TEST(KinkAttack, BranchesThatAreOffCarryAWarning) { attack(test::random_branches, 300, kRoots); }

/// Objectives with kinks and jumps of smooth motions.
TEST(KinkAttack, SignalsThatAreOffCarryAWarning) { attack(test::random_signals, 250, kSteps); }

}  // namespace
}  // namespace kinegrad

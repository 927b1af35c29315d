#include "sensitivity/convergence_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kinegrad/simulation/simulator.hpp"

namespace kinegrad {

namespace {

/// Half the steps, of the run and of the adjoint equations. Step-size control whose estimate falls with h^k takes
/// half the steps for 2^−k of the tolerance, and ends at rounding. `power` is k, 0 where steps are fixed.
void halve_steps(int power, GradientOptions& options) {
  constexpr double kLeast = 1e-14;
  options.adjoint_step /= 2;
  double& tolerance = options.run.details.tolerance;
  if (power > 0) {
    tolerance = std::max(tolerance / std::exp2(power), std::min(tolerance, kLeast));
  } else {
    options.run.step /= 2;
  }
}

/// The step that the adjoint equations take by themselves.
double mean_step(const GradientReport& report) {
  return report.settings.end / static_cast<double>(std::max(1L, report.run.steps));
}

/// Reactions of rows that depend on each other are one solution of many, and not the same one in the
/// steps as between them.
constexpr const char* kAmbiguous = "it reads reactions that are one solution of many";

bool is_ambiguous(const GradientReport& report, std::size_t objective) {
  return std::count(report.ambiguous.begin(), report.ambiguous.end(),
                    report.objectives[objective]) > 0;
}

/// Both adjoints of one run.
struct Adjoints {
  MethodRun discrete, continuous;
  bool stopped() const { return discrete.stopped() || continuous.stopped(); }
  bool done() const { return discrete.done() && continuous.done(); }
};

/// A line per objective; its distance takes the place of the one with twice the steps.
std::vector<DerivativeCheck> lines_of(const Model& model, std::span<const double> rho,
                                      const GradientReport& layout, const Adjoints& both,
                                      std::vector<double>& distances) {
  std::vector<DerivativeCheck> lines;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    DerivativeCheck line = line_of(model, layout, i, both.continuous, both.discrete.name);
    if (both.done()) {
      const GradientReport& expected = *both.discrete.report;
      const RowDifference found = row_difference(model, rho, expected, *both.continuous.report, i);
      judge_convergence(distances[i], found, line);
      distances[i] = found.difference;
      if (!line.agrees() && is_ambiguous(expected, i)) line.left = kAmbiguous;
    } else if (both.discrete.done() && !both.continuous.failure.empty() &&
               is_ambiguous(*both.discrete.report, i)) {
      line.left = kAmbiguous;
    } else if (both.continuous.refusal.empty() && !both.discrete.done()) {
      line.left = "there is no " + both.discrete.name +
                  " to compare it with: " + both.discrete.refusal + both.discrete.failure;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

void judge_convergence(double coarse, const RowDifference& fine, DerivativeCheck& line) {
  constexpr double kLeastOrder = 1.5;  // of a method of order 2 whose steps are not small yet
  line.difference = fine.difference;
  line.where = fine.where;
  line.allowed = std::max(fine.rounding, coarse * std::exp2(-kLeastOrder));
  if (coarse > fine.rounding && fine.difference > 0) {
    line.order = std::log2(coarse / fine.difference);
  }
}

bool check_convergence(const Model& model, std::span<const double> rho, GradientOptions options,
                       const GradientReport& layout, const MethodRun& adjoint,
                       const GradientWatch& watch, std::vector<DerivativeCheck>& out) {
  constexpr int kHalvings = 3;  // what a coarse run may need until its order shows
  const int power = Simulator(model, options.run).error_order();
  if (options.adjoint_step == 0 && adjoint.report) {
    options.adjoint_step = mean_step(*adjoint.report);
  }
  std::vector<double> distances(layout.objectives.size(), 0.0);
  for (int halvings = 0;; ++halvings) {
    const auto by = [&](const std::string& method) {
      return run_method(method, model, rho, options, watch);
    };
    const Adjoints both{halvings == 0 ? adjoint : by(adjoint.name),
                        by(std::string(ContinuousAdjointMethod::name))};
    if (both.stopped()) return false;
    std::vector<DerivativeCheck> lines = lines_of(model, rho, layout, both, distances);
    const bool agree = std::all_of(lines.begin(), lines.end(),
                                   [](const DerivativeCheck& line) { return line.agrees(); });
    if (!both.done() || (halvings > 0 && agree) || halvings == kHalvings) {
      for (DerivativeCheck& line : lines) {
        if (halvings > 0) line.against += fmt::format(", h/{}", 1 << halvings);
        out.push_back(std::move(line));
      }
      return true;
    }
    halve_steps(power, options);
  }
}

}  // namespace kinegrad

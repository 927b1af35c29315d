#include "sensitivity/delicate_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "kinegrad/math/views.hpp"
#include "kinegrad/sensitivity/complex_step.hpp"
#include "kinegrad/simulation/replay.hpp"
#include "sensitivity/recorded_run.hpp"
#include "sensitivity/run_checks.hpp"
#include "sensitivity/seeded_numbers.hpp"

namespace kinegrad {

namespace {

/// Where the neighbourhood of a singular position begins, of the largest pivot, and by how much it is less than what
/// the run usually has; below the last one whatever that is.                                   [SC-6]
constexpr double kNearPivot = 0.05, kOfUsual = 0.2, kSingularPivot = 1e-3;
/// Of an exact gradient confirmed digits are expected to this part.
constexpr double kConfirmed = 1e-6;
/// Differences that differ from each other by more tell nothing, and that is a warning, too.
constexpr double kNoise = 1e-4;
/// Distances along the direction, each ten times the next: the middle ones first, whose truncation and noise are
/// below kConfirmed where the run is well conditioned, then against noise and against curvature.
constexpr std::array kDecades{1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
constexpr std::array<std::size_t, kDecades.size()> kOrder{1, 2, 0, 3, 4};

/// The median of the pivots that were measured.
double usual_pivot(const Monitors& monitors) {
  std::vector<double> pivots;
  for (const MonitorSample& x : monitors.samples) {
    if (!std::isnan(x.pivot)) pivots.push_back(x.pivot);
  }
  if (pivots.empty()) return 0;
  const auto middle = pivots.begin() + static_cast<std::ptrdiff_t>(pivots.size() / 2);
  std::nth_element(pivots.begin(), middle, pivots.end());
  return *middle;
}

bool near_singular(double pivot, double usual) {
  return pivot < kSingularPivot || (pivot < kNearPivot && pivot < kOfUsual * usual);
}

/// ∇ψ·δρ of every objective.
VecX slopes_along(const GradientReport& report, std::span<const double> direction) {
  VecX slopes = VecX::Zero(report.gradient.rows());
  for (std::size_t j = 0; j < report.parameters.size(); ++j) {
    slopes += report.gradient.col(static_cast<Eigen::Index>(j)) *
              direction[static_cast<std::size_t>(report.parameters[j])];
  }
  return slopes;
}

/// The differences along a direction at several distances, of which those two neighbours count that agree best with
/// each other, and how near each objective's slope comes to both: one alone may agree by chance.
class Confirmation {
 public:
  Confirmation(const GradientTask& task, const GradientReport& report)
      : task_(task),
        direction_(seeded_direction(task.rho, report.parameters)),
        slopes_(slopes_along(report, direction_)),
        sizes_(slopes_.size()) {
    for (std::size_t i = 0; i < report.objectives.size(); ++i) {
      sizes_(static_cast<Eigen::Index>(i)) =
          row_size(task.rho, report, i) + rounding_of(task.rho, report) / kConfirmed;
    }
  }

  /// Nothing is known of a decade where a run beside ρ does not end well.
  void compare(RecordedRun& run, std::size_t decade, const ReplayWatch& watch) {
    const double epsilon = kDecades[decade];
    const auto ahead = run.at(beside(epsilon), watch), behind = run.at(beside(-epsilon), watch);
    if (ahead && behind) differences_[decade] = (*ahead - *behind) / (2 * epsilon);
  }
  /// Of one objective, of the size of its row.
  struct Gap {
    double spread = std::numeric_limits<double>::infinity();  // between the two neighbours
    double gap = std::numeric_limits<double>::infinity();     // of the slope from the further one
    bool confirmed() const { return gap <= kConfirmed; }
    /// As far as noise lets the differences tell.
    bool contradicted() const {
      return !(gap <= std::max(kConfirmed, std::min(2 * spread, kNoise)));
    }
  };
  Gap gap(std::size_t objective) const {
    const auto i = static_cast<Eigen::Index>(objective);
    Gap best;
    for (std::size_t k = 0; k + 1 < kDecades.size(); ++k) {
      if (!differences_[k] || !differences_[k + 1]) continue;
      const double one = (*differences_[k])(i), other = (*differences_[k + 1])(i);
      const double spread = std::abs(one - other) / sizes_(i);
      if (!(spread < best.spread)) continue;
      const double apart = std::max(std::abs(one - slopes_(i)), std::abs(other - slopes_(i)));
      best = {spread, apart / sizes_(i)};
    }
    return best;
  }
  bool confirmed() const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(slopes_.size()); ++i) {
      if (!gap(i).confirmed()) return false;
    }
    return true;
  }
  /// How far a slope found in another way is from that of the gradient, of the size of its row.
  double apart(std::size_t objective, const VecX& slopes) const {
    const auto i = static_cast<Eigen::Index>(objective);
    return std::abs(slopes(i) - slopes_(i)) / sizes_(i);
  }
  std::span<const double> direction() const { return direction_; }

 private:
  std::vector<double> beside(double epsilon) const {
    std::vector<double> rho = task_.rho;
    for (std::size_t k = 0; k < rho.size(); ++k) rho[k] += epsilon * direction_[k];
    return rho;
  }

  const GradientTask& task_;
  std::vector<double> direction_;
  VecX slopes_, sizes_;
  std::array<std::optional<VecX>, kDecades.size()> differences_;
};

/// The slopes of the recorded steps along a direction by the complex step, which has no noise; empty where it does not go
/// through them.                                                                                 [SC-9]
std::optional<VecX> complex_slopes(const GradientTask& task, const GradientReport& report,
                                   std::span<const double> direction, const ReplayWatch& watch) {
  if (task.options.method == ComplexStepMethod::name) return {};  // no witness of its own
  Replay<Complex> replay(task.model, options_for_derivatives(report.settings), task.plan);
  const double step = task.options.complex_step;
  std::vector<Complex> rho(task.rho.begin(), task.rho.end());
  for (std::size_t k = 0; k < rho.size(); ++k) rho[k] += Complex(0, step * direction[k]);
  if (!replay.run(rho, watch).done()) return {};
  VecX slopes(static_cast<Eigen::Index>(report.objectives.size()));
  for (std::size_t i = 0; i < report.objectives.size(); ++i) {
    const auto k = static_cast<std::size_t>(report.objectives[i]);
    slopes(static_cast<Eigen::Index>(i)) = replay.objectives()[k].imag() / step;
  }
  return slopes;
}

/// What the differences say of an objective that they do not confirm.
std::string text_of(const Confirmation::Gap& found, const RunReport& failure) {
  if (!std::isfinite(found.gap)) return "cannot confirm it: " + failure.message;
  if (found.gap > 2 * found.spread) return fmt::format("confirm it to {:.1g} only", found.gap);
  return fmt::format("cannot confirm it: they are {:.1g} from it, and as far from each other",
                     found.gap);
}

void warn(const GradientTask& task, const std::string& reason, const std::string& found,
          std::size_t objective, GradientReport& report) {
  const std::string& name =
      task.model.objectives()[static_cast<std::size_t>(report.objectives[objective])].name;
  report.run.warnings.push_back(
      {"self-check",
       fmt::format("{}, which may magnify errors of the gradient of \"{}\": {}", reason, name,
                   found),
       name});
}

/// Differences that contradict the gradient are a warning. Where their own noise hides what the gradient is off by the complex step
/// is asked.
void judge_undecided(const GradientTask& task, const std::string& reason,
                     const Confirmation& confirmation, const RunReport& failure,
                     const ReplayWatch& watch, GradientReport& report) {
  std::optional<VecX> exact;
  bool asked = false;
  for (std::size_t i = 0; i < report.objectives.size(); ++i) {
    const Confirmation::Gap gap = confirmation.gap(i);
    if (gap.confirmed()) continue;
    const bool contradicted = gap.contradicted();
    if (!contradicted && !asked) {
      exact = complex_slopes(task, report, confirmation.direction(), watch);
      asked = true;
    }
    if (contradicted || !exact) {
      warn(task, reason, "differences of the same steps " + text_of(gap, failure), i, report);
      continue;
    }
    const double apart = confirmation.apart(i, *exact);
    if (apart <= kConfirmed) continue;
    warn(task, reason,
         fmt::format("the complex step of the same steps confirms it to {:.1g} only", apart), i,
         report);
  }
}

/// Equations at acceleration level are solved as far as their regularisation lets those that hardly differ be: a part k E/σ of them is
/// not in the derivatives of a step [SC-7], with σ the square of the pivot.
std::string hardly_different(const StageRule& rule, const RunReport& run) {
  const MonitorSample* least = run.monitors.least_pivot();
  const bool regularised = !rule.position_level && !rule.independent && rule.softness == 0;
  if (!regularised || !least || !(least->pivot < kNearPivot)) return "";
  return fmt::format("constraint equations hardly differ at t = {:.6g} s", least->t);
}

}  // namespace

std::string delicate_reason(const RunReport& run) {
  const StepEvents& events = run.events;
  const MonitorSample* least = run.monitors.least_pivot();
  const auto since = [](const char* what, const Occurrences& some) {
    return fmt::format("{} at t = {:.6g} s", what, some.times.front());
  };
  if (events.moved.count > 0) return since("the run passes a singular position", events.moved);
  if (events.divided.count > 0) return since("a step was divided", events.divided);
  if (events.several.count > 0) return since("a step has several solutions", events.several);
  if (events.damped.count > 0) return since("Newton's method hardly converges", events.damped);
  if (least && near_singular(least->pivot, usual_pivot(run.monitors))) {
    return fmt::format("the run comes near a singular position at t = {:.6g} s", least->t);
  }
  return "";
}

void confirm_delicate_gradient(const GradientTask& task, const GradientWatch& watch,
                               GradientReport& report) {
  std::string reason = delicate_reason(report.run);
  if (reason.empty()) reason = hardly_different(task.rule, report.run);
  if (reason.empty() || report.settings.only_start) return;
  Confirmation confirmation(task, report);
  RecordedRun run(task.model, report.settings, task.plan, report.objectives);
  const ReplayWatch on = [&](double t) {
    return !watch || watch("a direction", t / task.plan.times.back());
  };
  for (const std::size_t decade : kOrder) {
    confirmation.compare(run, decade, on);
    if (confirmation.confirmed() || run.failure().status == RunStatus::kStopped) break;
  }
  if (confirmation.confirmed()) return;
  judge_undecided(task, reason, confirmation, run.failure(), on, report);
}

}  // namespace kinegrad

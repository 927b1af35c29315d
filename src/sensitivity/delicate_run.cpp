#include "sensitivity/delicate_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kinegrad/math/views.hpp"
#include "sensitivity/recorded_run.hpp"
#include "sensitivity/run_checks.hpp"
#include "sensitivity/seeded_numbers.hpp"

namespace kinegrad {

namespace {

/// Where the neighbourhood of a singular position begins, of the largest pivot; of an exact gradient confirmed
/// digits are expected to this part.
constexpr double kNearPivot = 0.05, kConfirmed = 1e-6;

/// ∇ψ·δρ of every objective.
VecX slopes_along(const GradientReport& report, std::span<const double> direction) {
  VecX slopes = VecX::Zero(report.gradient.rows());
  for (std::size_t j = 0; j < report.parameters.size(); ++j) {
    slopes += report.gradient.col(static_cast<Eigen::Index>(j)) *
              direction[static_cast<std::size_t>(report.parameters[j])];
  }
  return slopes;
}

/// The differences along a direction at several distances, and how near each objective's slope comes to one of
/// them, of the size of its row.
class Confirmation {
 public:
  Confirmation(const GradientTask& task, const GradientReport& report)
      : task_(task),
        direction_(seeded_direction(task.rho, report.parameters)),
        slopes_(slopes_along(report, direction_)),
        sizes_(slopes_.size()),
        gaps_(VecX::Constant(slopes_.size(), std::numeric_limits<double>::infinity())) {
    for (std::size_t i = 0; i < report.objectives.size(); ++i) {
      sizes_(static_cast<Eigen::Index>(i)) =
          row_size(task.rho, report, i) + rounding_of(task.rho, report) / kConfirmed;
    }
  }

  /// False where a run beside ρ does not end well.
  bool compare(RecordedRun& run, double epsilon, const ReplayWatch& watch) {
    const auto ahead = run.at(beside(epsilon), watch), behind = run.at(beside(-epsilon), watch);
    if (!ahead || !behind) return false;
    const VecX difference = (*ahead - *behind) / (2 * epsilon);
    gaps_ = gaps_.cwiseMin((difference - slopes_).cwiseAbs().cwiseQuotient(sizes_));
    return true;
  }
  bool confirmed() const { return gaps_.maxCoeff() <= kConfirmed; }
  double gap(std::size_t objective) const { return gaps_(static_cast<Eigen::Index>(objective)); }

 private:
  std::vector<double> beside(double epsilon) const {
    std::vector<double> rho = task_.rho;
    for (std::size_t k = 0; k < rho.size(); ++k) rho[k] += epsilon * direction_[k];
    return rho;
  }

  const GradientTask& task_;
  std::vector<double> direction_;
  VecX slopes_, sizes_, gaps_;
};

void warn(const GradientTask& task, const std::string& reason, const Confirmation& confirmation,
          const RunReport& failure, GradientReport& report) {
  for (std::size_t i = 0; i < report.objectives.size(); ++i) {
    const double gap = confirmation.gap(i);
    if (gap <= kConfirmed) continue;
    const std::string& name =
        task.model.objectives()[static_cast<std::size_t>(report.objectives[i])].name;
    const std::string found =
        std::isfinite(gap)
            ? fmt::format("differences of the same steps confirm it to {:.1g} only", gap)
            : "differences of the same steps cannot confirm it: " + failure.message;
    report.run.warnings.push_back(
        {"self-check",
         fmt::format("{}, which may magnify errors of the gradient of \"{}\": {}", reason, name,
                     found),
         name});
  }
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
  if (least && least->pivot < kNearPivot) {
    return fmt::format("the run comes near a singular position at t = {:.6g} s", least->t);
  }
  return "";
}

void confirm_delicate_gradient(const GradientTask& task, const GradientWatch& watch,
                               GradientReport& report) {
  const std::string reason = delicate_reason(report.run);
  if (reason.empty() || report.settings.only_start) return;
  Confirmation confirmation(task, report);
  RecordedRun run(task.model, report.settings, task.plan, report.objectives);
  const ReplayWatch on = [&](double t) {
    return !watch || watch("a direction", t / task.plan.times.back());
  };
  // truncation first below kConfirmed where the run is well conditioned, then noise against curvature
  for (const double epsilon : {1e-5, 1e-6, 1e-4, 1e-7, 1e-8}) {
    confirmation.compare(run, epsilon, on);
    if (confirmation.confirmed() || run.failure().status == RunStatus::kStopped) break;
  }
  if (!confirmation.confirmed()) warn(task, reason, confirmation, run.failure(), report);
}

}  // namespace kinegrad

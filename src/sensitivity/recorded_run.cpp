#include "sensitivity/recorded_run.hpp"

#include "kinegrad/math/views.hpp"
#include "sensitivity/not_finite.hpp"

namespace kinegrad {

RecordedRun::RecordedRun(const Model& model, const RunOptions& settings, const StepPlan& plan,
                         std::vector<int> objectives)
    : model_(model),
      replay_(model, options_for_derivatives(settings), plan),
      objectives_(std::move(objectives)) {}

std::optional<VecX> RecordedRun::at(std::span<const double> rho, const ReplayWatch& watch) {
  if (failure_.status == RunStatus::kStopped) return {};
  RunReport report = replay_.run(rho, watch);
  if (!report.done()) {
    failure_ = std::move(report);
    return {};
  }
  VecX values(static_cast<Eigen::Index>(objectives_.size()));
  for (std::size_t i = 0; i < objectives_.size(); ++i) {
    values(static_cast<Eigen::Index>(i)) =
        replay_.objectives()[static_cast<std::size_t>(objectives_[i])];
  }
  if (values.allFinite()) return values;
  failure_ = std::move(report);
  failure_.status = RunStatus::kFailed;
  const auto& [objective, t] = replay_.not_finite();
  failure_.message =
      objective < 0
          ? "an objective is not finite"
          : not_finite_text("objective",
                            model_.objectives()[static_cast<std::size_t>(objective)].name, t) +
                " beside it";
  return {};
}

std::optional<LadderDerivative> difference_along(RecordedRun& run, std::span<const double> rho,
                                                 const VecX& direction, const ReplayWatch& watch) {
  constexpr double kLargest = 1e-2;  // of the direction, which has the size of the parameters
  const VecX here = read(rho);
  const auto along = [&](double distance) {
    const VecX there = here + distance * direction;
    return run.at(in(there), watch);
  };
  return ladder_derivative(along, 0, kLargest);
}

}  // namespace kinegrad

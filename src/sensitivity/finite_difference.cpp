#include "kinegrad/sensitivity/finite_difference.hpp"

#include <cmath>

#include "sensitivity/recorded_run.hpp"

namespace kinegrad {

void FiniteDifferenceMethod::differentiate(const GradientTask& task, const GradientWatch& watch,
                                           GradientReport& report) const {
  RecordedRun run(task.model, report.settings, task.plan, report.objectives);
  const double end = task.plan.times.back();
  std::vector<double> rho = task.rho;
  report.error = MatX::Zero(report.gradient.rows(), report.gradient.cols());
  const auto column = [&](Eigen::Index j, const ColumnWatch& part) {
    const auto k = static_cast<std::size_t>(report.parameters[static_cast<std::size_t>(j)]);
    int runs = 0;
    const auto watched = [&](double t) { return part((runs + t / end) / kLadderEvaluations); };
    const auto values = [&](double x) {
      rho[k] = x;
      const std::optional<VecX> out = run.at(rho, watched);
      rho[k] = task.rho[k];
      ++runs;
      return out;
    };
    run.forget_failure();
    const double here = task.rho[k];
    const auto found = ladder_derivative(
        values, here, task.options.relative_step * (here == 0 ? 1 : std::abs(here)));
    if (!found || run.failure().status == RunStatus::kStopped) return run.failure();
    report.gradient.col(j) = found->derivative;
    report.error.col(j) = found->error;
    return RunReport();
  };
  fill_columns(task, watch, column, report);
}

}  // namespace kinegrad

#include "sensitivity/direction_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kinegrad/math/views.hpp"
#include "sensitivity/recorded_run.hpp"
#include "sensitivity/seeded_numbers.hpp"

namespace kinegrad {

namespace {

/// The steps of the run that a gradient differentiated.
StepPlan steps_of(const Model& model, std::span<const double> rho, const RunOptions& settings) {
  StepPlan plan;
  Simulator simulator(model, settings);
  simulator.run(
      physical_at(model, rho), [](const StepState<double>&) { return true; }, &plan);
  return plan;
}

double along(const GradientReport& report, std::size_t objective, const VecX& direction) {
  double sum = 0;
  for (std::size_t j = 0; j < report.parameters.size(); ++j) {
    sum += report.gradient(static_cast<Eigen::Index>(objective), static_cast<Eigen::Index>(j)) *
           direction(report.parameters[j]);
  }
  return sum;
}

}  // namespace

bool check_direction(const Model& model, std::span<const double> rho,
                     std::span<const MethodRun* const> methods, const GradientWatch& watch,
                     std::vector<DerivativeCheck>& out) {
  constexpr double kUncertain = 0.1;  // differences that may be wrong by more judge nothing
  const auto some = std::find_if(methods.begin(), methods.end(), [](const MethodRun* method) {
    return method->report && method->done();
  });
  if (some == methods.end()) return true;
  const GradientReport& layout = *(*some)->report;
  const std::vector<double> seeded = seeded_direction(rho, layout.parameters);
  const VecX direction = Eigen::Map<const VecX>(seeded.data(), Eigen::Index(seeded.size()));
  const StepPlan plan = steps_of(model, rho, layout.settings);
  RecordedRun run(model, layout.settings, plan, layout.objectives);
  const auto found = difference_along(run, rho, direction, [&](double t) {
    return !watch || watch("a direction", t / plan.times.back());
  });
  if (run.failure().status == RunStatus::kStopped) return false;
  for (const MethodRun* method : methods) {
    if (!method->report || !method->done()) continue;
    for (std::size_t i = 0; i < layout.objectives.size(); ++i) {
      DerivativeCheck line = line_of(model, layout, i, *method, "recorded steps");
      line.what += " along all";
      line.where = "along a direction of all parameters";
      if (!found) {
        line.left = "the run does not end well beside these parameters: " + run.failure().message;
        out.push_back(line);
        continue;
      }
      const auto row = static_cast<Eigen::Index>(i);
      const double scale = row_size(rho, *method->report, i);
      const double error = found->error(row) / scale;
      line.difference =
          std::abs(along(*method->report, i, direction) - found->derivative(row)) / scale;
      line.allowed = kRunRounding + rounding_of(rho, *method->report) / scale + error;
      if (!(error <= kUncertain)) {
        line.left = fmt::format("differences of this run are uncertain by {:.1g}", error);
      }
      out.push_back(line);
    }
  }
  return true;
}

}  // namespace kinegrad

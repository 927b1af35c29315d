#include "kinegrad/simulation/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace kinegrad {

RunOptions options_for_derivatives(RunOptions options) {
  // of coordinates; speeds have 1/h of it and still enough digits. Adaptive methods do not read it
  constexpr double kRoundOff = 1e-15;
  options.details.tolerance = std::min(options.details.tolerance, kRoundOff);
  options.beside = true;
  return options;
}

template <Scalar T>
Replay<T>::Replay(const Model& model, const RunOptions& options, std::vector<double> times)
    : model_(model),
      times_(std::move(times)),
      start_(model, options),
      formulation_(make_formulation<T>(options.formulation, model,
                                       reference_point_named(options.coordinates),
                                       options.constraints)),
      map_(make_step_map<T>(options.integrator, *formulation_, options.details)),
      objectives_(model),
      work_(model.design_map().template make_workspace<T>()),
      p_(static_cast<std::size_t>(model.design_map().physical_count())) {}

template <Scalar T>
RunReport Replay<T>::run(std::span<const T> rho, const ReplayWatch& watch) {
  const auto begin = std::chrono::steady_clock::now();
  RunReport report;
  model_.design_map().template evaluate<T>(rho, p_, work_);
  formulation_->set_parameters(p_);
  objectives_.start(p_);
  if (!start_.find(p_, x0_, report)) return report;
  x1_ = x0_;
  const StepReport started = map_->start(x0_);
  x1_ = x0_;
  if (!started.usable()) {
    report.status = RunStatus::kFailed;
    report.message = describe_failure(model_, started, x0_.t);
    return report;
  }
  steps(watch, report);
  objectives_.finish(x0_, values_);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

template <Scalar T>
void Replay<T>::steps(const ReplayWatch& watch, RunReport& report) {
  for (std::size_t k = 1; k < times_.size(); ++k) {
    const StepReport step = map_->step(x0_, times_[k] - x0_.t, x1_);
    report.iterations += step.iterations;
    if (!step.usable()) {
      report.status = RunStatus::kFailed;
      report.message = describe_failure(model_, step, x0_.t);
      return;
    }
    x1_.t = times_[k];
    map_->quadrature(x0_, x1_, nodes_);
    objectives_.add(x0_, x1_, nodes_);
    std::swap(x0_, x1_);
    ++report.steps;
    report.t = x0_.t;
    if (watch && !watch(x0_.t)) {
      report.status = RunStatus::kStopped;
      report.message = fmt::format("stopped at t = {:.9g}", x0_.t);
      return;
    }
  }
}

template class Replay<double>;
template class Replay<Complex>;

}  // namespace kinegrad

#include "kinegrad/simulation/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "kinegrad/assembly/systems.hpp"

namespace kinegrad {

RunOptions options_for_derivatives(RunOptions options) {
  // of coordinates; speeds have 1/h of it and still enough digits. Explicit methods do not read it
  constexpr double kRoundOff = 1e-15;
  constexpr int kPatience = 4;  // a derivative settles later than the solution that it belongs to
  options.details.max_iterations *= kPatience;
  IntegratorOptions& details = options.details;
  details.acceptable = std::max(details.acceptable, details.newton_tolerance());
  details.newton = std::min(details.newton_tolerance(), kRoundOff);
  options.beside = true;
  return options;
}

template <Scalar T>
Replay<T>::Replay(const Model& model, const RunOptions& options, StepPlan plan)
    : model_(model),
      plan_(std::move(plan)),
      constants_(make_constants<T>(model, reference_point_named(options.coordinates))),
      start_(model, options, constants_.get()),
      formulation_(make_formulation<T>(options.formulation, model,
                                       reference_point_named(options.coordinates),
                                       options.constraints, constants_.get())),
      map_(make_step_map<T>(options.integrator, *formulation_, options.details)),
      objectives_(model, constants_.get()),
      work_(model.design_map().template make_workspace<T>()),
      p_(static_cast<std::size_t>(model.design_map().physical_count())) {}

template <Scalar T>
RunReport Replay<T>::run(std::span<const T> rho, const ReplayWatch& watch) {
  const auto begin = std::chrono::steady_clock::now();
  RunReport report;
  model_.design_map().template evaluate<T>(rho, p_, work_);
  if (constants_) constants_->set(p_);
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

/// A step as it was recorded. At other parameters it may need another beginning of Newton's method; on
/// complex numbers the parameters are the recorded ones, and another beginning might lead to another solution.
template <Scalar T>
StepReport Replay<T>::take(double h, NewtonStart recorded, RunReport& report) {
  const bool retries = map_->implicit() && std::is_same_v<T, double>;
  const CoordinateSelection* memory = retries ? formulation_->selection() : nullptr;
  StepReport step = map_->step(x0_, h, x1_, recorded);
  report.iterations += step.iterations;
  if (!retries) return step;
  for (const NewtonStart start : kNewtonStarts) {
    if (step.usable()) break;
    if (start == recorded) continue;
    if (memory) formulation_->restore(*memory);
    step = map_->step(x0_, h, x1_, start);
    report.iterations += step.iterations;
  }
  return step;
}

template <Scalar T>
void Replay<T>::steps(const ReplayWatch& watch, RunReport& report) {
  for (std::size_t k = 0; k < plan_.size(); ++k) {
    const double t = plan_.times[k + 1];
    const StepReport step = take(t - x0_.t, plan_.starts[k], report);
    if (!step.usable()) {
      report.status = RunStatus::kFailed;
      report.message = describe_failure(model_, step, x0_.t);
      return;
    }
    x1_.t = t;
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

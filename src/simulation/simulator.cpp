#include "kinegrad/simulation/simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "kinegrad/math/views.hpp"
#include "kinegrad/simulation/step_taker.hpp"

namespace kinegrad {

namespace {

RunOptions completed(const Model& model, RunOptions options) {
  options.validate();
  require_coordinates(model, options.coordinates);
  if (options.formulation.empty()) options.formulation = default_formulation(model);
  return options;
}

}  // namespace

Simulator::Simulator(const Model& model, const RunOptions& options)
    : model_(model),
      options_(completed(model, options)),
      start_(model, options_),
      formulation_(make_formulation<double>(options_.formulation, model,
                                            reference_point_named(options_.coordinates),
                                            options_.constraints)),
      map_(make_step_map<double>(options_.integrator, *formulation_, options_.details)),
      objectives_(model) {
  // projections and derivatives count on positions that are solved [B-7]
  constexpr double kCoarsest = 1e-8;
  if (!map_->implicit() || model.constraint_rows().empty()) return;
  if (options_.details.tolerance <= kCoarsest) return;
  IntegratorOptions details = options_.details;
  details.tolerance = kCoarsest;
  set_details(details);
}

void Simulator::set_details(const IntegratorOptions& details) {
  options_.details = details;
  map_ = make_step_map<double>(options_.integrator, *formulation_, options_.details);
}

/// Constraints that have come apart by the end were contradictory, or held too softly.
void Simulator::check_end(RunReport& report) {
  constexpr double kApart =
      1e-2;  // of the mechanism's size: far above what drift or penalties leave
  if (!report.done() || start_.system().holonomic() == 0) return;
  const auto apart = start_.most_open(x0_);
  if (apart.share <= kApart) return;
  report.status = RunStatus::kFailed;
  report.message = fmt::format(
      "at t = {:.9g}: {}: the constraints contradict each other, or {} does not hold them", x0_.t,
      apart.text, options_.formulation);
}

void Simulator::fail(RunReport& report, const StepReport& step, double t) {
  report.status = RunStatus::kFailed;
  report.t = t;
  report.message = describe_failure(model_, step, t);
  MechanicalSystem<double>& system = start_.system();
  if (system.holonomic() > 0 &&
      (step.status == StepStatus::kNotClosed || step.status == StepStatus::kNotFinite)) {
    system.place(t, in(x1_.q));
    report.message += ", least " + start_.worst_constraint(system.Phi());
  }
}

void Simulator::start_monitor() {
  if (!options_.monitors || options_.only_start) return;
  if (!monitor_) monitor_ = std::make_unique<RunMonitor>(model_, start_.system());
  const double steps = map_->adaptive() ? 0 : std::ceil(options_.end / options_.step);
  monitor_->start(x0_, static_cast<long>(steps));
}

RunReport Simulator::run(std::span<const double> p, const Observer& observer, StepPlan* plan,
                         Trajectory* trajectory) {
  const auto begin = std::chrono::steady_clock::now();
  RunReport report;
  report.objectives.assign(model_.objectives().size(), std::numeric_limits<double>::quiet_NaN());
  plan_ = plan;
  trajectory_ = trajectory;
  if (plan_) plan_->begin(0);
  formulation_->set_parameters(p);
  objectives_.start(p);
  if (!start_.find(p, x0_, report)) return report;
  x1_ = x0_;
  const StepReport started = map_->start(x0_);
  x1_ = x0_;
  sample_ = x0_;
  if (!started.usable()) {
    fail(report, started, 0);
    return report;
  }
  if (trajectory_) {
    const bool unknown = map_->adaptive() || options_.only_start;
    const double steps = unknown ? 0 : options_.end / options_.step + 1;
    trajectory_->start(x0_, *map_, *formulation_, static_cast<std::size_t>(steps));
  }
  start_monitor();
  if (!observer(x0_)) {
    report.status = RunStatus::kStopped;
  } else if (options_.only_start) {
    report.t = 0;
  } else if (map_->adaptive()) {
    run_adaptive(observer, report);
  } else {
    run_fixed(observer, report);
  }
  check_end(report);
  if (report.status == RunStatus::kStopped) {
    report.t = x0_.t;
    report.message = fmt::format("stopped at t = {:.9g}", x0_.t);
  }
  if (!leaves_objectives_) objectives_.finish(x0_, report.objectives);
  report.not_finite = objectives_.not_finite().objective;
  report.not_finite_t = objectives_.not_finite().t;
  if (monitor_) monitor_->finish(x0_, report);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

/// The step from x0_ to x1_ counts: objectives, record, and x0_ is where the next one starts.
void Simulator::step_done(RunReport& report, NewtonStart newton) {
  if (!leaves_objectives_) {
    map_->quadrature(x0_, x1_, nodes_);
    objectives_.add(x0_, x1_, nodes_);
  }
  if (plan_) plan_->add(x1_.t, newton);
  if (trajectory_) trajectory_->add(x1_, *map_, *formulation_);
  std::swap(x0_, x1_);
  if (monitor_) monitor_->step(x0_, report.events);
  ++report.steps;
  report.t = x0_.t;
}

/// The run ends at the sample that was seen last, before the end of its step.
void Simulator::stop_inside_step() {
  if (leaves_objectives_) return;  // nor does anybody see the part of the step
  map_->StepMap<double>::quadrature(x0_, sample_, nodes_);
  objectives_.add(x0_, sample_, nodes_);
  std::swap(x0_, sample_);
}

/// Whole steps, the last one shortened to meet the end. A step that ends elsewhere is sampled there, in
/// place of the time it went past.
void Simulator::run_fixed(const Observer& observer, RunReport& report) {
  const long n = static_cast<long>(std::ceil(options_.end / options_.step - 1e-9));
  const auto time = [&](long k) {
    return k == n ? options_.end : static_cast<double>(k) * options_.step;
  };
  StepTaker taker(*map_, *formulation_, start_.system(), options_);
  taker.start(x0_);
  double sampled = x0_.t;
  for (long next = 1; next <= n;) {
    const StepReport step = taker.take(x0_, time(next), x1_, report);
    if (!step.usable()) {
      if (x0_.t > sampled) observer(x0_);  // parts of a step that were made
      return fail(report, step, x0_.t);
    }
    step_done(report, taker.newton_start());
    if (x0_.t < time(next)) continue;
    while (next <= n && time(next) <= x0_.t) ++next;
    sampled = x0_.t;
    if (!observer(x0_)) {
      report.status = RunStatus::kStopped;
      return;
    }
  }
}

/// Hands out the samples that lie in the step just done.
bool Simulator::sample_step(const Observer& observer, long& next) {
  for (;; ++next) {
    const double t = std::min(static_cast<double>(next) * options_.step, options_.end);
    const bool last = t >= options_.end * (1 - 1e-14);
    if (t > x1_.t * (1 + 1e-14)) return true;
    if (last && x1_.t >= options_.end) {
      ++next;
      sample_ = x1_;
      return observer(sample_);
    }
    // looking into a step changes nothing of the steps to come
    const CoordinateSelection* memory = formulation_->selection();
    map_->interpolate(x0_, x1_, (t - x0_.t) / (x1_.t - x0_.t), sample_);
    if (memory) formulation_->restore(*memory);
    if (!observer(sample_)) return false;
    if (last) return true;
  }
}

void Simulator::run_adaptive(const Observer& observer, RunReport& report) {
  // step-size control of order q: h ← h·0.9·error^(−1/q), between a fifth and fivefold
  const double exponent = 1.0 / map_->order();
  double h = std::min({options_.step, options_.end, 1e-3});
  const double smallest = 1e-13 * options_.end;
  // where steps may be as small as they like only the nearest neighbourhood is beyond them
  constexpr double kNear = 0.003;
  StepSmoothness smoothness(start_.system(), options_.step, kNear);
  smoothness.start(x0_);
  int beside = 0;  // steps one after the other that ended beside a singular position
  long next_sample = 1;
  while (x0_.t < options_.end) {
    const bool reaches = x0_.t + 1.0000001 * h >= options_.end;
    const double next = reaches ? options_.end : x0_.t + h;
    h = next - x0_.t;  // exactly what the times say, so that a replay takes the same steps
    const CoordinateSelection* memory = formulation_->selection();
    if (memory) before_ = *memory;
    const StepReport step = map_->step(x0_, h, x1_);
    report.iterations += step.iterations;
    const bool solved = step.usable() && step.error <= 1;
    x1_.t = next;
    StepSmoothness::Acceleration acceleration;
    StepSmoothness::Defect defect;
    if (solved) {
      acceleration = smoothness.acceleration(x1_);
      defect = smoothness.defect(x0_, x1_);
    }
    const bool accepted = solved && acceleration.smooth && defect.smooth;
    double factor =
        !step.usable()
            ? 0.2
            : std::clamp(0.9 * std::pow(std::max(step.error, 1e-10), -exponent), 0.2, 5.0);
    if (accepted) {
      if (!sample_step(observer, next_sample)) {
        report.status = RunStatus::kStopped;
        stop_inside_step();
        return;
      }
      if (beside > 0) report.events.moved.add(x1_.t);
      beside = 0;
      smoothness.accept(h, defect, acceleration);
      step_done(report, NewtonStart::kPlain);
    } else {
      ++report.rejected_steps;
      if (memory) formulation_->restore(before_);  // as if it had not been tried
      StepReport hopeless = step;
      if (solved) {  // it ends elsewhere [SN-3], at 1/2, 3/2, 3/4, 5/4 … of where it was
        constexpr double kParts[] = {0.5, 3, 0.5, 5.0 / 3, 2};
        hopeless.status = StepStatus::kBesideSingular;
        if (beside == static_cast<int>(std::size(kParts))) return fail(report, hopeless, x0_.t);
        factor = kParts[beside++];
      }
      if (h * factor < smallest) {
        if (hopeless.usable()) hopeless.status = StepStatus::kNotConverged;
        fail(report, hopeless, x0_.t);
        report.message += ": the step size fell below 1e-13 of the run";
        return;
      }
    }
    h *= factor;
    if (options_.go_on && !options_.go_on(x0_.t)) {
      report.status = RunStatus::kStopped;
      if (sample_.t < x0_.t) observer(x0_);  // how far it came
      return;
    }
  }
}

}  // namespace kinegrad

#include "kinegrad/simulation/simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/simulation/equation_scale.hpp"
#include "kinegrad/simulation/idle_motion.hpp"
#include "kinegrad/simulation/step_control.hpp"
#include "kinegrad/simulation/step_taker.hpp"

namespace kinegrad {

namespace {

RunOptions completed(const Model& model, RunOptions options) {
  options.validate();
  require_coordinates(model, options.coordinates);
  if (options.formulation.empty()) options.formulation = default_formulation(model);
  return options;
}

/// Newton's tolerance is on coordinates, and lengths of a mechanism of micrometres are small ones.
double smallest_unit(const Model& model) {
  const std::vector<double> p = model.default_physical();
  double least = 1;
  for (const double d : units_at(model, std::span<const double>(p))) least = std::min(least, d);
  return least;
}

void require_adaptive(const RunOptions& options, const StepMap<double>& map) {
  const IntegratorOptions& details = options.details;
  if (details.steps == StepSizes::kAdaptive && !map.adaptive()) {
    throw InvalidArgument("the integrator " + options.integrator +
                          " has no estimate of its error, and steps cannot be adaptive");
  }
  for (const auto& [name, size] : {std::pair{"max_step (--max-step)", options.max_step},
                                   {"min_step (--min-step)", options.min_step}}) {
    if (size == 0 || map.adaptive()) continue;
    throw InvalidArgument(
        std::string(name) +
        " is for adaptive steps (dopri5, esdirk3, esdirk4, or steps: adaptive), and those of " +
        options.integrator + " are fixed");
  }
}

/// What Newton's method leaves open must be small beside the error of a step. Accelerations of constraints on
/// positions are what it leaves open over (hγ)², and the estimate reads them.
double newton_beside(const IntegratorOptions& details, bool position_level) {
  constexpr double kPart = 1e-3, kPositions = 1e-11;
  if (details.newton > 0) return details.newton;
  const double tolerance = kPart * details.tolerance;
  return position_level ? std::min(tolerance, kPositions) : tolerance;
}

/// Where positions alone are solved and nothing is projected, accelerations carry rounding over (hγ)²: the estimate of the error reads
/// that, and finer tolerances make steps ever shorter.                                            [SZ-1]
void require_reachable(const RunOptions& options, const StageRule& rule,
                       const StepMap<double>& map) {
  constexpr double kFinest = 1e-9;
  const double tolerance = options.details.tolerance;
  if (!map.adaptive() || !map.implicit() || !rule.position_level || rule.projects) return;
  if (tolerance >= kFinest) return;
  throw InvalidArgument(fmt::format(
      "adaptive steps of {} cannot meet a tolerance of {:.3g} with the formulation {}: its accelerations carry the "
      "rounding of positions over the square of a step; give a tolerance of {:.0e} or more (--tolerance), or take "
      "index1, matrix-r or ali3p",
      options.integrator, tolerance, options.formulation, kFinest));
}

}  // namespace

Simulator::Simulator(const Model& model, const RunOptions& options)
    : model_(model),
      options_(completed(model, options)),
      constants_(make_constants<double>(model, reference_point_named(options_.coordinates))),
      start_(model, options_, constants_.get()),
      formulation_(make_formulation<double>(options_.formulation, model,
                                            reference_point_named(options_.coordinates),
                                            options_.constraints, constants_.get())),
      map_(make_step_map<double>(options_.integrator, *formulation_, options_.details)),
      objectives_(model, constants_.get()) {
  require_adaptive(options_, *map_);
  require_reachable(options_, formulation_->stage_rule(), *map_);
  // projections and derivatives count on positions that are solved [B-7]
  constexpr double kCoarsest = 1e-8;
  IntegratorOptions details = options_.details;
  const double unit = smallest_unit(model);
  if (map_->implicit() && map_->adaptive()) {
    details.newton = unit * newton_beside(details, formulation_->stage_rule().position_level);
  } else if (map_->implicit() && !model.constraint_rows().empty()) {
    details.tolerance = std::min(details.tolerance, kCoarsest);
  }
  details.tolerance *= unit;
  if (details != options_.details) set_details(details);
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

/// A run that does not hold an equation because others are nearly the same ends far from where it should, or has
/// tangents that do not know it.                                                           [LO-4], [LO-5]
void Simulator::judge_held(RunReport& report) {
  if (!report.done() || !held_) return;
  const HeldEquations::Verdict verdict = held_->judge(x0_, formulation_->stage_rule());
  if (verdict.distance == 0 && verdict.least == 1) return;
  VecX only = VecX::Zero(start_.system().rows());
  only(std::max(verdict.equation, 0)) = 1;
  const std::string name = start_.worst_constraint(only);
  if (verdict.apart) {
    report.status = RunStatus::kFailed;
    report.message = fmt::format(
        "at t = {:.9g}: {} hardly differs from others, and {} does not hold it: by {:.2g} of its "
        "size the mechanism is away from where all constraints are satisfied; {}",
        x0_.t, name, options_.formulation, verdict.distance, better_held());
    return;
  }
  report.warnings.push_back(
      {"constraints",
       verdict.distance > 0
           ? fmt::format("{} hardly differs from others, and {} leaves the mechanism away from "
                         "where all constraints are satisfied, by {:.2g} of its size; {}",
                         name, options_.formulation, verdict.distance, better_held())
           : fmt::format("{} hardly differs from others ({:.1g} of it is its own), and {} does "
                         "not hold it well: motion and gradients may not know of it; {}",
                         name, verdict.least, options_.formulation, better_held()),
       "", Warning{}.t});
}

/// Steps that count, but leave more open than rounding.
void Simulator::warn_of_open_equations(RunReport& report) const {
  constexpr double kHarmless = 1e-9;  // gradients may be wrong in the sixth digit
  // at acceleration level Newton's rate stands for that of the passes, and the estimate is too large
  const bool newton = implicit() && !formulation_->stage_rule().position_level;
  const double left =
      newton ? std::min(1e4 * options_.details.newton_tolerance(), 0.1 * kMostOpen) : 0;
  if (!report.done() || report.events.open <= std::max(kHarmless, left)) return;
  report.warnings.push_back(
      {"constraints",
       fmt::format("constraint equations hardly differ from others, and {} leaves up to {:.1g} of "
                   "them open: motion and gradients may be wrong by much more; {}",
                   options_.formulation, report.events.open, better_held()),
       "", Warning{}.t});
}

/// What to do where constraint equations are left open.
std::string Simulator::better_held() const {
  return formulation_->stage_rule().independent
             ? "give fewer equations, or such that differ more"
             : "matrix-r may do better, or give fewer equations, or such that differ more";
}

void Simulator::fail(RunReport& report, const StepReport& step, double t) {
  report.status = RunStatus::kFailed;
  report.t = t;
  report.message = describe_failure(model_, step, t);
  if (step.status == StepStatus::kNotHeld) {
    report.message += ": " + better_held();
  }
  MechanicalSystem<double>& system = start_.system();
  if (step.status == StepStatus::kSingular || step.status == StepStatus::kNotFinite) {
    report.message += idle_motion(model_, system, t, x0_.q);
  }
  if (system.holonomic() > 0 &&
      (step.status == StepStatus::kNotClosed || step.status == StepStatus::kNotFinite)) {
    system.place(t, in(x1_.q));
    report.message += ", least " + start_.worst_constraint(system.Phi());
  }
}

void Simulator::start_monitor(std::span<const double> p) {
  if (!options_.monitors || options_.only_start) return;
  if (!monitor_) monitor_ = std::make_unique<RunMonitor>(model_, start_.system());
  const double steps = map_->adaptive() ? 0 : std::ceil(options_.end / options_.step);
  monitor_->start(p, x0_, static_cast<long>(steps));
}

RunReport Simulator::run(std::span<const double> p, const Observer& observer, StepPlan* plan,
                         Trajectory* trajectory) {
  if (!observer) {
    return run(
        p, [](const StepState<double>&) { return true; }, plan, trajectory);
  }
  const auto begin = std::chrono::steady_clock::now();
  RunReport report;
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  report.objectives.assign(model_.objectives().size(), kUnknown);
  plan_ = plan;
  trajectory_ = trajectory;
  if (plan_) plan_->begin(0);
  if (constants_) constants_->set(p);
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
  start_monitor(p);
  held_.reset();
  constexpr int kMostRows = 300;  // the factors of more would cost as much as the run
  const int rows = start_.system().rows();
  if (rows > 0 && rows <= kMostRows && !options_.only_start) {
    held_.emplace(start_.system(), coordinate_units(model_, start_.size()), x0_);
  }
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
  judge_held(report);
  warn_of_open_equations(report);
  if (report.status == RunStatus::kStopped) {
    report.t = x0_.t;
    report.message = fmt::format("stopped at t = {:.9g}", x0_.t);
  }
  if (!leaves_objectives_) objectives_.finish(x0_, report.objectives);
  for (std::size_t k = 0; options_.only_start && k < report.objectives.size(); ++k) {
    if (model_.objectives()[k].integral >= 0) report.objectives[k] = kUnknown;  // no duration
  }
  report.not_finite = objectives_.not_finite().objective;
  report.not_finite_t = objectives_.not_finite().t;
  if (monitor_) monitor_->finish(x0_, report);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

/// What the step from x0_ to x1_ adds to the objectives.
void Simulator::measure_step() {
  map_->quadrature(x0_, x1_, nodes_);
  if (earlier_known_) map_->history_quadrature(earlier_, x0_, x1_, nodes_);
  objectives_.measure(x0_, x1_, nodes_);
}

/// The step from x0_ to x1_ counts: objectives, record, and x0_ is where the next one starts.
void Simulator::step_done(RunReport& report, NewtonStart newton) {
  if (!leaves_objectives_ || map_->adaptive()) objectives_.accept();
  if (plan_) plan_->add(x1_.t, newton);
  if (trajectory_) trajectory_->add(x1_, *map_, *formulation_);
  if (map_->adaptive()) {
    earlier_ = x0_;
    earlier_known_ = true;
  }
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
  // steps that ended elsewhere come back to these times up to rounding, and a step of rounding is none
  const auto passed = [&](long k) {
    constexpr double kRounding = 1e-6;
    return time(k) <= x0_.t + (k == n ? 0 : kRounding * options_.step);
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
    if (!leaves_objectives_) measure_step();
    step_done(report, taker.newton_start());
    if (!passed(next)) continue;
    while (next <= n && passed(next)) ++next;
    sampled = x0_.t;
    if (!observer(x0_)) {
      report.status = RunStatus::kStopped;
      return;
    }
  }
}

/// Hands out the samples that lie in the step just done.
Simulator::Samples Simulator::sample_step(const Observer& observer, long& next) {
  const auto seen = [&] { return observer(sample_) ? Samples::kTaken : Samples::kStopped; };
  for (;; ++next) {
    const double t = std::min(static_cast<double>(next) * options_.step, options_.end);
    const bool last = t >= options_.end * (1 - 1e-14);
    if (t > x1_.t * (1 + 1e-14)) return Samples::kTaken;
    if (last && x1_.t >= options_.end) {
      ++next;
      sample_ = x1_;
      return seen();
    }
    // looking into a step changes nothing of the steps to come
    const CoordinateSelection* memory = formulation_->selection();
    const StepReport inside = map_->interpolate(x0_, x1_, (t - x0_.t) / (x1_.t - x0_.t), sample_);
    if (memory) formulation_->restore(*memory);
    if (!inside.usable()) return Samples::kNotClosed;
    if (seen() == Samples::kStopped) return Samples::kStopped;
    if (last) return Samples::kTaken;
  }
}

/// A step from x0_ to `next`, judged by its errors and by what it does near singular positions.
Simulator::Trial Simulator::try_step(double next, StepSolver& solver, StepSmoothness& smoothness,
                                     RunReport& report) {
  Trial trial;
  trial.step = solver.solve(x0_, next, x1_, report);
  x1_.t = next;
  trial.open = formulation_->open();
  if (trial.step.usable()) {
    trial.step.error = std::max(
        trial.step.error, map_->history_error(earlier_known_ ? &earlier_ : nullptr, x0_, x1_));
  }
  if (!trial.solved()) return trial;
  measure_step();
  trial.step.error = std::max(trial.step.error, objectives_.error(options_.details.tolerance));
  if (!trial.solved()) return trial;
  trial.acceleration = smoothness.acceleration(x1_);
  trial.defect = smoothness.defect(x0_, x1_);
  return trial;
}

void Simulator::run_adaptive(const Observer& observer, RunReport& report) {
  StepControl control(map_->error_order(), options_);
  StepSolver solver(*map_, *formulation_, options_);
  earlier_known_ = false;
  // where steps may be as small as they like only the nearest neighbourhood is beyond them
  constexpr double kNear = 0.003, kNotUsable = 0.2;
  StepSmoothness smoothness(start_.system(), options_.step, kNear);
  smoothness.start(x0_);
  int beside = 0;  // steps one after the other that ended beside a singular position
  long next_sample = 1;
  while (x0_.t < options_.end) {
    const double next = control.next(x0_.t);
    const CoordinateSelection* memory = formulation_->selection();
    if (memory) before_ = *memory;
    solver.remember();
    Trial trial = try_step(next, solver, smoothness, report);
    double factor = trial.step.usable() ? control.factor(trial.step.error) : kNotUsable;
    bool accepted = trial.good();
    if (accepted) {
      const Samples samples = sample_step(observer, next_sample);
      if (samples == Samples::kStopped) {
        report.status = RunStatus::kStopped;
        return stop_inside_step();
      }
      accepted = samples == Samples::kTaken;
      if (!accepted) trial.step.status = StepStatus::kNotClosed;
    }
    if (accepted) {
      if (beside > 0) report.events.moved.add(x1_.t);
      beside = 0;
      smoothness.accept(next - x0_.t, trial.defect, trial.acceleration);
      report.events.open = std::max(report.events.open, trial.open);
      solver.report_events(x1_.t, trial.step, report);
      step_done(report, solver.newton_start());
    } else {
      ++report.rejected_steps;
      if (memory) formulation_->restore(before_);  // as if it had not been tried
      if (trial.solved()) {  // it ends elsewhere [SN-3], at 1/2, 3/2, 3/4, 5/4 … of where it was
        constexpr double kParts[] = {0.5, 3, 0.5, 5.0 / 3, 2};
        trial.step.status = trial.held() ? StepStatus::kBesideSingular : StepStatus::kNotHeld;
        if (beside == static_cast<int>(std::size(kParts))) return fail(report, trial.step, x0_.t);
        factor = kParts[beside++];
      } else if (!trial.step.usable()) {
        factor = kNotUsable;
      }
    }
    if (!control.scale(factor) && !accepted) {
      const bool usable = trial.step.usable();
      fail(report, trial.step, x0_.t);
      if (usable) {
        report.message =
            fmt::format("at t = {:.9g}: the error of a step stays above the tolerance", x0_.t);
      }
      report.message += fmt::format(
          ": steps would have to be smaller than {:.3g} s, {}", control.smallest(),
          options_.min_step > 0 ? "the smallest that is allowed (min_step)" : "1e-13 of the run");
      return;
    }
    if (options_.go_on && !options_.go_on(x0_.t)) {
      report.status = RunStatus::kStopped;
      if (sample_.t < x0_.t) observer(x0_);  // how far it came
      return;
    }
  }
  warn_of_integrals(report);
}

/// Tolerances are on 1 + |ψ|: of an integral that is much smaller than 1, few digits may be known.
void Simulator::warn_of_integrals(RunReport& report) const {
  constexpr double kMuch = 1e-2;
  for (std::size_t k = 0; k < model_.objectives().size(); ++k) {
    const double part = objectives_.uncertainty(k, options_.details.tolerance);
    if (part <= kMuch) continue;
    const std::string& name = model_.objectives()[k].name;
    report.warnings.push_back(
        {"integral",
         fmt::format("the integral of objective \"{}\" is so small that its estimated error is "
                     "{:.2g} of it: "
                     "give a smaller tolerance, a largest step, or another unit",
                     name, part),
         name});
  }
}

}  // namespace kinegrad

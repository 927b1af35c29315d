#include "kinegrad/simulation/step_taker.hpp"

#include <algorithm>
#include <cmath>

namespace kinegrad {

namespace {

/// Where the neighbourhood of singular positions begins: an angle between links of some two degrees, and for
/// steps that fail six.
constexpr double kNear = 0.03, kNearWhereFailed = 0.1;
constexpr int kMostParts = 64;
constexpr double kRounding = 1e-13;  // of coordinates
/// Less than this part of a step is left to the step after.
constexpr double kRest = 0.05;

}  // namespace

StepTaker::StepTaker(StepMap<double>& map, Formulation<double>& formulation,
                     MechanicalSystem<double>& system, const RunOptions& options)
    : map_(map),
      formulation_(formulation),
      smoothness_(system, options.step, kNear),
      step_(options.step),
      end_(options.end),
      tolerance_(options.details.tolerance),
      constrained_(system.holonomic() > 0) {}

void StepTaker::start(const StepState<double>& x0) {
  part_ = 0;
  divided_until_ = x0.t;
  smoothness_.start(x0);
}

/// As before the first attempt; the first one finds it so.
void StepTaker::restore() {
  if (memory_ && tried_) formulation_.restore(*memory_);
  tried_ = true;
}

/// Newton's method from one guess after the other.
StepReport StepTaker::solve(const StepState<double>& x0, double end, StepState<double>& x1,
                            RunReport& report) {
  StepReport step;
  several_ = false;
  for (const NewtonStart start : kNewtonStarts) {
    restore();
    step = map_.step(x0, end - x0.t, x1, start);
    report.iterations += step.iterations;
    newton_start_ = start;
    if (step.usable() && start == NewtonStart::kDamped) compare_solutions(x0, end, x1);
    if (step.usable() || !map_.implicit() || step.status == StepStatus::kNotIndependent) break;
  }
  return step;
}

/// Whether another guess leads to another solution; x₁ stays that of the damped iteration.
void StepTaker::compare_solutions(const StepState<double>& x0, double end, StepState<double>& x1) {
  constexpr double kSame = 100;  // times what Newton's method may leave open in positions
  restore();
  other_ = x1;
  const StepReport step = map_.step(x0, end - x0.t, other_, NewtonStart::kFromRest);
  if (step.usable()) {
    const double open = std::max({tolerance_, step.left, kRounding * (1 + x1.q.norm())});
    several_ = (end - x0.t) * (other_.v - x1.v).norm() > kSame * open;
  }
  restore();  // the map remembers the step that counts
  map_.step(x0, end - x0.t, x1, NewtonStart::kDamped);
}

StepTaker::Trial StepTaker::attempt(const StepState<double>& x0, double end, StepState<double>& x1,
                                    RunReport& report) {
  Trial trial;
  trial.end = end;
  trial.report = solve(x0, end, x1, report);
  if (!trial.report.usable()) return trial;
  x1.t = end;
  trial.defect = smoothness_.defect(x0, x1);
  trial.open = formulation_.open();
  return trial;
}

/// The step ends where the singular position is inside of it or of the next one.               [SN-3]
StepTaker::Trial StepTaker::take_elsewhere(const StepState<double>& x0, const Trial& nominal,
                                           StepState<double>& x1, RunReport& report) {
  constexpr double kParts[] = {1.5, 0.5, 1.25, 0.75, 2, 0.25};
  constexpr double kBetter = 0.1;
  Trial best = nominal;
  for (const double parts : kParts) {
    const double end = x0.t + parts * step_;
    if (end > end_ - kRest * step_ || std::abs(end - nominal.end) < kRest * step_) continue;
    const Trial trial = attempt(x0, end, x1, report);
    if (trial.good()) return trial;
    if (!trial.report.usable()) continue;
    if (!best.report.usable() || trial.better_than(best)) best = trial;
  }
  // a defect that all ends share is the motion's own
  if (nominal.report.usable() && nominal.held() &&
      best.defect.scaled > kBetter * nominal.defect.scaled)
    best = nominal;
  return best.report.usable() ? attempt(x0, best.end, x1, report) : nominal;
}

/// The largest part of a step that can be taken; one that is smooth, if there is any.
StepTaker::Trial StepTaker::divide(const StepState<double>& x0, double next, const Trial& failed,
                                   StepState<double>& x1, RunReport& report) {
  const double whole = part_ > 0 ? part_ : next - x0.t;
  constexpr double kLess = 0.999;  // times are rounded
  Trial best = failed;
  for (double part = 0.5 * whole; part >= kLess * step_ / kMostParts; part *= 0.5) {
    const Trial trial = attempt(x0, x0.t + part, x1, report);
    const bool first = trial.report.usable() && trial.held() && !best.counts();
    if (first || trial.good()) best = trial;
    if (trial.good()) break;
  }
  if (!best.counts()) return failed;
  if (!best.good()) best = attempt(x0, best.end, x1, report);
  if (part_ == 0) report.events.divided.add(x0.t);
  part_ = best.end - x0.t;
  divided_until_ = next;
  return best;
}

/// Whether the end of a step that is not smooth took a large part of the speeds, by its projection if it has one.
bool StepTaker::lost(const Trial& trial, const StepState<double>& x1) const {
  constexpr double kLost = 0.05, kSurelyLost = 0.2;  // of the largest speeds so far
  if (!trial.report.usable() || trial.defect.smooth) return false;
  const double fastest = std::max(smoothness_.fastest(), x1.v.norm());
  const StepState<double>* before = map_.before();
  return before ? (x1.v - before->v).norm() > kLost * fastest
                : trial.defect.size > kSurelyLost * fastest;
}

StepReport StepTaker::take(const StepState<double>& x0, double next, StepState<double>& x1,
                           RunReport& report) {
  memory_ = formulation_.selection();
  tried_ = false;
  if (x0.t >= divided_until_) part_ = 0;
  const bool divided = part_ > 0 && x0.t + (1 + kRest) * part_ < next;
  const double end = divided ? x0.t + part_ : next;
  Trial trial = attempt(x0, end, x1, report);
  const bool elsewhere = constrained_ && part_ == 0 && !trial.good() &&
                         (trial.report.usable() || smoothness_.near(x0, kNearWhereFailed));
  if (elsewhere) trial = take_elsewhere(x0, trial, x1, report);
  if (!trial.counts()) trial = divide(x0, next, trial, x1, report);
  if (!trial.report.usable()) return trial.report;
  if (!trial.held()) trial.report.status = StepStatus::kNotHeld;
  if (lost(trial, x1)) trial.report.status = StepStatus::kBesideSingular;
  if (!trial.report.usable()) return trial.report;
  if (trial.end != end && part_ == 0) report.events.moved.add(x1.t);
  if (newton_start_ != NewtonStart::kPlain) report.events.damped.add(x1.t);
  if (several_) report.events.several.add(x1.t);
  report.events.left = std::max(report.events.left, trial.report.left);
  report.events.open = std::max(report.events.open, trial.open);
  smoothness_.accept(x1.t - x0.t, trial.defect, {});
  return trial.report;
}

}  // namespace kinegrad

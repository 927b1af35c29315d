#include "kinegrad/simulation/step_solver.hpp"

#include <algorithm>

namespace kinegrad {

StepSolver::StepSolver(StepMap<double>& map, Formulation<double>& formulation,
                       const RunOptions& options)
    : map_(map), formulation_(formulation), tolerance_(options.details.newton_tolerance()) {}

/// As before the first attempt; the first one finds it so.
void StepSolver::restore() {
  if (memory_ && tried_) formulation_.restore(*memory_);
  tried_ = true;
}

/// Newton's method from one guess after the other.
StepReport StepSolver::solve(const StepState<double>& x0, double end, StepState<double>& x1,
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
void StepSolver::compare_solutions(const StepState<double>& x0, double end, StepState<double>& x1) {
  constexpr double kSame = 100;        // times what Newton's method may leave open in positions
  constexpr double kRounding = 1e-13;  // of coordinates
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

void StepSolver::report_events(double t, const StepReport& step, RunReport& report) const {
  if (newton_start_ != NewtonStart::kPlain) report.events.damped.add(t);
  if (several_ || formulation_.several()) report.events.several.add(t);
  report.events.left = std::max(report.events.left, step.left);
}

}  // namespace kinegrad

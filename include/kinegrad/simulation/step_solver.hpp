// Solves the equations of one step: Newton's method plainly at first, and where that does not converge damped, then
// from other guesses [GA-5]. Fixed and adaptive steps are solved alike. What led to the solution is kept, because
// replays and derivatives repeat it.
#pragma once

#include "kinegrad/simulation/run.hpp"

namespace kinegrad {

class StepSolver {
 public:
  /// The first two must outlive the object.
  StepSolver(StepMap<double>& map, Formulation<double>& formulation, const RunOptions& options);

  /// Keeps what the formulation remembers: steps that are solved from here on begin with it.
  void remember() {
    memory_ = formulation_.selection();
    tried_ = false;
  }
  /// x₁ at `end` from x₀; iterations are added to those of the report.
  StepReport solve(const StepState<double>& x0, double end, StepState<double>& x1,
                   RunReport& report);
  /// How Newton's method of that step began.
  NewtonStart newton_start() const { return newton_start_; }
  /// Whether its equations have several solutions.
  bool several() const { return several_; }
  /// Events of the step, which counts, for the report.
  void report_events(double t, const StepReport& step, RunReport& report) const;

 private:
  void restore();
  void compare_solutions(const StepState<double>& x0, double end, StepState<double>& x1);

  StepMap<double>& map_;
  Formulation<double>& formulation_;
  double tolerance_;
  NewtonStart newton_start_ = NewtonStart::kPlain;
  bool several_ = false;
  const CoordinateSelection* memory_ = nullptr;
  bool tried_ = false;  // what memory_ holds may have changed since
  StepState<double> other_;
};

}  // namespace kinegrad

// Takes the steps of a run with a fixed step size, and knows what to do where a plain step fails
// (docs/theory/singular_positions.md):
//
//   Newton's method does not converge   it is damped, then begins elsewhere [GA-5]
//   the step ends beside a singular     it ends elsewhere: some part of a step earlier or later [SN-3]
//   position
//   nothing of that helps               the step is divided into 2, 4, … 64 parts
//
// What was done is in the plan of the run, which replays and derivatives repeat.
#pragma once

#include "kinegrad/simulation/run.hpp"
#include "kinegrad/simulation/step_smoothness.hpp"
#include "kinegrad/simulation/step_solver.hpp"

namespace kinegrad {

class StepTaker {
 public:
  /// The first three must outlive the object.
  StepTaker(StepMap<double>& map, Formulation<double>& formulation,
            MechanicalSystem<double>& system, const RunOptions& options);

  /// Forgets everything and begins at a state.
  void start(const StepState<double>& x0);
  /// A step from x₀ to `next`, or elsewhere where that is not possible; x₁.t says where. Events go to the
  /// report.
  StepReport take(const StepState<double>& x0, double next, StepState<double>& x1,
                  RunReport& report);
  /// How Newton's method of the step began.
  NewtonStart newton_start() const { return solver_.newton_start(); }

 private:
  /// A step that was tried.
  struct Trial {
    StepReport report;
    double end = 0;  // where it was to end
    StepSmoothness::Defect defect;
    double open = 0;  // of the constraint equations [LO-1]
    bool held() const { return open <= kMostOpen; }
    bool better_than(const Trial& other) const {
      return held() == other.held() ? defect.scaled < other.defect.scaled : held();
    }
    bool counts() const { return report.usable() && held(); }
    bool good() const { return counts() && defect.smooth; }
  };
  Trial attempt(const StepState<double>& x0, double end, StepState<double>& x1, RunReport& report);
  Trial take_elsewhere(const StepState<double>& x0, const Trial& nominal, StepState<double>& x1,
                       RunReport& report);
  Trial divide(const StepState<double>& x0, double next, const Trial& failed, StepState<double>& x1,
               RunReport& report);
  bool lost(const Trial& trial, const StepState<double>& x1) const;

  StepMap<double>& map_;
  Formulation<double>& formulation_;
  StepSolver solver_;
  StepSmoothness smoothness_;
  double step_, end_;
  bool constrained_;
  double part_ = 0;           // of a step that is divided, 0: it is not
  double divided_until_ = 0;  // where that step ends
};

}  // namespace kinegrad

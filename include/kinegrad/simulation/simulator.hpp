// A run: initial state, steps, samples for whoever watches, objectives. Numerical failure ends the
// run with a report, never with an exception.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kinegrad/simulation/held_equations.hpp"
#include "kinegrad/simulation/objectives.hpp"
#include "kinegrad/simulation/run.hpp"
#include "kinegrad/simulation/run_monitor.hpp"
#include "kinegrad/simulation/run_start.hpp"
#include "kinegrad/simulation/step_plan.hpp"
#include "kinegrad/simulation/step_smoothness.hpp"
#include "kinegrad/simulation/step_solver.hpp"
#include "kinegrad/simulation/trajectory.hpp"

namespace kinegrad {

/// Called with every sample, the start and the end included; false asks the run to stop. May be empty.
using Observer = std::function<bool(const StepState<double>&)>;

class Simulator {
 public:
  /// The model must outlive the simulator. @throws InvalidArgument
  Simulator(const Model& model, const RunOptions& options);

  /// From the model's initial state at p (as its design map gives it) to the end. The steps it made go to
  /// `plan` if that is given: Replay repeats them.
  /// A trajectory that is given keeps the steps for those who differentiate them.
  RunReport run(std::span<const double> p, const Observer& observer = {}, StepPlan* plan = nullptr,
                Trajectory* trajectory = nullptr);

  /// The objectives of later runs are left to whoever goes through their steps; they come out as NaN.
  void leave_objectives() { leaves_objectives_ = true; }

  /// How later runs are integrated.
  void set_details(const IntegratorOptions& details);

  const RunOptions& options() const { return options_; }
  Formulation<double>& formulation() { return *formulation_; }
  /// Whether the sizes of its steps are controlled.
  bool adaptive() const { return map_->adaptive(); }
  /// The power of h that their errors fall with; 0 where they are fixed.
  int error_order() const { return map_->adaptive() ? map_->error_order() : 0; }
  /// Whether it solves them by Newton's method.
  bool implicit() const { return map_->implicit(); }
  /// What the start of the run solved for.
  const StartSets& start_sets() const { return start_.sets(); }
  /// The constants at p of the run, for others who look at it; null in natural coordinates.
  const LoadedTree<double>* constants() const { return constants_.get(); }

 private:
  void fail(RunReport& report, const StepReport& step, double t);
  void check_end(RunReport& report);
  void judge_held(RunReport& report);
  void warn_of_open_equations(RunReport& report) const;
  std::string better_held() const;
  void start_monitor(std::span<const double> p);
  void run_fixed(const Observer& observer, RunReport& report);
  void run_adaptive(const Observer& observer, RunReport& report);
  void measure_step();
  void step_done(RunReport& report, NewtonStart newton);
  /// A step of an adaptive integrator that was tried.
  struct Trial {
    StepReport step;  // its error is that of the objectives' integrals, too
    StepSmoothness::Acceleration acceleration;
    StepSmoothness::Defect defect;
    bool solved() const { return step.usable() && step.error <= 1; }
    double open = 0;  // of the constraint equations [LO-1]
    bool held() const { return open <= kMostOpen; }
    bool good() const { return solved() && held() && acceleration.smooth && defect.smooth; }
  };
  Trial try_step(double next, StepSolver& solver, StepSmoothness& smoothness, RunReport& report);
  enum class Samples { kTaken, kStopped, kNotClosed };
  Samples sample_step(const Observer& observer, long& next);
  void stop_inside_step();
  void warn_of_integrals(RunReport& report) const;

  const Model& model_;
  RunOptions options_;
  std::unique_ptr<LoadedTree<double>> constants_;  // at p of the run; null in natural coordinates
  RunStart<double> start_;
  std::unique_ptr<Formulation<double>> formulation_;
  std::unique_ptr<StepMap<double>> map_;
  ObjectiveIntegral<double> objectives_;
  std::vector<QuadratureNode<double>> nodes_;
  bool leaves_objectives_ = false;
  std::unique_ptr<RunMonitor> monitor_;  // made when it is needed
  std::optional<HeldEquations> held_;    // of a run with constraint equations
  StepPlan* plan_ = nullptr;
  Trajectory* trajectory_ = nullptr;
  StepState<double> x0_, x1_, sample_;
  StepState<double> earlier_;  // where the step before an adaptive one began
  bool earlier_known_ = false;
  CoordinateSelection
      before_;  // what the formulation remembered before a step that may be rejected
};

}  // namespace kinegrad

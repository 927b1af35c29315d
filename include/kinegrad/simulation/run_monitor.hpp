// Measures a run at some of its states (docs/theory/monitors.md). The samples are as many as a picture needs and
// as the time of a run allows: with a known number of steps every k-th, else every second one is forgotten
// whenever there are too many. Nothing is allocated after start().
#pragma once

#include <optional>
#include <vector>

#include "kinegrad/integrators/step_map.hpp"
#include "kinegrad/signals/reactive_forces.hpp"
#include "kinegrad/simulation/run.hpp"
#include "kinegrad/simulation/singular_position.hpp"
#include "kinegrad/simulation/spline_watch.hpp"

namespace kinegrad {

class RunMonitor {
 public:
  /// Both must outlive the object; the system has the parameters of the run at start().
  RunMonitor(const Model& model, MechanicalSystem<double>& system);

  /// `steps`: how many the run will take, 0: not known.
  void start(std::span<const double> p, const StepState<double>& x0, long steps);
  /// After every step.
  void step(const StepState<double>& x, const StepEvents& events) {
    splines_.see(x);
    if (++steps_ % every_ == 0) sample(x, events.divided.count);
  }
  /// At the end: what was measured, and what is worth a warning, goes to the report.
  void finish(const StepState<double>& x, RunReport& report);

 private:
  void sample(const StepState<double>& x, long divided);
  void thin();
  double drive_power(const StepState<double>& x) const;

  MechanicalSystem<double>& system_;
  std::optional<SingularPositions> singular_;  // where pivots are measured
  SplineWatch splines_;
  ReactiveForces<double> reactive_;
  bool no_drives_;
  long steps_ = 0, every_ = 1;
  std::vector<MonitorSample> samples_;
};

}  // namespace kinegrad

// A run: initial state, steps, samples for whoever watches. Numerical failure ends the run with a
// report, never with an exception.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kinegrad/integrators/all.hpp"
#include "kinegrad/simulation/initial_state.hpp"

namespace kinegrad {

struct RunOptions {
  std::string coordinates = "joint-com";
  std::string formulation;  ///< empty: default_formulation()
  std::string integrator = "trapezoidal";
  std::string start = "given";  ///< given | equilibrium: rest where the forces balance
  bool only_start = false;      ///< stop at the start: statics
  double step = 0;  ///< fixed step; with an adaptive integrator the distance of the samples
  double end = 0;
  IntegratorOptions details;
  FormulationOptions constraints;

  /// @throws InvalidArgument
  void validate() const;
};

enum class RunStatus { kDone, kFailed, kStopped };

struct RunReport {
  RunStatus status = RunStatus::kDone;
  std::string message;  ///< what happened where, for a person; empty when all went well
  double t = 0;         ///< time reached
  long steps = 0;
  long rejected_steps = 0;  ///< of an adaptive integrator
  long iterations = 0;      ///< of Newton's method
  double seconds = 0;
  bool input_wrong = false;  ///< the run cannot start because of what the file says
};

/// Called with every sample, the start and the end included; false asks the run to stop.
using Observer = std::function<bool(const StepState<double>&)>;

class Simulator {
 public:
  /// The model must outlive the simulator. @throws InvalidArgument
  Simulator(const Model& model, const RunOptions& options);

  /// From the model's initial state at p (as its design map gives it) to the end.
  RunReport run(std::span<const double> p, const Observer& observer);

  const RunOptions& options() const { return options_; }
  Formulation<double>& formulation() { return *formulation_; }

 private:
  bool initial_state(std::span<const double> p, StepState<double>& x, RunReport& report);
  bool choice_describes(const StepState<double>& x, RunReport& report);
  void fail(RunReport& report, const StepReport& step, double t);
  void check_end(RunReport& report);
  std::string worst_constraint(const VecX& level) const;
  void run_fixed(const Observer& observer, RunReport& report);
  void run_adaptive(const Observer& observer, RunReport& report);
  bool sample_step(const Observer& observer, long& next);

  const Model& model_;
  RunOptions options_;
  std::unique_ptr<MechanicalSystem<double>> system_;  // of the initial problems
  std::unique_ptr<Formulation<double>> formulation_;
  std::unique_ptr<StepMap<double>> map_;
  StepState<double> x0_, x1_, sample_;
  ReferencePoint point_;
};

}  // namespace kinegrad

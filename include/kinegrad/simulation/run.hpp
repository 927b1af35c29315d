// What is asked of a run and what became of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kinegrad/integrators/all.hpp"

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
  /// Asked after every step of an adaptive integrator, rejected ones too, with the time reached; false
  /// ends the run. May be empty. Fixed steps are samples all, and ask the observer.
  std::function<bool(double t)> go_on;

  /// @throws InvalidArgument
  void validate() const;
  bool starts_at_rest() const { return start == "equilibrium"; }
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
  bool input_wrong = false;        ///< the run cannot start because of what the file says
  std::vector<double> objectives;  ///< ψ up to t; NaN if there was no start, or left to others

  bool done() const { return status == RunStatus::kDone; }
};

/// A step that failed, for people: "at t = 0.3: Newton's method did not converge, worst at A.q".
std::string describe_failure(const Model& model, const StepReport& step, double t);

}  // namespace kinegrad

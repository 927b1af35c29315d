// What is asked of a run and what became of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kinegrad/base/warning.hpp"
#include "kinegrad/integrators/all.hpp"
#include "kinegrad/simulation/monitors.hpp"

namespace kinegrad {

struct RunOptions {
  std::string coordinates{coordinate_set_name(ReferencePoint::kCom)};
  std::string formulation;  ///< empty: default_formulation()
  std::string integrator{default_integrator()};
  std::string start = "given";  ///< given | equilibrium: where the forces balance at rest
  bool only_start = false;      ///< stop at the start: statics
  /// A run beside another one, for differences: initial values that are no degrees of freedom follow
  /// the others instead of contradicting them [KP-13].
  bool beside = false;
  /// Of the run beside which this one is: the coordinates that its equilibrium holds at their start values, and the
  /// states that it takes as given [KP-17]. Unknown: decided anew.
  std::optional<std::vector<int>> held;
  /// Measures itself on the way; runs beside another one, and those of a search, need not.
  bool monitors = true;
  double step = 0;  ///< fixed step; with an adaptive integrator the distance of the samples
  double end = 0;
  double max_step = 0;  ///< of adaptive steps; 0: a tenth of the run
  double min_step =
      0;  ///< of adaptive steps; a run that needs smaller ones fails; 0: 1e-13 of the run
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

/// How often something happened in a run, and when at first.
struct Occurrences {
  static constexpr std::size_t kShown = 5;
  long count = 0;
  std::vector<double> times;  ///< of the first few

  void add(double t) {
    if (times.size() < kShown) times.push_back(t);
    ++count;
  }
};

/// What a run did beside plain steps (docs/theory/singular_positions.md).
struct StepEvents {
  Occurrences damped;   ///< Newton's method needed shorter corrections or another first guess
  Occurrences several;  ///< the equations of a step had several solutions
  Occurrences moved;    ///< a step ended elsewhere, away from a singular position
  Occurrences divided;  ///< a step was made in several parts
  double left = 0;      ///< the largest last correction of a step that did not reach the tolerance
  double open = 0;      ///< the most that a step left open of its constraint equations [LO-1]

  bool any() const {
    return damped.count + several.count + moved.count + divided.count > 0 || left > 0;
  }
};

struct RunReport {
  RunStatus status = RunStatus::kDone;
  std::string message;  ///< what happened where, for a person; empty when all went well
  double t = 0;         ///< time reached
  long steps = 0;
  long rejected_steps = 0;  ///< of an adaptive integrator
  long iterations = 0;      ///< of Newton's method
  StepEvents events;
  Warnings warnings;  ///< of the run, and of what was computed from it
  Monitors monitors;
  double seconds = 0;
  bool input_wrong = false;  ///< the run cannot start because of what the file says
  /// ψ up to t; NaN if there was no start, if they are left to others, and of integrals where a run is its start
  /// alone: an equilibrium has no duration.
  std::vector<double> objectives;

  /// The first objective whose integrand or end was not finite: index, -1: none; and when.
  int not_finite = -1;
  double not_finite_t = 0;

  bool done() const { return status == RunStatus::kDone; }
};

/// A step that failed, for people: "at t = 0.3: Newton's method did not converge, worst at A.q".
std::string describe_failure(const Model& model, const StepReport& step, double t);

}  // namespace kinegrad

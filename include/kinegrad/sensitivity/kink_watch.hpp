// Notices where a run meets what has no derivative (docs/theory/monitors.md, [KN]):
//
//   abs, min, max, sign   of forces, constraints and objectives, whose argument passes zero between two states
//                         or is zero at one; likewise roots of squares, quotients, tan, atan2 and nodes of
//                         linear splines                                                        [KN-1]
//   forces between points whose direction turns by more than 90° between two samples, and that do not vanish
//                         at zero length; objectives that read such a distance            [KN-2], [KN-9]
//   laws of forces with branches, where these meet                                       [KN-4] to [KN-7]
//   monotone splines      whose slopes have a kink at the values of the run                     [KN-3]
//
// States are the ends of the steps and, for [KN-1], the stages between. What reads the time alone does not count:
// its kinks stay where they are, whatever the parameters. Once per element and operation, with the first time and
// how often. A kink of an expression that makes a force jump (of a potential, of a ground) is a jump.      [KN-8]
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kinegrad/base/warning.hpp"
#include "kinegrad/integrators/step_map.hpp"
#include "kinegrad/integrators/step_partials.hpp"
#include "kinegrad/sensitivity/force_kinks.hpp"
#include "kinegrad/sensitivity/pair_watch.hpp"
#include "kinegrad/signals/signal_evaluator.hpp"

namespace kinegrad {

class KinkWatch {
 public:
  /// `objectives`: whose kinks count; `signals`: those of all signals do, too. The model must outlive it.
  KinkWatch(const Model& model, std::span<const double> p, std::span<const int> objectives,
            bool signals);

  /// Whether there are expressions or forces that could have kinks, so that somebody should show their steps.
  bool wants_steps() const { return !tapes_.empty() || !forces_.empty(); }
  /// Whether the next step need not be shown; to be asked once for each, from the last one to the first.
  bool passes_over() { return tapes_.empty() && forces_.passes_over(); }
  /// A sample of the run, in the order of time: for [KN-2], and of [KN-1] the first one.
  void see(const StepState<double>& x);
  /// A step with its stages, from the last step of the run to the first, for [KN-1] and [KN-4].
  void see_step(const StepRecord& record);
  void report(Warnings& warnings) const;

 private:
  /// An operation of one element.
  struct Site {
    Tape::Kink kink;
    std::string where, element;  // force "F", F
    std::vector<int> forces;     // with attributes that it is read by
    bool jumps = false;          // the operation does, or what the force makes of it
    double jump = 0;             // of the force
    long measured = 0;
    int first = 0;              // its side where the step began
    bool passed = false;        // within the step
    long crossed = 0, met = 0;  // steps, states
    double t_crossed = 0, t_met = 0;
  };
  /// The expressions of one tape, and what they read.
  struct Expressions {
    const Tape* tape;
    std::vector<Site> sites;
    std::vector<double> registers, outputs;
  };
  /// A force whose law is one for turns below half a turn.
  struct Turn {
    int force;
    Vec3 before = Vec3::Zero();
    long passed = 0;
    double t = 0;
  };
  template <typename NameOf>
  void add_tape(const Tape& tape, const NameOf& name_of);
  void evaluate(const StepState<double>& x);
  void see_expressions(const StepRecord& record);
  void measure(Site& site, const StepRecord& record);
  bool depends_on_more_than_time(const Tape::Kink& kink) const;
  std::string what(const Site& site) const;
  void see_turns(const StepState<double>& x);

  const Model& model_;
  std::vector<double> p_, inputs_;
  SignalEvaluator<double> signals_;
  std::vector<Expressions> tapes_;
  ForceKinks forces_;
  std::optional<ForceLine> line_;  // made where something is measured
  PairWatch pairs_;
  std::vector<Turn> turns_;
  bool started_ = false;
};

/// Kinks of the map from ρ to p at ρ: expressions of parameters at their kink, monotone splines with equal
/// neighbouring values, as far as the parameters of the gradient move them.
void find_design_kinks(const Model& model, std::span<const double> rho, std::span<const double> p,
                       std::span<const int> parameters, Warnings& warnings);

}  // namespace kinegrad

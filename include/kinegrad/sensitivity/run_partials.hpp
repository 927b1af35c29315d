// Everything of a run that has derivatives: its start, its steps, its objectives
// (docs/theory/sensitivity_methods.md).
#pragma once

#include <memory>
#include <vector>

#include "kinegrad/sensitivity/gradient_method.hpp"
#include "kinegrad/signals/signal_partials.hpp"
#include "kinegrad/simulation/start_partials.hpp"

namespace kinegrad {

/// Derivatives of the mechanics of a run at p, which must outlive what is made, with the rows that its
/// formulation asks for; only marked entries of p get cotangents that are meant, all if nothing is
/// marked. `constants` of the model at p, if there are any, are shared by all that are made.
SystemPartialsFactory system_partials_of(const Model& model, const RunOptions& run,
                                         const StageRule& rule, std::span<const double> p,
                                         const std::vector<char>& active = {},
                                         const LoadedTree<double>* constants = nullptr);
/// What the formulation of a run solves; makes one to ask it. @throws InvalidArgument
StageRule stage_rule_of(const Model& model, const RunOptions& run);

class RunPartials {
 public:
  /// At p, which must outlive the object like the model; `active` and `constants` as above. @throws InvalidArgument
  RunPartials(const Model& model, const RunOptions& run, const StageRule& rule,
              std::span<const double> p, const std::vector<char>& active = {},
              const LoadedTree<double>* constants = nullptr);
  RunPartials(const Model& model, const RunOptions& run, std::span<const double> p)
      : RunPartials(model, run, stage_rule_of(model, run), p) {}
  /// Of a task, with respect to the parameters of the report.
  RunPartials(const GradientTask& task, const GradientReport& report);

  /// Makes more derivatives of the mechanics, with the constants of this run.
  const SystemPartialsFactory& make_system() const { return make_system_; }
  StepPartials& step() { return *step_; }
  StartPartials& start() { return *start_; }
  SignalPartials& signals() { return *signals_; }

  /// Linearises the signals at a state; `there`: partials of the mechanics that were linearised there.
  void take(const StepState<double>& x, SystemPartials* there = nullptr);
  /// An output of the signal tape at the state last taken.
  double output(int k) const { return signals_->output(k); }
  /// Adds weight·(its derivatives).
  void pull_output(int output, double weight, StateCotangent& x, std::span<double> p);

 private:
  std::unique_ptr<LoadedTree<double>> constants_;  // at p, where there are none to be shared
  SystemPartialsFactory make_system_;
  std::unique_ptr<StepPartials> step_;
  std::unique_ptr<StartPartials> start_;
  std::unique_ptr<SignalPartials> signals_;
};

/// Weights of the states at the ends of the steps and of those inside them, in the order of time:
/// every state is visited once with all that its two steps give it.
class QuadratureWeights {
 public:
  void take(const StepPartials& step, const StepRecord& record);
  double start = 0, end = 0;        ///< of x₀ and x₁ in this step
  std::vector<RecordedNode> inner;  ///< the others

 private:
  std::vector<RecordedNode> nodes_;
};

}  // namespace kinegrad

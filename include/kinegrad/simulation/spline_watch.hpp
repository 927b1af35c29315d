// Notices where expressions of a run read a spline beyond its nodes, where it goes on along its end tangent
// (docs/theory/splines.md): a table that ends too early is seldom meant so. Periodic splines have no end.
#pragma once

#include <string>
#include <vector>

#include "kinegrad/base/warning.hpp"
#include "kinegrad/integrators/step_map.hpp"
#include "kinegrad/signals/signal_evaluator.hpp"

namespace kinegrad {

class SplineWatch {
 public:
  /// The model must outlive it.
  explicit SplineWatch(const Model& model);

  void start(std::span<const double> p);
  /// A state of the run.
  void see(const StepState<double>& x);
  /// One warning for each spline and each element that reads it beyond its nodes.
  void report(Warnings& warnings) const;

 private:
  /// A spline in the expressions of one element.
  struct Use {
    Tape::SplineUse spline;
    std::string where, element;  // force "F", F
    double farthest = 0;         // how far beyond, over the length of the spline
    double argument = 0, t = 0;  // there
  };
  struct Expressions {
    const Tape* tape;
    std::vector<Use> uses;
    std::vector<double> registers, outputs;
    bool plain = true;  // all arguments are inputs themselves: nothing is to be evaluated
  };
  enum class Needs { kTime, kMotion, kForces };
  /// `name_of(output)`: {where, element}
  template <typename NameOf>
  void add_tape(const Tape& tape, const NameOf& name_of);
  void find_needs();
  void read_inputs(const StepState<double>& x);

  const Model& model_;
  std::vector<double> p_, inputs_;
  SignalEvaluator<double> signals_;
  std::vector<Expressions> tapes_;
  std::vector<int> moving_;  // inputs that arguments read and that change along the run
  Needs needs_ = Needs::kTime;
};

}  // namespace kinegrad

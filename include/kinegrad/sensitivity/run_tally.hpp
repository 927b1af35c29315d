// What a method that visits every state of a run finds out on its way: the objectives, and how far the
// run strays from its constraints. The simulation before it then need not look at its states at all.
#pragma once

#include <vector>

#include "kinegrad/sensitivity/gradient_method.hpp"

namespace kinegrad {

class RunTally {
 public:
  RunTally(const GradientTask& task, const GradientReport& report);

  /// A state of the run, and partials that were linearised there; null: there are none.
  void see(const StepState<double>& x, const SystemPartials* there);
  /// Part of the objective in row i of the gradient.
  void add(std::size_t i, double part) { values_[i] += part; }
  /// When all states were seen.
  void report(GradientReport& report) const;

 private:
  ConstraintWatch constraints_;
  std::vector<double> values_;
};

/// Where run or method did not come to their end: objectives and constraints of the steps that were kept;
/// NaN if not all were.
void tally_steps(const GradientTask& task, GradientReport& report);

}  // namespace kinegrad

// Sizes of adaptive steps (docs/theory/integrators.md): with the estimated error over the tolerance,
//
//   h ← min(h_max, h·min(5, max(1/5, 0.9·error^(−1/order))))                                    [SZ-1]
//
// where h_max is what the user allows, or a tenth of the run.
#pragma once

#include "kinegrad/simulation/run.hpp"

namespace kinegrad {

class StepControl {
 public:
  StepControl(int order, const RunOptions& options);

  /// Where a step from t ends; the last one meets the end of the run.
  double next(double t);
  /// What the size of the next step is to be multiplied with after an error over the tolerance.
  double factor(double error) const;
  /// Changes the size of the next step; false if no step is that small.
  bool scale(double factor);

 private:
  double exponent_, end_, largest_, smallest_, h_;
};

}  // namespace kinegrad

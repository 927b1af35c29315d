// Sizes of adaptive steps (docs/theory/integrators.md): with the estimated error over the tolerance,
//
//   h ← min(h_max, h·min(5, max(1/5, 0.9·error^(−1/k))))                                        [SZ-1]
//
// where k is the power of h that the estimate falls with, and h_max what the user allows, or a tenth of the run.
#pragma once

#include "kinegrad/simulation/run.hpp"

namespace kinegrad {

class StepControl {
 public:
  /// `order`: the power of h that errors fall with.
  StepControl(int order, const RunOptions& options);

  /// Where a step from t ends; the last one meets the end of the run.
  double next(double t);
  /// What the size of the next step is to be multiplied with after an error over the tolerance.
  double factor(double error) const;
  /// Changes the size of the next step; false if it is to be smaller than the smallest.
  bool scale(double factor);
  double smallest() const { return smallest_; }

 private:
  double exponent_, end_, largest_, smallest_, h_;
};

}  // namespace kinegrad

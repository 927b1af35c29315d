// Continuous adjoint: the adjoint equations of the motion (docs/theory/continuous_adjoint.md), backwards
// on the motion that the steps interpolate, by the trapezoidal rule with steps of their own.
//
// The gradient is that of the motion, not of its steps: it differs from the discrete adjoint by what
// both steps are wrong, O(h²), and is as good as the motion is.
#pragma once

#include "kinegrad/sensitivity/gradient_method.hpp"

namespace kinegrad {

class ContinuousAdjointMethod final : public GradientMethod {
 public:
  /// @throws InvalidArgument if the run has no such approach
  ContinuousAdjointMethod(const Model& model, const RunOptions& run, int approach);
  bool wants_trajectory() const override { return true; }
  void differentiate(const GradientTask& task, const GradientWatch& watch,
                     GradientReport& report) const override;
};

}  // namespace kinegrad

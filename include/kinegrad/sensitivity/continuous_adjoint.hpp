// Continuous adjoint: the adjoint equations of the motion (docs/theory/continuous_adjoint.md), backwards
// on the motion that the steps interpolate, by the trapezoidal rule with steps of their own.
//
// The gradient is that of the motion, not of its steps: it differs from the discrete adjoint by what
// both steps are wrong, O(h²), and is as good as the motion is.
#pragma once

#include <array>

#include "kinegrad/sensitivity/gradient_method.hpp"

namespace kinegrad {

class ContinuousAdjointMethod final : public GradientMethod {
 public:
  static constexpr std::string_view name = "continuous-adjoint";
  static constexpr std::string_view summary =
      "adjoint equations of the motion, with a step of their own: second order";
  static constexpr std::array<std::string_view, 2> options{"adjoint_step", "adjoint_approach"};
  static constexpr bool needs_motion = true;

  static std::string refusal(const GradientOptions& asked, const Model& model,
                             const RunOptions& run);
  bool wants_trajectory() const override { return true; }
  void differentiate(const GradientTask& task, const GradientWatch& watch,
                     GradientReport& report) const override;
};

}  // namespace kinegrad

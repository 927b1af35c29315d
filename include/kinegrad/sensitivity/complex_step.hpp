// One run on complex numbers per parameter, exact to rounding (docs/theory/sensitivity_methods.md):
//
//   ∂ψ/∂ρ_k = Im ψ(ρ + i h e_k)/h                                                              [CS-1]
#pragma once

#include "kinegrad/sensitivity/gradient_method.hpp"

namespace kinegrad {

class ComplexStepMethod final : public GradientMethod {
 public:
  static constexpr std::string_view name = "complex-step";
  static constexpr std::string_view summary =
      "one run on complex numbers per parameter, exact to rounding";

  bool exact() const override { return true; }
  void differentiate(const GradientTask& task, const GradientWatch& watch,
                     GradientReport& report) const override;
};

}  // namespace kinegrad

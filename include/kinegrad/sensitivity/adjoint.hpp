// Discrete adjoint of the steps of a run (docs/theory/sensitivity_methods.md):
//
//   x̄_k = A_kᵀ x̄_{k+1} + Σ weight g_xᵀ,      dψ/dρ = P_ρᵀ p̄,   p̄ = Σ_k (…)ᵀ                   [AD-1]
//
// backwards in time, for all parameters at once: only p̄ knows of them, and each element touches the
// entries it depends on.
#pragma once

#include <array>

#include "kinegrad/sensitivity/gradient_method.hpp"

namespace kinegrad {

class AdjointMethod final : public GradientMethod {
 public:
  static constexpr std::string_view name = "adjoint";
  static constexpr std::string_view summary =
      "discrete adjoint: its cost does not grow with the parameters";
  static constexpr std::array<std::string_view, 1> options{"memory"};

  bool wants_trajectory() const override { return true; }
  bool tallies() const override { return true; }
  void differentiate(const GradientTask& task, const GradientWatch& watch,
                     GradientReport& report) const override;
};

}  // namespace kinegrad

// Direct differentiation of the steps of a run (docs/theory/sensitivity_methods.md):
//
//   dx_{k+1} = A_k dx_k + B_k,      dψ/dρ = Σ weight (g_x dx + g_ρ) + …                         [FW-1]
//
// for all parameters at once.
#pragma once

#include <array>

#include "kinegrad/sensitivity/gradient_method.hpp"

namespace kinegrad {

class ForwardMethod final : public GradientMethod {
 public:
  static constexpr std::string_view name = "forward";
  static constexpr std::string_view summary =
      "direct differentiation: all parameters in one factorisation per step";
  static constexpr std::array<std::string_view, 2> options{"memory", "sensitivities"};

  bool wants_trajectory() const override { return true; }
  bool tallies() const override { return true; }
  void differentiate(const GradientTask& task, const GradientWatch& watch,
                     GradientReport& report) const override;
};

}  // namespace kinegrad

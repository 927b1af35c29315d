// Direct differentiation of the steps of a run (docs/theory/sensitivity_methods.md):
//
//   dx_{k+1} = A_k dx_k + B_k,      dψ/dρ = Σ weight (g_x dx + g_ρ) + …                         [FW-1]
//
// for all parameters at once.
#pragma once

#include "kinegrad/sensitivity/gradient_method.hpp"

namespace kinegrad {

class ForwardMethod final : public GradientMethod {
 public:
  bool wants_trajectory() const override { return true; }
  bool tallies() const override { return true; }
  void differentiate(const GradientTask& task, const GradientWatch& watch,
                     GradientReport& report) const override;
};

}  // namespace kinegrad

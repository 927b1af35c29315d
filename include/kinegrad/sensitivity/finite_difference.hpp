// Central differences of whole runs on a ladder of steps, extrapolated, with an estimate of the error that
// is left (docs/theory/sensitivity_methods.md):
//
//   D_k = (ψ(ρ + h_k e) − ψ(ρ − h_k e))/2h_k,   h_k = h₀/5ᵏ                                    [FD-1]
//
// Needs nothing but values, so it works with every start and checks every other method.
#pragma once

#include "kinegrad/sensitivity/gradient_method.hpp"

namespace kinegrad {

class FiniteDifferenceMethod final : public GradientMethod {
 public:
  static constexpr std::string_view name = "finite-difference";
  static constexpr std::string_view summary =
      "central differences, extrapolated, with an estimate of their error";

  void differentiate(const GradientTask& task, const GradientWatch& watch,
                     GradientReport& report) const override;
};

}  // namespace kinegrad

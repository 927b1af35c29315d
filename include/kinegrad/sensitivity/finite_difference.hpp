// Central differences of whole runs, extrapolated to step 0 by Ridders with an estimate of the error
// that is left (docs/theory/sensitivity_methods.md):
//
//   D(h) = (ψ(ρ + h e_k) − ψ(ρ − h e_k))/2h,   h = h₀, h₀/1.4, …                               [FD-1]
//
// Needs nothing but values, so it works with every start and checks every other method.
#pragma once

#include "kinegrad/sensitivity/gradient_method.hpp"

namespace kinegrad {

class FiniteDifferenceMethod final : public GradientMethod {
 public:
  void differentiate(const GradientTask& task, const GradientWatch& watch,
                     GradientReport& report) const override;
};

}  // namespace kinegrad

// Gradients of delicate runs: those that pass near a singular position, or whose steps were hard to solve. There
// a small error of a state may be a large one of the gradient, and no sample of single steps shows it. Such a
// gradient is compared, as a whole, with differences of the same recorded steps along one direction δρ,
//
//   (ψ(ρ + εδρ) − ψ(ρ − εδρ))/2ε = ∇ψ·δρ                                                        [SC-6]
//
// and what they do not confirm is a warning (docs/theory/self_check.md).
#pragma once

#include "kinegrad/sensitivity/gradient_method.hpp"

namespace kinegrad {

/// Why a run is delicate, as the first part of a sentence; empty where it is not.
std::string delicate_reason(const RunReport& run);

/// Compares the gradient of a delicate run; the others cost nothing.
void confirm_delicate_gradient(const GradientTask& task, const GradientWatch& watch,
                               GradientReport& report);

}  // namespace kinegrad

// The derivative of a function of one number from values alone, with an estimate of its error that holds for
// functions that are smooth, strongly curved, kinked or noisy (docs/theory/sensitivity_methods.md, [FD-1] to
// [FD-7]): central differences on a ladder of steps from far to near,
//
//   D_k = (f(x + h_k) − f(x − h_k))/2h_k,   h_k = h₀/5ᵏ,   E_k = D_k + (D_k − D_{k−1})/24
//
// of which the one is taken whose neighbours agree best and which nothing nearer contradicts.
#pragma once

#include <functional>
#include <optional>

#include "kinegrad/math/scalar.hpp"

namespace kinegrad {

/// Values at x; empty where the function has none.
using LadderFunction = std::function<std::optional<VecX>(double x)>;

struct LadderDerivative {
  VecX derivative, error;  ///< entry by entry; an error of infinity: nothing is known
};

/// Evaluations at most.
inline constexpr int kLadderEvaluations = 31;

/// ∂f/∂x from steps of `largest` downwards; empty where f has no values at x or next to it.
std::optional<LadderDerivative> ladder_derivative(const LadderFunction& f, double x,
                                                  double largest);

}  // namespace kinegrad

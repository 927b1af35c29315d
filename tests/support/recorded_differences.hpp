// The derivative of the objectives of a recorded run along one direction of ρ, from values alone: central
// differences of replays of the same steps, extrapolated,
//
//   D(h) = (ψ(ρ + hd) − ψ(ρ − hd))/2h,   T_k0 = D(h₀/2ᵏ),   T_kj = T_k,j−1 + (T_k,j−1 − T_k−1,j−1)/(4ʲ − 1)
//
// with an estimate of its own error: the disagreement of the last entries of the tableau, and what the noise of
// ψ, measured with values a hair apart, does to the smallest h.
#pragma once

#include <functional>
#include <optional>

#include "kinegrad/math/scalar.hpp"

namespace kinegrad::test {

struct DirectionalDifference {
  VecX slope, error;  ///< by objective
};

/// ψ at a distance along the direction; empty where the run ends early.
using ObjectivesAlong = std::function<std::optional<VecX>(double distance)>;

/// The best of several h₀; empty if no run beside ρ ends well.
std::optional<DirectionalDifference> directional_difference(const ObjectivesAlong& psi);
/// That of smaller h₀ alone. A motion that passes a singular position at a small distance depends on parameters by more
/// than a polynomial over changes of that size, and long differences agree with each other beside the derivative.
std::optional<DirectionalDifference> short_difference(const ObjectivesAlong& psi);

}  // namespace kinegrad::test

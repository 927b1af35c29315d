// Static equilibrium (docs/theory/kinematic_problems.md):
//
//   r(q, 0, 0) + Φ_qᵀλ = 0,   Φ(q) = 0                                                         [KP-3]
//
// by Newton's method with the exact matrix, shifted by μM as long as that is needed for a step to go
// downhill: towards equilibria that are stable where the forces have a potential, and from far away.
#pragma once

#include "kinegrad/simulation/initial_state.hpp"
#include "kinegrad/tree/reference_point.hpp"

namespace kinegrad {

/// From q, which must meet the constraints, to an equilibrium; λ are its multipliers.
KinematicReport find_equilibrium(const Model& model, std::span<const double> p,
                                 ReferencePoint point, VecX& q, VecX& lambda);

}  // namespace kinegrad

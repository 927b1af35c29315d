// Why a mass matrix is singular: a motion that the constraints allow and no inertia resists
// (docs/theory/constrained.md, [IM-1]),
//
//   M x = 0,   Φ_q x = 0,   pᵀx = 0 for every set of Euler parameters p,   x ≠ 0               [IM-1]
#pragma once

#include <string>

#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

/// The bodies that move so, and what helps, as the end of a sentence; empty if there is no such motion, or if
/// the system is too large for a dense decomposition.
std::string idle_motion(const Model& model, MechanicalSystem<double>& system, double t,
                        const VecX& q);

}  // namespace kinegrad

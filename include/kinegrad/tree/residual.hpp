// The residual of a tree's equations of motion in joint coordinates (docs/theory/dynamics.md):
//
//   r(t, q, v, a; p) = M(q) a − Q(t, q, v) = 0                                                [D-1]
//   f = I (A − G) + V×*(I V) − F_applied                                                      [D-5]
//   f_Σ = f + Σ_children f_Σ      r = Sᵀ f_Σ − τ                                              [D-6]
//
// with G = [0; g] for uniform fields g (gravity). Normalisations of Euler parameters are not part of it.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/tree/tree_loads.hpp"

namespace kinegrad {

/// What the joints of a tree transmit: f_Σ by node, at the reference point of its parent.
template <Scalar T>
using TransmittedForces = std::vector<Twist<T>>;

/// r of moving bodies with their loads, in two sweeps, without forming M. The first one accelerates the
/// bodies on its way.
template <Scalar T>
void residual(const TreeParameters<T>& tree, const TreeLoads<T>& loads, std::span<const T> a,
              TreeMotion<T>& motion, TransmittedForces<T>& f, std::span<T> r);

/// What the joint of a node exerts on the body of the node and all beyond it, constraints left out, at the
/// point `at`: [n; f] with r = Sᵀ[n; f] − τ.
template <Scalar T>
Twist<T> transmitted(const TreeParameters<T>& tree, const TreeMotion<T>& motion,
                     const TransmittedForces<T>& f, int node, const Vec3T<T>& at);

}  // namespace kinegrad

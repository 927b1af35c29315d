// The Jacobians of the residual of a tree, applied forces left out (docs/theory/dynamics.md). With sums Σ over
// the bodies beyond a joint                                                                  [DP-3]
//
//   ∂r_i/∂q_j = S_iᵀ(I_Σi S̈_j + B_Σi Ṡ_j)                    j before i
//   ∂r_i/∂q_j = S_iᵀ(S_j×*f_Σj + I_Σj S̈_j + B_Σj Ṡ_j)         j at or beyond i, + (∂S_i/∂q_j)ᵀf_Σ
//                                                             when both are of one joint
#pragma once

#include <vector>

#include "kinegrad/math/pattern_builder.hpp"
#include "kinegrad/math/sparse_rows.hpp"
#include "kinegrad/tree/gyroscopic.hpp"
#include "kinegrad/tree/linearized_tree.hpp"

namespace kinegrad {

/// Everything beyond a joint, as one body.
struct CompositeBody {
  RigidInertia<double> I;
  Gyroscopic B;
  Twist<double> f;
};
/// What the matrices need besides their results, by node.
using CompositeBodies = std::vector<CompositeBody>;

/// Sets the entries that the bodies have in r_q, r_v and r_a = M; whole matrices, or in a pattern.
template <typename Matrix>
void residual_matrices(const LinearizedTree& L, CompositeBodies& beyond, Matrix& r_q, Matrix& r_v,
                       Matrix& r_a);

/// The composite inertias of a configuration, for inertia_matrix().
void compose_inertia(const LinearizedTree& L, CompositeBodies& beyond);
/// Sets the entries of (M u)_q after linearize_inertia().
template <typename Matrix>
void inertia_matrix(const LinearizedTree& L, CompositeBodies& beyond, Matrix& r_q);

/// Adds the entries that M can have, to several patterns: a coordinate with its ancestors.
void add_mass_pattern(const TreeParameters<double>& tree, PatternBuilder& mass,
                      PatternBuilder& equations);
/// How many they are.
std::size_t mass_entries(const TreeParameters<double>& tree);

}  // namespace kinegrad

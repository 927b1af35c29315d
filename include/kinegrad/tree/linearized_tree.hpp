// The motion of a tree and what its bodies want, linearised at one state (docs/theory/dynamics.md, [DP]).
//
// All quantities are taken at one common point x₀, so nothing is shifted. A coordinate j moves
// everything beyond it by its column S_j; with Ṡ_j, S̈_j the derivatives of the column along the
// motion, for a body k beyond j                                                              [DP-1]
//
//   ∂V_k/∂q_j = Ṡ_j − V_k×S_j     ∂A_k/∂q_j = S̈_j − A_k×S_j − V_k×Ṡ_j
//   ∂f_k/∂q_j = S_j×*f_k + I_k S̈_j + B_k Ṡ_j,   B_k x = V×*(I x) − I (V×x) + x×*(I V)       [DP-2]
//   ∂f_k/∂v_j = 2 I_k Ṡ_j + B_k S_j              ∂f_k/∂a_j = I_k S_j
//
// Geometry is a frozen joint ([K-8]): the same formulas with columns fixed in the parent or in the body.
#pragma once

#include <span>

#include "kinegrad/tree/tree_linearization.hpp"

namespace kinegrad {

/// A linearisation and the pull-backs that run over it, of a motion that must stay.
struct LinearizedTree {
  /// Both must outlive the value.
  LinearizedTree(const TreeParameters<double>& tree, const TreeMotion<double>& motion);

  const TreeBody<double>& node(std::size_t k) const { return tree.nodes[k]; }
  const BodyMotion<double>& moving(std::size_t k) const { return motion.bodies[k]; }
  Pose<double> joint_frame(std::size_t k) const { return joint_frame_in_world(tree, motion, k); }
  /// The force F on a body of the equations of motion, one of constraints for instance.
  void add_force(int node, const Halves<double>& F);

  const TreeParameters<double>& tree;
  const TreeMotion<double>& motion;
  TreeLinearization at;
  TreeCotangent sums;
};

/// Bodies that are moved and accelerated with q, v, a: columns, motion, inertia, and f without applied forces.
void linearize_bodies(std::span<const double> q, std::span<const double> v,
                      std::span<const double> a, LinearizedTree& L);
/// Columns and motion alone, for those who pull back no residual.
void linearize_motion(std::span<const double> q, std::span<const double> v,
                      std::span<const double> a, LinearizedTree& L);

/// M(q) u alone takes the configuration of another linearisation of the same motion.
void linearize_configuration(const TreeLinearization& other, LinearizedTree& L);
/// f of M(q) u there, one u after the other.
void linearize_inertia(std::span<const double> u, LinearizedTree& L);

/// (∂S_b/∂q_by)·f of all columns b of the joint of node k.
JointVector<double> column_gradients(const LinearizedTree& L, std::size_t k, int by,
                                     const Twist<double>& f);
/// Ṡ_b·f of all columns b of the joint, where its coordinates have the speeds w.
JointVector<double> column_rates(const LinearizedTree& L, std::size_t k,
                                 const JointVector<double>& w, const Twist<double>& f);

}  // namespace kinegrad

// The residual of a tree along one direction dp of its parameters, at a fixed motion
// (docs/theory/parameter_tangents.md), or of its state. At the common point x₀ of the linearisation,
// frames displace what is beyond them by X, the sum of their frozen columns,
//
//   δf = X×*f + I Ẍ + B Ẋ + (mass properties, ports, rows)                                     [TG-4]
//   δr_i = S_iᵀ(Σ δf − X_h×*f_Σ)           X_h: of the joint's frame F                          [TG-6]
//
// and so do coordinates and speeds, where a direction changes the state as well, by the columns of the
// joints:
//
//   X += S dq      Ẋ += Ṡ dq + S dv      Ẍ += S̈ dq + 2Ṡ dv                                      [TG-10]
//
// Whoever reads points and directions of the tree (constraints), or puts forces on them (ports), does so
// between begin_tangent() and finish_tangent(), with the TreeTangent that the first one has filled.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/tree/linearized_tree.hpp"
#include "kinegrad/tree/parameter_direction.hpp"
#include "kinegrad/tree/residual_pullback.hpp"

namespace kinegrad {

/// Changes of the position, velocity and acceleration of a point or direction in the world.
struct VectorTangent {
  Vec3 x = Vec3::Zero(), xdot = Vec3::Zero(), xddot = Vec3::Zero();
};

/// A tangent on its way: what the direction displaces, and the wrenches that bodies gain.
struct TreeTangent {
  explicit TreeTangent(const TreeParameters<double>& tree)
      : displaced(tree.nodes.size(), tree.model.vectors().size()), wrenches(tree.nodes.size()) {}

  TreeDisplacement displaced;
  TreeWrenches wrenches;
};

/// f_Σ by node: the forces that all bodies beyond a joint want, the same for all directions.
using ForcesBeyond = std::vector<Halves<double>>;
void sum_forces(const LinearizedTree& L, ForcesBeyond& beyond);

/// Whether the direction changes bodies, or their forces where `forces` count.
bool touches_residual(const ParameterDirection& direction, bool forces);

/// X of all bodies [TG-3].
void begin_tangent(const LinearizedTree& L, const ParameterDirection& direction, TreeTangent& x);
/// Change of a vector of the model whose state is given [TG-5].
VectorTangent vector_tangent(const LinearizedTree& L, const TreeTangent& x, const VectorState& s,
                             int vector);
/// The force F on a vector, part of the residual like one of a row, changes by dF [TG-8].
void add_force_tangent(const LinearizedTree& L, const VectorState& s, int vector, const Vec3& force,
                       const Vec3& change, TreeTangent& x);
/// dr += what the bodies and all wrenches add to the residual, in a sweep to the root [TG-6].
void finish_tangent(const LinearizedTree& L, const ForcesBeyond& beyond, TreeTangent& x,
                    Eigen::Ref<VecX> dr);
/// Clears what the direction displaced, for the next one.
void end_tangent(TreeTangent& x);

/// dr += ∂r along the direction, of a tree without forces.
void residual_tangent(const LinearizedTree& L, const ForcesBeyond& beyond,
                      const ParameterDirection& direction, TreeTangent& x, Eigen::Ref<VecX> dr);

}  // namespace kinegrad

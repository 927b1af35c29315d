// Derivatives of the tree's residual along directions dp of its parameters, at a fixed motion
// (docs/theory/parameter_tangents.md), and of points and directions on it. At the common point x₀ of
// the linearisation, frames displace what is beyond them by X, the sum of their frozen columns,
//
//   δf = X×*f + I Ẍ + B Ẋ + (mass properties, ports, rows)                                     [TG-4]
//   δr_i = S_iᵀ(Σ δf − X_h×*f_Σ)           X_h: of the joint's frame F                          [TG-6]
//
// and so do coordinates and speeds, where a direction changes the state as well, by the columns of the
// joints:
//
//   X += S dq      Ẋ += Ṡ dq + S dv      Ẍ += S̈ dq + 2Ṡ dv                                      [TG-10]
#pragma once

#include <span>
#include <vector>

#include "kinegrad/assembly/parameter_directions.hpp"
#include "kinegrad/ports/linearized_forces.hpp"

namespace kinegrad {

/// Changes of the position, velocity and acceleration of a point or direction in the world.
struct VectorTangent {
  Vec3 x = Vec3::Zero(), xdot = Vec3::Zero(), xddot = Vec3::Zero();
};

/// One direction at a time: open(), whatever reads changes of vectors or adds forces, close(), leave().
/// Nothing is allocated after construction.
class TreeTangents {
 public:
  /// Of a linearisation and, where it is not of M(q) u alone, of its forces. Both must outlive the object.
  explicit TreeTangents(const LinearizedTree& tree, LinearizedForces* forces = nullptr);

  /// Takes the forces of the linearisation, those of rows included, once for all directions: before close().
  void take();
  void open(const ParameterDirection& direction);
  /// Change of a vector of the model whose state is given [TG-5].
  VectorTangent change_of(const VectorState& s, int vector) const;
  /// The force F on a vector, part of the residual like one of a row, changes by dF [TG-8].
  void add_force(const VectorState& s, int vector, const Vec3& force, const Vec3& change);
  /// Adds the derivative of the residual.
  void close(Eigen::Ref<VecX> dr);
  /// Whether the residual may change; at rest and without ports if only inertia counts.
  bool touches(const ParameterDirection& direction) const;
  const Model& model() const { return model_; }
  /// Ends a direction, closed or not.
  void leave();

 private:
  void add_frame(const FrameChange& change, BodyDisplacement& x) const;
  void add_joint(int node, BodyDisplacement& x) const;
  void add_column_changes(int node, Eigen::Ref<VecX> dr) const;
  void add_carried();
  void add_mass(const MassChange& change);
  void add_ports(Eigen::Ref<VecX> dr);
  void change_attributes();
  Vec3 own_change(int node, const Vec3& c) const { return L_.at.rotation(node) * c; }

  const LinearizedTree& L_;
  LinearizedForces* forces_;
  const Model& model_;
  std::vector<Halves<double>> beyond_;  // f_Σ by node
  TreeDisplacement displaced_;
  TreeWrenches wrenches_;                            // δf by node, then its sum
  std::vector<AttributeVector<double>> attributes_;  // by force
};

}  // namespace kinegrad

// What joints do to their bodies (docs/theory/constraints.md, [C-18]).
//
// A tree joint hands on what the bodies beyond it need and the applied forces there do not supply,
// the forces of constraints included: with W = Φ_xᵀλ on each body,
//
//   F = Σ_beyond (I A + V×*(I V) − F_applied + W)                                            [C-18]
//
// A cut joint acts by its own rows, F = −W on its second body. Both are everything the joint
// transmits, drives in it included: the force of body 1 on body 2 and its moment about the joint's
// point on body 2, world axes.
#pragma once

#include <vector>

#include "kinegrad/assembly/tree_constraints.hpp"
#include "kinegrad/ports/shared_tree.hpp"
#include "kinegrad/tree/momenta.hpp"

namespace kinegrad {

template <Scalar T>
class JointReactions {
 public:
  explicit JointReactions(const Model& model)
      : JointReactions(SharedTree<T>(model, ReferencePoint::kCom)) {}
  explicit JointReactions(SharedTree<T> constants);

  /// Of all joints at a state with its multipliers.
  void evaluate(std::span<const T> p, T t, std::span<const T> q, std::span<const T> v,
                std::span<const T> a, std::span<const T> lambda);
  /// [n; f] on body 2 of the joint.
  Twist<T> reaction(int joint) const { return reactions_[static_cast<std::size_t>(joint)]; }
  /// What a force tells of itself there.                                                         [SG-9]
  T force_signal(int force, int which, T t) const;
  /// −λ of a row: what a constraint does along its equation.                                     [SG-10]
  T multiplier(int row) const { return -lambda_[static_cast<std::size_t>(row)]; }
  T kinetic_energy() const { return kinegrad::kinetic_energy(tree_.bodies, state_.motion); }
  T potential_energy(T t) const { return kinegrad::potential_energy(tree_, state_, t); }

 private:
  Vec3T<T> joint_point(const Joint& joint) const;

  SharedTree<T> constants_;
  const LoadedTree<T>& tree_;
  const Model& model_;
  TreeState<T> state_;
  TreeConstraints<T> constraints_;
  std::vector<T> p_;
  std::vector<T> r_, lambda_;
  std::vector<Twist<T>> W_, reactions_;
};

}  // namespace kinegrad

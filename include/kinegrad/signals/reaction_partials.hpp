// The pull-back of joint reactions [C-18] (docs/theory/signals.md).
//
// Weights [n̄; f̄] on the moment and force of a joint are a motion W of the bodies beyond it, fixed in
// the world: n̄ turns, and f̄ is the velocity at the joint's point. The weighted reaction is its power
//
//   n̄·n + f̄·f = Σ_beyond W·f_k + Σ_rows λ g·ẋ_W,      ẋ_W = field of W at x                    [SG-1]
//
// so several joints add up their motions, and one sweep differentiates them all.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/assembly/constraint_partials.hpp"
#include "kinegrad/ports/linearized_forces.hpp"
#include "kinegrad/signals/joint_reactions.hpp"

namespace kinegrad {

class ReactionPartials {
 public:
  /// Of a linearisation and its forces, which must outlive the object.
  ReactionPartials(LinearizedTree& tree, LinearizedForces& forces);

  /// Takes over the parameters of the tree.
  void update_parameters() { constraints_.update_parameters(); }
  /// Takes the state that the tree was linearised at.
  void linearize(double t, std::span<const double> q, std::span<const double> v,
                 std::span<const double> a, std::span<const double> lambda);
  /// Adds weights·reactions, both [n; f] by joint, to a pull-back without weights that has begun;
  /// `values` are those of the state.
  void gather(std::span<const Twist<double>> weights, const JointReactions<double>& values,
              std::span<double> lambda_bar, const ResidualCotangent& out);

 private:
  Twist<double> fixed_motion(const Joint& joint, const Twist<double>& weight) const;
  void gather_tree_joints(std::span<const Twist<double>> weights, std::span<double> lambda_bar,
                          const ResidualCotangent& out);
  void gather_cut_joint(int constraint, const Joint& joint, const Twist<double>& weight,
                        std::span<double> lambda_bar, const ResidualCotangent& out);
  void gather_point(const Joint& joint, const Vec3& r_bar, const ResidualCotangent& out);

  LinearizedTree& tree_;
  LinearizedForces& forces_;
  const TreeParameters<double>& bodies_;
  TreeConstraints<double> constraints_;
  ConstraintPartials rows_;
};

}  // namespace kinegrad

#include "kinegrad/signals/reaction_partials.hpp"

#include <algorithm>

namespace kinegrad {

using la::cross;

ReactionPartials::ReactionPartials(LinearizedTree& tree, LinearizedForces& forces)
    : tree_(tree),
      forces_(forces),
      bodies_(tree.tree),
      constraints_(bodies_),
      rows_(constraints_, tree) {}

void ReactionPartials::linearize(double t, std::span<const double> q, std::span<const double> v,
                                 std::span<const double> a, std::span<const double> lambda) {
  constraints_.motion(tree_.motion, t, q, v, a);
  rows_.take(lambda);
}

/// The weights as a motion at the common point: at the joint's point [n̄; f̄].
Twist<double> ReactionPartials::fixed_motion(const Joint& joint,
                                             const Twist<double>& weight) const {
  const Vec3 d = frame_in_world(tree_.motion, bodies_.frame(joint.body2, joint.M)).p - tree_.at.x0;
  Twist<double> W = weight;
  W.tail<3>() += cross(d, weight.head<3>());
  return W;
}

/// The moment is taken about the joint's point on the second body.
void ReactionPartials::gather_point(const Joint& joint, const Vec3& r_bar,
                                    const ResidualCotangent& out) {
  VectorState s;
  s.node = bodies_.node_of_body[static_cast<std::size_t>(joint.body2)];
  s.x = frame_in_world(tree_.motion, bodies_.frame(joint.body2, joint.M)).p;
  s.xdot = s.xddot = Vec3::Zero();  // nothing reads them: r̄ alone is not zero
  VectorCotangent bar;
  bar.x = r_bar;
  pull_vector(tree_, s, bar);
  if (out.p.empty()) return;
  pull_vector_coordinates(tree_, s, joint.M.origin(), Vec3::Zero(), bar, out.p);
}

void ReactionPartials::gather_tree_joints(std::span<const Twist<double>> weights,
                                          std::span<double> lambda_bar,
                                          const ResidualCotangent& out) {
  const auto& nodes = bodies_.model.topology().nodes;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const auto j = static_cast<std::size_t>(nodes[k].joint);
    tree_.sums.W[k] = tree_.sums.weight(bodies_.nodes[k].parent);
    if (weights[j].isZero(0)) continue;
    const Twist<double> W = fixed_motion(bodies_.model.joints()[j], weights[j]);
    tree_.sums.W[k] += nodes[k].reversed ? Twist<double>(-W) : W;
  }
  pull_fixed_motion(tree_, out.p);
  pull_forces(tree_, forces_, {}, out);
  rows_.gather_fixed_motion(-1, lambda_bar, out);
}

/// −W of the joint's own rows on its second body, the ground perhaps.
void ReactionPartials::gather_cut_joint(int constraint, const Joint& joint,
                                        const Twist<double>& weight, std::span<double> lambda_bar,
                                        const ResidualCotangent& out) {
  for (Twist<double>& W : tree_.sums.W) W.setZero();
  const int node = bodies_.node_of_body[static_cast<std::size_t>(joint.body2)];
  Twist<double>& W = node < 0 ? tree_.sums.W_ground : tree_.sums.W[static_cast<std::size_t>(node)];
  W = -fixed_motion(joint, weight);
  rows_.gather_fixed_motion(constraint, lambda_bar, out);
  W.setZero();
}

void ReactionPartials::gather(std::span<const Twist<double>> weights,
                              const JointReactions<double>& values, std::span<double> lambda_bar,
                              const ResidualCotangent& out) {
  const Model& model = bodies_.model;
  gather_tree_joints(weights, lambda_bar, out);
  for (std::size_t c = 0; c < model.constraints().size(); ++c) {
    const int j = model.constraints()[c].joint;
    if (j < 0 || weights[static_cast<std::size_t>(j)].isZero(0)) continue;
    gather_cut_joint(static_cast<int>(c), model.joints()[static_cast<std::size_t>(j)],
                     weights[static_cast<std::size_t>(j)], lambda_bar, out);
  }
  for (Twist<double>& W : tree_.sums.W) W.setZero();
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j].isZero(0)) continue;
    const Vec3 n_bar = weights[j].head<3>(), f = values.reaction(static_cast<int>(j)).tail<3>();
    gather_point(model.joints()[j], cross(n_bar, f), out);
  }
}

}  // namespace kinegrad

#include "kinegrad/signals/joint_reactions.hpp"

#include <algorithm>
#include <utility>

#include "kinegrad/model/physical.hpp"

namespace kinegrad {

template <Scalar T>
JointReactions<T>::JointReactions(SharedTree<T> constants)
    : constants_(std::move(constants)),
      tree_(constants_.get()),
      model_(tree_.model()),
      state_(tree_),
      constraints_(tree_.bodies),
      r_(static_cast<std::size_t>(model_.nq())),
      lambda_(model_.constraint_rows().size(), T(0)),
      W_(model_.topology().nodes.size()),
      reactions_(model_.joints().size(), Twist<T>::Constant(T(0))) {}

/// Where the joint is on its second body.
template <Scalar T>
Vec3T<T> JointReactions<T>::joint_point(const Joint& joint) const {
  const Vec3T<T> r = vector_at(std::span<const T>(p_), joint.M.origin());
  const int node = tree_.bodies.node_of_body[static_cast<std::size_t>(joint.body2)];
  if (node < 0) return r;
  const auto& s = state_.motion.bodies[static_cast<std::size_t>(node)];
  return s.r_WM + s.R_WM * (tree_.bodies.X_MB[static_cast<std::size_t>(node)] * r);
}

template <Scalar T>
void JointReactions<T>::evaluate(std::span<const T> p, T t, std::span<const T> q,
                                 std::span<const T> v, std::span<const T> a,
                                 std::span<const T> lambda) {
  if (p_.size() != p.size() || !std::equal(p.begin(), p.end(), p_.begin())) {
    p_.assign(p.begin(), p.end());
    constants_.set(p);
    constraints_.update_parameters();
  }
  for (std::size_t i = 0; i < std::min(lambda.size(), lambda_.size()); ++i) lambda_[i] = lambda[i];
  residual<T>(tree_, t, q, v, a, state_, r_);
  constraints_.levels(state_.motion, t, q, v, a);  // forces do not read Φ_q
  for (Twist<T>& W : W_) W.setConstant(T(0));
  constraints_.add_wrenches(lambda, W_);
  const auto& nodes = model_.topology().nodes;
  for (std::size_t k = nodes.size(); k-- > 0;) {  // at the world origin: plain sums
    const int parent = tree_.bodies.nodes[k].parent;
    if (parent >= 0) W_[static_cast<std::size_t>(parent)] += W_[k];
    const Joint& joint = model_.joints()[static_cast<std::size_t>(nodes[k].joint)];
    const Vec3T<T> at = joint_point(joint);
    Twist<T> W = W_[k];
    shift_force_back<T>(W, (-at).eval());
    const Twist<T> F =
        transmitted(tree_.bodies, state_.motion, state_.transmitted, static_cast<int>(k), at) + W;
    reactions_[static_cast<std::size_t>(nodes[k].joint)] = nodes[k].reversed ? -F : F;
  }
  for (std::size_t c = 0; c < model_.constraints().size(); ++c) {
    const int index = model_.constraints()[c].joint;
    if (index < 0) continue;
    const Joint& joint = model_.joints()[static_cast<std::size_t>(index)];
    reactions_[static_cast<std::size_t>(index)] =
        -constraints_.wrench(static_cast<int>(c), joint.body2, lambda, joint_point(joint));
  }
}

template <Scalar T>
T JointReactions<T>::force_signal(int force, int which, T t) const {
  const auto k = static_cast<std::size_t>(force);
  const Force& of = model_.forces()[k];
  T value(0);
  const AttributeVector<T> p = attributes(tree_, state_, of);
  tree_.ports[k]->each_state(port_site(tree_, state_, t), [&](const PortState<T>& state, int) {
    value = of.type->signal_values(state, p)(which);
  });
  return value;
}

template class JointReactions<double>;
template class JointReactions<Complex>;

}  // namespace kinegrad

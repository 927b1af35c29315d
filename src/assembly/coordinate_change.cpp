#include "kinegrad/assembly/coordinate_change.hpp"

#include <cmath>
#include <numbers>

#include "kinegrad/base/error.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

/// A joint of the model's tree as it is between its own bodies: markers stand for them [GC-2].
const Joint& joint_of(const Model& model, std::size_t j) {
  return j < model.start().joints().size() ? model.start().joints()[j] : model.joints()[j];
}
/// Whether its coordinates are coordinates of the start as well.
bool is_copied(const Model& model, std::size_t j) {
  return j < model.start().joints().size() && !model.start().joints()[j].cut;
}

/// Whole turns are added until an angle is where it was.
template <Scalar T>
void count_turns(const JointModel& type, const VecXT<T>& near, int q_first, JointVector<T>& q) {
  constexpr double kTurn = 2 * std::numbers::pi;
  for (int c = 0; c < type.nq(); ++c) {
    if (type.coordinates()[static_cast<std::size_t>(c)].kind != CoordinateKind::kAngle) continue;
    const double away = real_part(near(q_first + c)) - real_part(q(c));
    q(c) += T(kTurn * std::round(away / kTurn));
  }
}

/// Of p and −p the one that is nearer to what was there.
template <Scalar T>
void keep_sign(const JointModel& type, const VecXT<T>& near, int q_first, JointMotion<T>& motion) {
  double along = 0;
  const auto euler = [&](int c) {
    return type.coordinates()[static_cast<std::size_t>(c)].kind == CoordinateKind::kEulerParameter;
  };
  for (int c = 0; c < type.nq(); ++c) {
    if (euler(c)) along += real_part(near(q_first + c)) * real_part(motion.q(c));
  }
  if (along >= 0) return;
  for (int c = 0; c < type.nq(); ++c) {
    if (!euler(c)) continue;
    motion.q(c) = -motion.q(c);
    motion.v(c) = -motion.v(c);
  }
}

}  // namespace

template <Scalar T>
FromJointCoordinates<T>::FromJointCoordinates(const Model& model)
    : model_(model),
      motion_(model.start()),
      zero_(VecXT<T>::Constant(model.start().nq(), T(0))),
      z_(model.nq()),
      zdot_(model.nq()) {
  if (!model.natural().empty()) natural_ = std::make_unique<NaturalMap<T>>(model);
}

template <Scalar T>
void FromJointCoordinates<T>::convert(std::span<const T> p, std::span<const T> q0,
                                      std::span<const T> v0, VecXT<T>& q, VecXT<T>& v) {
  motion_.move(parameters_of_start(model_, p), q0, v0, in(zero_));
  for (const TreeNode& node : model_.topology().nodes) {
    const auto j = static_cast<std::size_t>(node.joint);
    const JointMotion<T> motion = is_copied(model_, j) ? motion_.joint_motion(node.joint)
                                                       : motion_.frame_motion(joint_of(model_, j));
    z_.segment(model_.joints()[j].q_first, motion.q.size()) = motion.q;
    zdot_.segment(model_.joints()[j].q_first, motion.v.size()) = motion.v;
  }
  if (natural_) return reduce(p, q, v);
  q = z_;
  v = zdot_;
}

template <Scalar T>
void FromJointCoordinates<T>::reduce(std::span<const T> p, VecXT<T>& q, VecXT<T>& v) {
  natural_->set_parameters(p);
  q.resize(natural_->nq());
  v.resize(natural_->nq());
  natural_->reduce(in(z_), out(q));
  natural_->reduce(in(zdot_), out(v));
}

template <Scalar T>
ToJointCoordinates<T>::ToJointCoordinates(const Model& model)
    : model_(model), motion_(model), zero_(VecXT<T>::Constant(model.state_size(), T(0))) {}

template <Scalar T>
void ToJointCoordinates<T>::convert(std::span<const T> p, std::span<const T> q,
                                    std::span<const T> v, VecXT<T>& q0, VecXT<T>& v0) {
  const Model& start = model_.start();
  motion_.move(p, q, v, in(zero_));
  KINEGRAD_DEMAND(q0.size() == start.nq());
  v0.resize(start.nq());
  for (const TreeNode& node : start.topology().nodes) {
    const Joint& joint = start.joints()[static_cast<std::size_t>(node.joint)];
    JointMotion<T> motion = motion_.frame_motion(joint);
    count_turns<T>(*joint.type, q0, joint.q_first, motion.q);
    keep_sign<T>(*joint.type, q0, joint.q_first, motion);
    q0.segment(joint.q_first, motion.q.size()) = motion.q;
    v0.segment(joint.q_first, motion.v.size()) = motion.v;
  }
}

FromJointPartials::FromJointPartials(const Model& model)
    : model_(model),
      constants_(model.start(), ReferencePoint::kCom, TriadInertia::kHere),
      moving_(constants_),
      tree_(constants_, moving_),
      values_(model),
      zero_(VecX::Zero(model.start().nq())),
      a_bar_(model.start().nq()) {}

void FromJointPartials::set_parameters(std::span<const double> p) {
  p_.assign(p.begin(), p.end());
  constants_.set(parameters_of_start(model_, p));
}

void FromJointPartials::linearize(std::span<const double> q0, std::span<const double> v0) {
  move_bodies(constants_, q0, v0, moving_);
  accelerate_bodies(constants_, in(zero_), moving_);
  linearize_motion(q0, v0, in(zero_), tree_);
  values_.convert(p_, q0, v0, q_, v_);
}

void FromJointPartials::pullback(std::span<const double> q_bar, std::span<const double> v_bar,
                                 std::span<double> q0_bar, std::span<double> v0_bar,
                                 std::span<double> p_bar) {
  if (const NaturalMap<double>* natural = values_.natural()) {
    z_bar_.setZero(model_.nq());
    zdot_bar_.setZero(model_.nq());
    natural->pull_reduction(q_bar, in(values_.z()), out(z_bar_), p_bar);
    natural->pull_reduction(v_bar, in(values_.zdot()), out(zdot_bar_), p_bar);
    q_bar = in(z_bar_);
    v_bar = in(zdot_bar_);
  }
  a_bar_.setZero();
  const ResidualCotangent to{q0_bar, v0_bar, out(a_bar_), p_bar};
  begin_pullback(tree_, {}, p_bar);
  for (const TreeNode& node : model_.topology().nodes) {
    const auto j = static_cast<std::size_t>(node.joint);
    const Joint& joint = joint_of(model_, j);
    const int n = joint.type->nq(), k = model_.joints()[j].q_first;
    const auto part = [&](std::span<const double> x) {
      return JointVector<double>(Eigen::Map<const VecX>(x.data() + k, n));
    };
    if (is_copied(model_, j)) {
      write(q0_bar).segment(joint.q_first, n) += part(q_bar);
      write(v0_bar).segment(joint.q_first, n) += part(v_bar);
    } else {
      pull_joint_motion(tree_, joint, {part(q_bar), part(v_bar), JointVector<double>::Zero(n)},
                        p_bar);
    }
  }
  finish_pullback(tree_, {}, to);
}

template class FromJointCoordinates<double>;
template class FromJointCoordinates<Complex>;
template class ToJointCoordinates<double>;
template class ToJointCoordinates<Complex>;

}  // namespace kinegrad

#include "kinegrad/assembly/motion_reader.hpp"

#include <algorithm>

#include "kinegrad/math/views.hpp"
#include "kinegrad/model/physical.hpp"

namespace kinegrad {

using la::cross;

template <Scalar T>
MotionReader<T>::MotionReader(const Model& model) : model_(model) {
  if (model.natural().empty()) return;
  natural_ = std::make_unique<NaturalMap<T>>(model);
  for (VecXT<T>* x : {&z_, &zdot_, &zddot_}) x->resize(model.nq());
}

template <Scalar T>
void MotionReader<T>::move(std::span<const T> p, std::span<const T> q, std::span<const T> v,
                           std::span<const T> a) {
  p_ = p;
  q_ = q;
  v_ = v;
  a_ = a;
  if (natural_) expand(p, q, v, a);
  position_kinematics(model_, p, q_, position_);
  velocity_kinematics(model_, v_, position_, velocity_);
  acceleration_kinematics(model_, q_, v_, a_, position_, velocity_, acceleration_);
}

/// From natural coordinates to those of the tree.
template <Scalar T>
void MotionReader<T>::expand(std::span<const T> p, std::span<const T> q, std::span<const T> v,
                             std::span<const T> a) {
  if (p_seen_.size() != p.size() || !std::equal(p.begin(), p.end(), p_seen_.begin())) {
    p_seen_.assign(p.begin(), p.end());
    natural_->set_parameters(p);
  }
  natural_->expand(q, out(z_));
  natural_->expand_rates(v, out(zdot_));
  natural_->expand_rates(a, out(zddot_));
  q_ = in(z_);
  v_ = in(zdot_);
  a_ = in(zddot_);
}

template <Scalar T>
PointMotion<T> MotionReader<T>::point_motion(int index) const {
  return kinegrad::point_motion<T>(model_, p_, index, position_, velocity_, acceleration_);
}

template <Scalar T>
JointMotion<T> MotionReader<T>::joint_motion(int index) const {
  const Joint& joint = model_.joints()[static_cast<std::size_t>(index)];
  if (joint.cut) return frame_motion(joint);
  const auto part = [&](std::span<const T> x) {
    return JointVector<T>(Eigen::Map<const VecXT<T>>(x.data() + joint.q_first, joint.type->nq()));
  };
  return {part(q_), part(v_), part(a_)};
}

template <Scalar T>
JointMotion<T> MotionReader<T>::frame_motion(const Joint& joint) const {
  const auto b1 = static_cast<std::size_t>(joint.body1), b2 = static_cast<std::size_t>(joint.body2);
  const Pose<T> X_WF = position_.X_WB[b1] * frame_at(p_, joint.F);
  const Pose<T> X_WM = position_.X_WB[b2] * frame_at(p_, joint.M);
  const Vec3T<T>&w1 = velocity_.w_WB[b1], &w2 = velocity_.w_WB[b2];
  const Vec3T<T>&alpha1 = acceleration_.alpha_WB[b1], &alpha2 = acceleration_.alpha_WB[b2];
  const Vec3T<T> s1 = X_WF.p - position_.X_WB[b1].p, s2 = X_WF.p - position_.X_WB[b2].p;
  const Mat3T<T> R_FW = X_WF.R.transpose();
  // [K-10]
  const Vec3T<T> w = w2 - w1;
  const Vec3T<T> u = velocity_.v_WB[b2] + cross(w2, s2) - velocity_.v_WB[b1] - cross(w1, s1);
  const Vec3T<T> wdot = alpha2 - alpha1 - cross(w1, w);
  const Vec3T<T> udot = acceleration_.a_WB[b2] + cross(alpha2, s2) + cross(w2, cross(w2, s2)) -
                        acceleration_.a_WB[b1] - cross(alpha1, s1) - cross(w1, cross(w1, s1)) -
                        cross(w1, u) * T(2) - cross(w, u);
  Twist<T> V, Vdot;
  V << R_FW * w, R_FW * u;
  Vdot << R_FW * wdot, R_FW * udot;
  return joint_motion_of<T>(*joint.type, {X_WF.inverse() * X_WM, V, Vdot});
}

template class MotionReader<double>;
template class MotionReader<Complex>;

}  // namespace kinegrad

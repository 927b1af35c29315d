#include "kinegrad/assembly/tree_kinematics.hpp"

#include "kinegrad/model/physical.hpp"

namespace kinegrad {

using internal::joint_part;
using internal::node_joint;
using internal::NodeJoint;
using la::cross;

namespace internal {

NodeJoint node_joint(const Model& model, const TreeNode& node) {
  const Joint& joint = model.joints()[static_cast<std::size_t>(node.joint)];
  if (node.reversed) {
    return {&joint.type->reversed(), joint.M, joint.F, joint.q_first, joint.type->nq()};
  }
  return {joint.type, joint.F, joint.M, joint.q_first, joint.type->nq()};
}

}  // namespace internal

template <Scalar T>
void position_kinematics(const Model& model, std::span<const T> p, std::span<const T> q,
                         PositionKinematics<T>& out) {
  const auto& nodes = model.topology().nodes;
  if (out.X_WB.size() != model.bodies().size()) {
    out.X_WB.resize(model.bodies().size());
    for (auto* X : {&out.X_WF, &out.X_WM, &out.X_FM}) X->resize(nodes.size());
    out.H.resize(nodes.size());
  }
  out.X_WB[0] = Pose<T>{};
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const NodeJoint joint = node_joint(model, nodes[k]);
    const JointVector<T> qj = joint_part(q, joint);
    const Pose<T>& X_WP = out.X_WB[static_cast<std::size_t>(nodes[k].parent)];
    out.X_FM[k] = joint.type->pose(qj);
    out.H[k] = joint.type->motion(qj);
    out.X_WF[k] = X_WP * frame_at(p, joint.F);
    out.X_WM[k] = out.X_WF[k] * out.X_FM[k];
    // [K-1], written with R_BM transposed: X_MB = X_BM⁻¹
    out.X_WB[static_cast<std::size_t>(nodes[k].body)] =
        out.X_WM[k] * frame_at(p, joint.M).inverse();
  }
}

template <Scalar T>
void velocity_kinematics(const Model& model, std::span<const T> v,
                         const PositionKinematics<T>& position, VelocityKinematics<T>& out) {
  const auto& nodes = model.topology().nodes;
  const Vec3T<T> zero = Vec3T<T>::Constant(T(0));
  out.w_WB.assign(model.bodies().size(), zero);
  out.v_WB.assign(model.bodies().size(), zero);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const auto P = static_cast<std::size_t>(nodes[k].parent);
    const auto B = static_cast<std::size_t>(nodes[k].body);
    const NodeJoint joint = node_joint(model, nodes[k]);
    const Twist<T> V = position.H[k] * joint_part(v, joint);
    const Mat3T<T>& R_WF = position.X_WF[k].R;
    const Vec3T<T> w = R_WF * V.template head<3>();
    const Vec3T<T> u = R_WF * V.template tail<3>();
    const Vec3T<T> d = position.X_WB[B].p - position.X_WB[P].p;
    const Vec3T<T> s = position.X_WB[B].p - position.X_WF[k].p;
    // [K-2]
    out.w_WB[B] = out.w_WB[P] + w;
    out.v_WB[B] = out.v_WB[P] + cross(out.w_WB[P], d) + u + cross(w, s);
  }
}

template <Scalar T>
void acceleration_kinematics(const Model& model, std::span<const T> q, std::span<const T> v,
                             std::span<const T> a, const PositionKinematics<T>& position,
                             const VelocityKinematics<T>& velocity,
                             AccelerationKinematics<T>& out) {
  const auto& nodes = model.topology().nodes;
  const Vec3T<T> zero = Vec3T<T>::Constant(T(0));
  out.alpha_WB.assign(model.bodies().size(), zero);
  out.a_WB.assign(model.bodies().size(), zero);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const auto P = static_cast<std::size_t>(nodes[k].parent);
    const auto B = static_cast<std::size_t>(nodes[k].body);
    const NodeJoint joint = node_joint(model, nodes[k]);
    const JointVector<T> vj = joint_part(v, joint);
    const Twist<T> V = position.H[k] * vj;
    const Twist<T> Vdot = position.H[k] * joint_part(a, joint) +
                          joint.type->motion_dot(joint_part(q, joint), vj) * vj;
    const Mat3T<T>& R_WF = position.X_WF[k].R;
    const Vec3T<T> w = R_WF * V.template head<3>(), u = R_WF * V.template tail<3>();
    const Vec3T<T> wdot = R_WF * Vdot.template head<3>(), udot = R_WF * Vdot.template tail<3>();
    const Vec3T<T> d = position.X_WB[B].p - position.X_WB[P].p;
    const Vec3T<T> s = position.X_WB[B].p - position.X_WF[k].p;
    const Vec3T<T>& w_P = velocity.w_WB[P];
    const Vec3T<T>& alpha_P = out.alpha_WB[P];
    const Vec3T<T> slip = u + cross(w, s);  // velocity of Bo relative to P
    // [K-3], [K-4]
    out.alpha_WB[B] = alpha_P + cross(w_P, w) + wdot;
    out.a_WB[B] = out.a_WB[P] + cross(alpha_P, d) + cross(w_P, cross(w_P, d)) +
                  cross(w_P, slip) * T(2) + udot + cross(wdot, s) + cross(w, slip);
  }
}

template <Scalar T>
PointMotion<T> point_motion(const Model& model, std::span<const T> p, int index,
                            const PositionKinematics<T>& position,
                            const VelocityKinematics<T>& velocity,
                            const AccelerationKinematics<T>& acceleration) {
  const BodyVector& vector = model.vectors()[static_cast<std::size_t>(index)];
  const auto B = static_cast<std::size_t>(vector.body);
  const Vec3T<T> e = position.X_WB[B].R * vector_at(p, vector.first);
  const Vec3T<T>& w = velocity.w_WB[B];
  const Vec3T<T> edot = cross(w, e);
  PointMotion<T> motion{e, edot, cross(acceleration.alpha_WB[B], e) + cross(w, edot)};
  if (vector.is_point) {
    motion.r += position.X_WB[B].p;
    motion.rdot += velocity.v_WB[B];
    motion.rddot += acceleration.a_WB[B];
  }
  return motion;
}

#define KINEGRAD_INSTANTIATE(T)                                                                \
  template void position_kinematics<T>(const Model&, std::span<const T>, std::span<const T>,   \
                                       PositionKinematics<T>&);                                \
  template void velocity_kinematics<T>(const Model&, std::span<const T>,                       \
                                       const PositionKinematics<T>&, VelocityKinematics<T>&);  \
  template void acceleration_kinematics<T>(                                                    \
      const Model&, std::span<const T>, std::span<const T>, std::span<const T>,                \
      const PositionKinematics<T>&, const VelocityKinematics<T>&, AccelerationKinematics<T>&); \
  template PointMotion<T> point_motion<T>(                                                     \
      const Model&, std::span<const T>, int, const PositionKinematics<T>&,                     \
      const VelocityKinematics<T>&, const AccelerationKinematics<T>&);
KINEGRAD_INSTANTIATE(double)
KINEGRAD_INSTANTIATE(Complex)
#undef KINEGRAD_INSTANTIATE

}  // namespace kinegrad

// Position, velocity and acceleration of every body of the tree (docs/theory/kinematics.md).
//
// Root to leaves, body B on parent P by a joint with frames F (on P) and M (on B); world axes; the
// joint gives X_FM, the relative twist [w; u] = H v at Fo and its rate [ẇ; u̇] = H a + Ḣ v in F:
//
//   X_WB = X_WP X_PF X_FM X_MB                                                              [K-1]
//   ω_B = ω_P + w        v_B = v_P + ω_P×d + u + w×s        d = p_PB, s = p_FB              [K-2]
//   α_B = α_P + ω_P×w + ẇ                                                                    [K-3]
//   a_B = a_P + α_P×d + ω_P×(ω_P×d) + 2 ω_P×(u + w×s) + u̇ + ẇ×s + w×(u + w×s)                [K-4]
//
// Each pass takes the results of the earlier ones as const arguments. Outputs are sized at the first
// call and not reallocated after.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/math/spatial.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

template <typename T>
struct PositionKinematics {
  std::vector<Pose<T>> X_WB;        ///< by body, ground included
  std::vector<Pose<T>> X_WF, X_WM;  ///< by tree node: inboard frame on P, outboard frame on B
  std::vector<Pose<T>> X_FM;        ///< by tree node
  std::vector<JointColumns<T>> H;   ///< by tree node, in axes of F
};

/// By body: angular velocity and velocity of the body origin, world axes.
template <typename T>
struct VelocityKinematics {
  std::vector<Vec3T<T>> w_WB, v_WB;
};

/// By body: angular acceleration and acceleration of the body origin, world axes.
template <typename T>
struct AccelerationKinematics {
  std::vector<Vec3T<T>> alpha_WB, a_WB;
};

/// [K-1] for T = double or Complex.
template <Scalar T>
void position_kinematics(const Model& model, std::span<const T> p, std::span<const T> q,
                         PositionKinematics<T>& out);

/// [K-2].
template <Scalar T>
void velocity_kinematics(const Model& model, std::span<const T> v,
                         const PositionKinematics<T>& position, VelocityKinematics<T>& out);

/// [K-3], [K-4].
template <Scalar T>
void acceleration_kinematics(const Model& model, std::span<const T> q, std::span<const T> v,
                             std::span<const T> a, const PositionKinematics<T>& position,
                             const VelocityKinematics<T>& velocity, AccelerationKinematics<T>& out);

/// Position, velocity and acceleration of a point or direction fixed on a body.
template <typename T>
struct PointMotion {
  Vec3T<T> r, rdot, rddot;
};

/// Motion of `vectors()[index]`; directions have no translation.
template <Scalar T>
PointMotion<T> point_motion(const Model& model, std::span<const T> p, int index,
                            const PositionKinematics<T>& position,
                            const VelocityKinematics<T>& velocity,
                            const AccelerationKinematics<T>& acceleration);

namespace internal {

/// A joint as the tree runs through it: from the parent's frame F to the body's frame M.
struct NodeJoint {
  const JointModel* type;
  FrameBlock F, M;
  int q_first;
  int nq;
};
NodeJoint node_joint(const Model& model, const TreeNode& node);

/// The joint's part of a coordinate vector.
template <typename T>
JointVector<T> joint_part(std::span<const T> x, const NodeJoint& joint) {
  return Eigen::Map<const VecXT<T>>(x.data() + joint.q_first, joint.nq);
}

}  // namespace internal

}  // namespace kinegrad

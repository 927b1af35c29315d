// The motion of a joint, from the relative motion of its two frames (docs/theory/kinematics.md).
//
//   q = coordinates_of(X_FM)      v solves H v = V_FM      a solves H a = V̇_FM − Ḣ v          [K-10]
//
// Euler parameters also have pᵀa = −vᵀv from their normalisation.
#pragma once

#include "kinegrad/model/joint_model.hpp"
#include "kinegrad/tree/linearized_tree.hpp"

namespace kinegrad {

/// Coordinates, speeds and accelerations of one joint.
template <typename T>
struct JointMotion {
  JointVector<T> q, v, a;
};

/// How M moves against F: pose, twist at Fo in axes of F, and the rate of that twist seen in F.
template <typename T>
struct RelativeMotion {
  Pose<T> X_FM;
  Twist<T> V, Vdot;
};

/// [K-10]; T = double or Complex.
template <Scalar T>
JointMotion<T> joint_motion_of(const JointModel& type, const RelativeMotion<T>& relative);

/// Cotangents of a turn and shift of M in F (in axes of F, at Fo), of V and of V̇.
struct RelativeCotangent {
  Twist<double> X, V, Vdot;
};

/// The pull-back of [K-10] at a relative motion, frames that do not fit the joint included: by the
/// complex step of the joint's own functions, which is exact to rounding and asks no joint type for
/// derivatives of coordinates_of and speeds_of.
RelativeCotangent pull_joint_motion(const JointModel& type, const RelativeMotion<double>& relative,
                                    const JointMotion<double>& bar);

/// Adds the cotangents of the motion of a joint's frames on a tree to a pull-back that has begun [SG-3].
void pull_joint_motion(LinearizedTree& L, const Joint& joint, const JointMotion<double>& bar,
                       std::span<double> p_bar);

}  // namespace kinegrad

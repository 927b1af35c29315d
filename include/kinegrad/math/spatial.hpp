// Poses and twists. A twist is [ω; v], angular part first, taken at the origin of the frame it is
// expressed in (docs/notation.md). X_AB = (R_AB, p_AB): the pose of frame B in frame A.
#pragma once

#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

/// Rigid placement X_AB of frame B in frame A.
template <typename T>
struct Pose {
  Mat3T<T> R = Mat3T<T>::Identity();      ///< R_AB: columns are the axes of B in A.
  Vec3T<T> p = Vec3T<T>::Constant(T(0));  ///< p_AB: origin of B, in axes of A.

  /// X_AC = X_AB X_BC.
  Pose operator*(const Pose& X_BC) const { return {R * X_BC.R, (p + R * X_BC.p).eval()}; }
  /// X_BA.
  Pose inverse() const { return {R.transpose(), (-(R.transpose() * p)).eval()}; }
  /// The point with coordinates `point_B` in B, in A.
  Vec3T<T> operator*(const Vec3T<T>& point_B) const { return p + R * point_B; }
};

template <typename T>
using Twist = Vec<T, 6>;

/// ad(V) W = [ω×w; ω×w_v + v×w]: the rate of a twist W carried along with the motion V.
template <typename A, typename B>
Twist<typename A::Scalar> twist_cross(const Eigen::MatrixBase<A>& V,
                                      const Eigen::MatrixBase<B>& W) {
  const auto w = V.template head<3>();
  const auto v = V.template tail<3>();
  Twist<typename A::Scalar> out;
  out.template head<3>() = la::cross(w, W.template head<3>());
  out.template tail<3>() = la::cross(w, W.template tail<3>()) + la::cross(v, W.template head<3>());
  return out;
}

/// Ad(X_AB) V: the twist V, given in B, expressed in A.
template <typename T, typename V>
Twist<T> transform_twist(const Pose<T>& X_AB, const Eigen::MatrixBase<V>& V_B) {
  Twist<T> out;
  out.template head<3>() = X_AB.R * V_B.template head<3>();
  out.template tail<3>() =
      X_AB.R * V_B.template tail<3>() + la::cross(X_AB.p, out.template head<3>());
  return out;
}

}  // namespace kinegrad

// The inertia of a rigid body, or of several moving as one, at a reference point o in world axes:
// ten numbers m, h = m(c − o), J about o (docs/theory/dynamics.md, [D-3]).
//
//   I [ω; v] = [Jω + h×v; m v − h×ω]
#pragma once

#include "kinegrad/math/spatial.hpp"

namespace kinegrad {

template <typename T>
struct RigidInertia {
  T m = T(0);
  Vec3T<T> h = Vec3T<T>::Constant(T(0));
  Mat3T<T> J = Mat3T<T>::Constant(T(0));

  /// Momentum I V.
  template <typename V>
  Twist<T> operator*(const Eigen::MatrixBase<V>& V_) const {
    const Vec3T<T> w = V_.template head<3>(), v = V_.template tail<3>();
    Twist<T> out;
    out.template head<3>().noalias() = J * w;
    out.template head<3>() += la::cross(h, v);
    out.template tail<3>() = v * m - la::cross(h, w);
    return out;
  }

  RigidInertia& operator+=(const RigidInertia& other) {
    m += other.m;
    h += other.h;
    J += other.J;
    return *this;
  }

  /// The same body seen from the point o − d: h grows by m d, J by the parallel axis terms.
  [[gnu::always_inline]] void shift_back(const Vec3T<T>& d) {
    // J' = J + (2 d·h + m d·d) I − h dᵀ − d hᵀ − m d dᵀ
    const T diagonal = T(2) * la::dot(d, h) + m * la::squared_norm(d);
    const Vec3T<T> e = h + d * m;
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) J(i, j) -= h(i) * d(j) + d(i) * e(j);
      J(j, j) += diagonal;
    }
    h = e;
  }

  /// The 6×6 matrix [J, h̃; −h̃, m 1].
  Mat<T, 6, 6> matrix() const {
    Mat<T, 6, 6> I;
    const T zero(0);
    I << J(0, 0), J(0, 1), J(0, 2), zero, -h(2), h(1),  //
        J(1, 0), J(1, 1), J(1, 2), h(2), zero, -h(0),   //
        J(2, 0), J(2, 1), J(2, 2), -h(1), h(0), zero,   //
        zero, h(2), -h(1), m, zero, zero,               //
        -h(2), zero, h(0), zero, m, zero,               //
        h(1), -h(0), zero, zero, zero, m;
    return I;
  }
};

/// V ×* F = [ω×n + v×f; ω×f]: the rate of a force carried along with the motion V.
template <typename T>
Twist<T> force_cross(const Twist<T>& V, const Twist<T>& F) {
  const Vec3T<T> w = V.template head<3>(), v = V.template tail<3>();
  const Vec3T<T> n = F.template head<3>(), f = F.template tail<3>();
  Twist<T> out;
  out.template head<3>() = la::cross(w, n) + la::cross(v, f);
  out.template tail<3>() = la::cross(w, f);
  return out;
}

}  // namespace kinegrad

// A motion [ω; v] or a force [n; f] by its halves, for the sweeps of a tree.
#pragma once

#include "kinegrad/math/triple.hpp"

namespace kinegrad {

template <typename T>
struct Halves {
  Triple<T> w, v;  // of a force: moment, force

  Halves() = default;
  [[gnu::always_inline]] Halves(const Triple<T>& upper, const Triple<T>& lower)
      : w(upper), v(lower) {}
  template <typename X>
  [[gnu::always_inline]] explicit Halves(const Eigen::MatrixBase<X>& x)
      : w(x.coeff(0), x.coeff(1), x.coeff(2)), v(x.coeff(3), x.coeff(4), x.coeff(5)) {}

  [[gnu::always_inline]] static Halves zero() { return {Triple<T>::zero(), Triple<T>::zero()}; }
  template <typename X>
  [[gnu::always_inline]] void store(X&& x) const {
    x.coeffRef(0) = w.x;
    x.coeffRef(1) = w.y;
    x.coeffRef(2) = w.z;
    x.coeffRef(3) = v.x;
    x.coeffRef(4) = v.y;
    x.coeffRef(5) = v.z;
  }
  [[gnu::always_inline]] Halves& operator+=(const Halves& other) {
    w += other.w;
    v += other.v;
    return *this;
  }
  [[gnu::always_inline]] Halves& operator-=(const Halves& other) {
    w -= other.w;
    v -= other.v;
    return *this;
  }
  /// += other x.
  [[gnu::always_inline]] void add(const Halves& other, const T& x) {
    w += other.w * x;
    v += other.v * x;
  }
  /// A motion, taken at the point d further on [D-2].
  [[gnu::always_inline]] void shift_motion(const Triple<T>& d) { v += cross(w, d); }
  /// A force at a point d further on, taken back [D-2].
  [[gnu::always_inline]] void shift_back(const Triple<T>& d) { w += cross(d, v); }
};

/// The power of a force in a motion.
template <typename T>
[[gnu::always_inline]] inline T power(const Halves<T>& X, const Halves<T>& F) {
  return dot(X.w, F.w) + dot(X.v, F.v);
}

/// V×X, the rate of a motion that is carried along by V.
template <typename T>
[[gnu::always_inline]] inline Halves<T> motion_cross(const Halves<T>& V, const Halves<T>& X) {
  return {cross(V.w, X.w), cross(V.w, X.v) + cross(V.v, X.w)};
}

/// V×*F, that of a carried force.
template <typename T>
[[gnu::always_inline]] inline Halves<T> force_cross(const Halves<T>& V, const Halves<T>& F) {
  return {cross(V.w, F.w) + cross(V.v, F.v), cross(V.w, F.v)};
}

}  // namespace kinegrad

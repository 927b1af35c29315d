// Vectors and matrices of three by named numbers, for sweeps that must keep them in registers.
// An Eigen vector is an array: whatever passes through one in a long function passes through memory,
// where a compiler that stores single numbers and loads pairs waits for each of them.
#pragma once

#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

/// A vector.
template <typename T>
struct Triple {
  T x, y, z;

  Triple() = default;
  [[gnu::always_inline]] Triple(const T& a, const T& b, const T& c) : x(a), y(b), z(c) {}
  template <typename A>
  [[gnu::always_inline]] explicit Triple(const Eigen::MatrixBase<A>& a)
      : x(a.coeff(0)), y(a.coeff(1)), z(a.coeff(2)) {}

  [[gnu::always_inline]] static Triple zero() { return {T(0), T(0), T(0)}; }
  [[gnu::always_inline]] Vec3T<T> vector() const { return {x, y, z}; }
  template <typename A>
  [[gnu::always_inline]] void store(A&& a) const {
    a.coeffRef(0) = x;
    a.coeffRef(1) = y;
    a.coeffRef(2) = z;
  }
  [[gnu::always_inline]] Triple& operator+=(const Triple& b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
  [[gnu::always_inline]] Triple& operator-=(const Triple& b) {
    x -= b.x, y -= b.y, z -= b.z;
    return *this;
  }
  [[gnu::always_inline]] friend Triple operator+(const Triple& a, const Triple& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  [[gnu::always_inline]] friend Triple operator-(const Triple& a, const Triple& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  [[gnu::always_inline]] friend Triple operator-(const Triple& a) { return {-a.x, -a.y, -a.z}; }
  [[gnu::always_inline]] friend Triple operator*(const Triple& a, const T& s) {
    return {a.x * s, a.y * s, a.z * s};
  }
};

/// a × b.
template <typename T>
[[gnu::always_inline]] inline Triple<T> cross(const Triple<T>& a, const Triple<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// aᵀb.
template <typename T>
[[gnu::always_inline]] inline T dot(const Triple<T>& a, const Triple<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// A matrix by its columns.
template <typename T>
struct Columns3 {
  Triple<T> a, b, c;

  Columns3() = default;
  [[gnu::always_inline]] Columns3(const Triple<T>& x, const Triple<T>& y, const Triple<T>& z)
      : a(x), b(y), c(z) {}
  [[gnu::always_inline]] explicit Columns3(const Mat3T<T>& R)
      : a(R.col(0)), b(R.col(1)), c(R.col(2)) {}

  [[gnu::always_inline]] static Columns3 identity() {
    return {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};
  }
  [[gnu::always_inline]] Mat3T<T> matrix() const {
    Mat3T<T> R;
    store(R);
    return R;
  }
  [[gnu::always_inline]] void store(Mat3T<T>& R) const {
    a.store(R.col(0));
    b.store(R.col(1));
    c.store(R.col(2));
  }
  [[gnu::always_inline]] Columns3& operator+=(const Columns3& other) {
    a += other.a, b += other.b, c += other.c;
    return *this;
  }
  [[gnu::always_inline]] Triple<T> operator*(const Triple<T>& v) const {
    return {a.x * v.x + b.x * v.y + c.x * v.z, a.y * v.x + b.y * v.y + c.y * v.z,
            a.z * v.x + b.z * v.y + c.z * v.z};
  }
  [[gnu::always_inline]] Columns3 operator*(const Columns3& R) const {
    return {*this * R.a, *this * R.b, *this * R.c};
  }
  /// Rᵀv.
  [[gnu::always_inline]] Triple<T> transposed_times(const Triple<T>& v) const {
    return {dot(a, v), dot(b, v), dot(c, v)};
  }
};

/// A symmetric matrix by its upper triangle.
template <typename T>
struct Symmetric3 {
  T xx, xy, xz, yy, yz, zz;

  [[gnu::always_inline]] Triple<T> operator*(const Triple<T>& a) const {
    return {xx * a.x + xy * a.y + xz * a.z, xy * a.x + yy * a.y + yz * a.z,
            xz * a.x + yz * a.y + zz * a.z};
  }
  [[gnu::always_inline]] Symmetric3& operator+=(const Symmetric3& o) {
    xx += o.xx, xy += o.xy, xz += o.xz, yy += o.yy, yz += o.yz, zz += o.zz;
    return *this;
  }
  /// Takes off the upper triangle of a bᵀ, which is symmetric because b is along a.
  [[gnu::always_inline]] void subtract_outer(const Triple<T>& a, const Triple<T>& b) {
    xx -= a.x * b.x, xy -= a.x * b.y, xz -= a.x * b.z;
    yy -= a.y * b.y, yz -= a.y * b.z, zz -= a.z * b.z;
  }
};

}  // namespace kinegrad

// Rotations about the axes of a frame, and frames from two directions.
#pragma once

#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

/// The angle of the direction (c, s), analytic in both: near each half of the circle the branch of
/// atan or of its complement that is smooth there.
template <typename T>
T angle_of(const T& c, const T& s) {
  using std::atan;
  constexpr double kPi = 3.14159265358979323846;
  const double x = real_part(c), y = real_part(s);
  if (std::abs(x) >= std::abs(y)) {
    return atan(s / c) + T(x >= 0 ? 0.0 : (y >= 0 ? kPi : -kPi));
  }
  return T(y >= 0 ? kPi / 2 : -kPi / 2) - atan(c / s);
}

/// Rotation by `angle` about x: maps child axes to parent axes.
template <typename T>
Mat3T<T> rotation_x(const T& angle) {
  using std::cos;
  using std::sin;
  const T c = cos(angle), s = sin(angle);
  Mat3T<T> R;
  R << T(1), T(0), T(0), T(0), c, -s, T(0), s, c;
  return R;
}

/// Rotation by `angle` about y.
template <typename T>
Mat3T<T> rotation_y(const T& angle) {
  using std::cos;
  using std::sin;
  const T c = cos(angle), s = sin(angle);
  Mat3T<T> R;
  R << c, T(0), s, T(0), T(1), T(0), -s, T(0), c;
  return R;
}

/// Rotation by `angle` about z.
template <typename T>
Mat3T<T> rotation_z(const T& angle) {
  using std::cos;
  using std::sin;
  const T c = cos(angle), s = sin(angle);
  Mat3T<T> R;
  R << c, -s, T(0), s, c, T(0), T(0), T(0), T(1);
  return R;
}

/// Rotation by `angle` about the unit vector u: cos I + (1 − cos) uuᵀ + sin ũ.
template <typename T>
Mat3T<T> rotation_about(const Vec3T<T>& u, const T& angle) {
  using std::cos;
  using std::sin;
  const T c = cos(angle), s = sin(angle);
  Mat3T<T> R = la::skew(u) * s;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) R(i, j) += (T(1) - c) * u(i) * u(j);
    R(i, i) += c;
  }
  return R;
}

/// The right-handed frame [x y z] whose z is along `axis` and whose x is `reference` projected on
/// the plane across the axis. The axis need not be of unit length.
template <typename T>
Mat3T<T> frame_from_axis(const Vec3T<T>& axis, const Vec3T<T>& reference) {
  const Vec3T<T> z = la::normalized(axis);
  const T along = la::dot(reference, z);
  const Vec3T<T> x = la::normalized((reference - z * along).eval());
  Mat3T<T> R;
  R.col(0) = x;
  R.col(1) = la::cross(z, x);
  R.col(2) = z;
  return R;
}

}  // namespace kinegrad

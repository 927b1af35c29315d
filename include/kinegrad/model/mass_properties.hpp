// Mass, centre of mass and inertia of homogeneous solids, and how they combine
// (docs/theory/parameters.md, [M]). Templated, so that the same lines give the numbers and, run on
// symbols, their dependence on the design parameters.
#pragma once

#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/math/rotation.hpp"

namespace kinegrad {

template <typename T>
struct MassProperties {
  T mass = T(0);
  Vec3T<T> com = Vec3T<T>::Constant(T(0));      ///< in body axes
  Mat3T<T> inertia = Mat3T<T>::Constant(T(0));  ///< about the centre of mass, in body axes
};

/// cᵀc I − ccᵀ: the inertia of a unit mass at c about the origin [M-1].
template <typename T>
Mat3T<T> unit_inertia(const Vec3T<T>& c) {
  const T cc = la::squared_norm(c);
  Mat3T<T> J;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) J(i, j) = (i == j ? cc : T(0)) - c(i) * c(j);
  }
  return J;
}

/// R J Rᵀ: a tensor in other axes.
template <typename T>
Mat3T<T> rotated(const Mat3T<T>& J, const Mat3T<T>& R) {
  const Mat3T<T> RJ = R * J;
  return RJ * R.transpose();
}

template <typename T>
Mat3T<T> diagonal(const T& x, const T& y, const T& z) {
  Mat3T<T> J = Mat3T<T>::Constant(T(0));
  J(0, 0) = x;
  J(1, 1) = y;
  J(2, 2) = z;
  return J;
}

/// Two bodies as one [M-2]: J about the common centre of mass, parallel axes.
template <typename T>
MassProperties<T> combined(const MassProperties<T>& a, const MassProperties<T>& b) {
  MassProperties<T> out;
  out.mass = a.mass + b.mass;
  out.com = (a.com * a.mass + b.com * b.mass) * (T(1) / out.mass);
  const Vec3T<T> to_a = a.com - out.com, to_b = b.com - out.com;
  out.inertia = a.inertia + unit_inertia(to_a) * a.mass + b.inertia + unit_inertia(to_b) * b.mass;
  return out;
}

/// Box with edges `size`, axes R, centre c [M-3].
template <typename T>
MassProperties<T> box_mass(const Vec3T<T>& size, const Mat3T<T>& R, const Vec3T<T>& c,
                           const T& density) {
  const T m = density * size(0) * size(1) * size(2);
  const T xx = size(0) * size(0), yy = size(1) * size(1), zz = size(2) * size(2);
  const T k = m * T(1.0 / 12.0);
  return {m, c, rotated(diagonal<T>(k * (yy + zz), k * (xx + zz), k * (xx + yy)), R)};
}

template <typename T>
MassProperties<T> sphere_mass(const T& radius, const Vec3T<T>& c, const T& density) {
  constexpr double kPi = 3.14159265358979323846;
  const T m = density * T(4.0 / 3.0 * kPi) * radius * radius * radius;
  const T k = m * T(0.4) * radius * radius;
  return {m, c, diagonal<T>(k, k, k)};
}

/// a (I − uuᵀ) + b uuᵀ: a body of revolution with axis u, moment b about it and a across it.
template <typename T>
Mat3T<T> axial_inertia(const Vec3T<T>& u, const T& across, const T& about) {
  Mat3T<T> J;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) J(i, j) = (i == j ? across : T(0)) + (about - across) * u(i) * u(j);
  }
  return J;
}

/// Cylinder between two points on its axis [M-4].
template <typename T>
MassProperties<T> cylinder_mass(const Vec3T<T>& from, const Vec3T<T>& to, const T& radius,
                                const T& density) {
  constexpr double kPi = 3.14159265358979323846;
  const Vec3T<T> axis = to - from;
  const T length = la::norm(axis);
  const T rr = radius * radius;
  const T m = density * T(kPi) * rr * length;
  const T across = m * (rr * T(0.25) + length * length * T(1.0 / 12.0));
  const T about = m * rr * T(0.5);
  const Vec3T<T> u = axis * (T(1) / length);
  return {m, ((from + to) * T(0.5)).eval(), axial_inertia<T>(u, across, about)};
}

/// Capsule: a cylinder with half spheres on both ends [M-5]. A half sphere of mass h has its centre
/// of mass 3r/8 beyond the cylinder's end and the moment 83/320 h r² across its axis about it.
template <typename T>
MassProperties<T> capsule_mass(const Vec3T<T>& from, const Vec3T<T>& to, const T& radius,
                               const T& density) {
  constexpr double kPi = 3.14159265358979323846;
  const MassProperties<T> cylinder = cylinder_mass(from, to, radius, density);
  const Vec3T<T> axis = to - from;
  const T length = la::norm(axis);
  const Vec3T<T> u = axis * (T(1) / length);
  const T rr = radius * radius;
  const T ends = density * T(4.0 / 3.0 * kPi) * rr * radius;  // both half spheres
  const T arm = length * T(0.5) + radius * T(0.375);
  const T across = ends * (rr * T(83.0 / 320.0) + arm * arm);
  const T about = ends * T(0.4) * rr;
  return {cylinder.mass + ends, cylinder.com,
          (cylinder.inertia + axial_inertia<T>(u, across, about)).eval()};
}

}  // namespace kinegrad

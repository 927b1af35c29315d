// Euler parameters p = (e₀, e₁, e₂, e₃), not necessarily of unit length (docs/theory/joints.md, [EP]):
//
//   A(p) = Ē Ḡᵀ / (pᵀp)          Ē = [−ē, ẽ + e₀ I]     Ḡ = [−ē, −ẽ + e₀ I]          [EP-1]
//   ω(p, ṗ) = 2 Ē ṗ / (pᵀp)       (A maps child to parent axes; ω in parent axes)       [EP-2]
//
// With the division by pᵀp, A is orthogonal and Ȧ = ω̃ A for every p ≠ 0 and every ṗ, along p too.
#pragma once

#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

/// Ē(p), 3 × 4.
template <typename T>
Mat<T, 3, 4> euler_E(const Vec<T, 4>& p) {
  Mat<T, 3, 4> E;
  E << -p(1), p(0), -p(3), p(2),  //
      -p(2), p(3), p(0), -p(1),   //
      -p(3), -p(2), p(1), p(0);
  return E;
}

/// A(p) = ĒḠᵀ/(pᵀp) [EP-1].
template <typename T>
Mat3T<T> euler_rotation(const Vec<T, 4>& p) {
  const T s = T(1) / la::squared_norm(p);
  const T w = p(0), x = p(1), y = p(2), z = p(3);
  Mat3T<T> A;
  A << (w * w + x * x - y * y - z * z) * s, T(2) * (x * y - w * z) * s, T(2) * (x * z + w * y) * s,
      T(2) * (x * y + w * z) * s, (w * w - x * x + y * y - z * z) * s, T(2) * (y * z - w * x) * s,
      T(2) * (x * z - w * y) * s, T(2) * (y * z + w * x) * s, (w * w - x * x - y * y + z * z) * s;
  return A;
}

/// The map ω = L(p) ṗ, L = 2Ē/(pᵀp) [EP-2].
template <typename T>
Mat<T, 3, 4> euler_rate_map(const Vec<T, 4>& p) {
  return euler_E(p) * (T(2) / la::squared_norm(p));
}

/// L̇ along ṗ: with s = pᵀp, L̇ = (2/s) Ē(ṗ) − (ṡ/s) L, ṡ = 2pᵀṗ [EP-3].
template <typename T>
Mat<T, 3, 4> euler_rate_map_dot(const Vec<T, 4>& p, const Vec<T, 4>& pdot) {
  const T s = la::squared_norm(p);
  const T sdot = T(2) * la::dot(p, pdot);
  return (euler_E(pdot) * T(2) - euler_rate_map(p) * sdot) * (T(1) / s);
}

/// L̈ along (ṗ, p̈): s L = 2Ē twice differentiated, L̈ = (2Ē(p̈) − 2ṡ L̇ − s̈ L)/s [EP-4].
template <typename T>
Mat<T, 3, 4> euler_rate_map_ddot(const Vec<T, 4>& p, const Vec<T, 4>& pdot,
                                 const Vec<T, 4>& pddot) {
  const T s = la::squared_norm(p);
  const T sdot = T(2) * la::dot(p, pdot);
  const T sddot = T(2) * (la::squared_norm(pdot) + la::dot(p, pddot));
  return (euler_E(pddot) * T(2) - euler_rate_map_dot(p, pdot) * (T(2) * sdot) -
          euler_rate_map(p) * sddot) *
         (T(1) / s);
}

/// Unit Euler parameters of a rotation matrix, e₀ ≥ 0 where e₀ is the pivot. The pivot is the
/// largest of the four by real part, so the division is safe and the branch fixed near A.
template <typename T>
Vec<T, 4> euler_parameters(const Mat3T<T>& A) {
  using std::sqrt;
  const T squares[4] = {T(1) + A(0, 0) + A(1, 1) + A(2, 2), T(1) + A(0, 0) - A(1, 1) - A(2, 2),
                        T(1) - A(0, 0) + A(1, 1) - A(2, 2), T(1) - A(0, 0) - A(1, 1) + A(2, 2)};
  int pivot = 0;
  for (int k = 1; k < 4; ++k) {
    if (real_part(squares[k]) > real_part(squares[pivot])) pivot = k;
  }
  const T e = sqrt(squares[pivot]) * T(0.5);
  const T f = T(0.25) / e;
  const T wx = (A(2, 1) - A(1, 2)) * f, wy = (A(0, 2) - A(2, 0)) * f, wz = (A(1, 0) - A(0, 1)) * f;
  const T xy = (A(0, 1) + A(1, 0)) * f, xz = (A(0, 2) + A(2, 0)) * f, yz = (A(1, 2) + A(2, 1)) * f;
  switch (pivot) {
    case 0: return {e, wx, wy, wz};
    case 1: return {wx, e, xy, xz};
    case 2: return {wy, xy, e, yz};
    default: return {wz, xz, yz, e};
  }
}

}  // namespace kinegrad

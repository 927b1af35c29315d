// The rotation vector φ of a rotation matrix, and how its rate follows from the angular velocity
// (docs/theory/forces.md, [BU]). With v = ½ vee(R − Rᵀ) = sin θ·axis and c = ½(tr R − 1) = cos θ:
//
//   φ = (θ/s) v,   s = |v|,   θ = 2 atan(s/(1 + c))                                               [BU-1]
//   φ̇ = B ω,   B = 1 − ½φ~ + b φ~²,   b = (1 − (θ/2) cot(θ/2))/θ²,   Ṙ = ω~R                       [BU-2]
//
// for turns below half a turn. Both θ/s and b are series where the turn is small, so that every scalar type
// goes through zero.
#pragma once

#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

/// [BU-1].
template <typename T>
Vec3T<T> rotation_vector(const Mat3T<T>& R) {
  using std::atan;
  using std::sqrt;
  const Vec3T<T> v((R(2, 1) - R(1, 2)) * T(0.5), (R(0, 2) - R(2, 0)) * T(0.5),
                   (R(1, 0) - R(0, 1)) * T(0.5));
  const T c = (R(0, 0) + R(1, 1) + R(2, 2) - T(1)) * T(0.5);
  const T s2 = la::squared_norm(v);
  const T half2 = s2 / ((T(1) + c) * (T(1) + c));  // tan²(θ/2)
  // atan(t)/t; the first term left out is t¹⁰/11
  if (real_part(half2) < 2.5e-4 && real_part(c) > 0) {
    const T ratio =
        T(1) - half2 * (T(1.0 / 3) - half2 * (T(0.2) - half2 * (T(1.0 / 7) - half2 * T(1.0 / 9))));
    return v * (T(2) / (T(1) + c) * ratio);
  }
  const T s = sqrt(s2);
  return v * (T(2) * atan(s / (T(1) + c)) / s);
}

/// B of [BU-2].
template <typename T>
Mat3T<T> rotation_vector_rate(const Vec3T<T>& phi) {
  using std::sqrt;
  using std::tan;
  const T x = la::squared_norm(phi);
  T b;
  if (real_part(x) < 1e-2) {  // the first term left out is θ⁸/47900160
    b = T(1.0 / 12) + x * (T(1.0 / 720) + x * (T(1.0 / 30240) + x * T(1.0 / 1209600)));
  } else {
    const T half = sqrt(x) * T(0.5);
    b = (T(1) - half / tan(half)) / x;
  }
  const Mat3T<T> cross = la::skew(phi);
  Mat3T<T> B = cross * cross * b - cross * T(0.5);
  for (int i = 0; i < 3; ++i) B(i, i) += T(1);
  return B;
}

}  // namespace kinegrad

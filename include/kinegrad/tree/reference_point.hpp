// The point a body's spatial quantities are taken at: its centre of mass, or the world origin
// (docs/theory/dynamics.md, [D-2]). The recursions are the same; only the shift between a body and
// its parent differs, and at the world origin there is none.
#pragma once

#include <string_view>

#include "kinegrad/math/spatial.hpp"

namespace kinegrad {

enum class ReferencePoint {
  kCom,     ///< joint-com: small numbers, a shift per joint
  kOrigin,  ///< joint-origin: no shifts, loses digits with the square of the distance
};

constexpr std::string_view coordinate_set_name(ReferencePoint point) {
  return point == ReferencePoint::kCom ? "joint-com" : "joint-origin";
}

/// A motion [ω; v] at a point, taken at the point d further on: v + ω×d.
template <typename T>
void shift_motion(Twist<T>& V, const Vec3T<T>& d) {
  V.template tail<3>() += la::cross(V.template head<3>(), d);
}

/// A force [n; f] at a point d further on, taken back: n + d×f.
template <typename T>
void shift_force_back(Twist<T>& F, const Vec3T<T>& d) {
  F.template head<3>() += la::cross(d, F.template tail<3>());
}

/// XᵀIX with X = [1 0; −d̃ 1]: an inertia at a point d further on, taken back.
template <typename T>
void shift_inertia_back(Mat<T, 6, 6>& I, const Vec3T<T>& d) {
  // columns: left −= right d̃, that is left_k −= right·(d̃ column k)
  for (int i = 0; i < 6; ++i) {
    const T x = I(i, 3), y = I(i, 4), z = I(i, 5);
    I(i, 0) -= y * d(2) - z * d(1);
    I(i, 1) -= z * d(0) - x * d(2);
    I(i, 2) -= x * d(1) - y * d(0);
  }
  // rows: top += d̃ bottom
  for (int j = 0; j < 6; ++j) {
    const T x = I(3, j), y = I(4, j), z = I(5, j);
    I(0, j) += d(1) * z - d(2) * y;
    I(1, j) += d(2) * x - d(0) * z;
    I(2, j) += d(0) * y - d(1) * x;
  }
}

}  // namespace kinegrad

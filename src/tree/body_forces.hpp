// What a moving body wants at its reference point, by halves [D-5]. At a centre of mass h = 0.
#pragma once

#include "kinegrad/tree/halves.hpp"
#include "kinegrad/tree/reference_point.hpp"
#include "kinegrad/tree/rigid_inertia.hpp"

namespace kinegrad {

/// I X [D-3].
template <ReferencePoint Point, typename T>
[[gnu::always_inline]] inline Halves<T> momentum(const RigidInertia<T>& I, const Halves<T>& X) {
  const Symmetric3<T> J{I.J(0, 0), I.J(0, 1), I.J(0, 2), I.J(1, 1), I.J(1, 2), I.J(2, 2)};
  if constexpr (Point == ReferencePoint::kCom) {
    return {J * X.w, X.v * I.m};
  } else {
    const Triple<T> h(I.h);
    return {J * X.w + cross(h, X.v), X.v * I.m - cross(h, X.w)};
  }
}

/// V×*(I V).
template <ReferencePoint Point, typename T>
[[gnu::always_inline]] inline Halves<T> gyroscopic_force(const RigidInertia<T>& I,
                                                         const Halves<T>& V) {
  const Halves<T> h = momentum<Point>(I, V);
  if constexpr (Point == ReferencePoint::kCom) {  // v×mv = 0
    return {cross(V.w, h.w), cross(V.w, h.v)};
  } else {
    return {cross(V.w, h.w) + cross(V.v, h.v), cross(V.w, h.v)};
  }
}

}  // namespace kinegrad

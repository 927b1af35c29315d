// What friction laws have in common (docs/theory/friction.md, [FL]). A law tells what a sliding velocity v of D numbers (2 in a
// contact, 1 along a joint) makes of a normal force N, with states of its own: bristles w and what else it remembers,
//
//   f = −N φ(v, z),      ż = g(v, z),      z = (w, …)                                               [FL-1]
//
// Everything is per unit of normal force, so that the states stay regular where a contact opens. A law is a struct
// without data: its name, how many states it has, and one function templated on the scalar.
#pragma once

#include <cmath>
#include <string_view>

#include "kinegrad/math/scalar.hpp"

namespace kinegrad::friction {

/// States of a law with the most of them.
template <int D>
inline constexpr int kStates = D + 1;

/// Below this part of v_s a speed counts as none where it divides.
inline constexpr double kRest = 1e-2;

/// What the laws read, in this order; 0 stands for the value that is said beside it.
template <typename T>
struct Numbers {
  T sliding;    ///< μ_d
  T sticking;   ///< μ_s: as sliding
  T slip;       ///< v_s
  T rest;       ///< v_0 of Ambrósio
  T viscous;    ///< σ₂, s/m
  T stiffness;  ///< σ₀ of bristles, 1/m
  T damping;    ///< σ₁ of bristles, s/m
  T dwell;      ///< τ of Gonthier's memory and of the relaxation of open contacts, s
};

template <int D, typename T>
struct Input {
  Vec<T, D> v;
  Vec<T, kStates<D>> z;
  T closed;  ///< 1 where the contact is closed, 0 where it is open, smooth between
};

/// φ and g of [FL-1].
template <int D, typename T>
struct Output {
  Vec<T, D> phi = Vec<T, D>::Constant(T(0));
  Vec<T, kStates<D>> rate = Vec<T, kStates<D>>::Constant(T(0));
};

/// What bristles σ₀w carry of a limit, both per unit of normal force.
template <int D>
double part_of(const Eigen::Ref<const VecX>& z, double stiffness, double limit) {
  return stiffness * z.head(D).norm() / limit;
}

template <int D, typename T>
T square_of(const Vec<T, D>& v) {
  T sum = v(0) * v(0);
  for (int i = 1; i < D; ++i) sum = sum + v(i) * v(i);
  return sum;
}

}  // namespace kinegrad::friction

// The law of a spring and damper on one joint coordinate, an angle or a length
// (docs/theory/forces.md, [CS]):
//
//   e = −k (q − q₀) − c q̇            V = ½ k (q − q₀)²
//   e_q = −k      e_q̇ = −c      e_k = −(q − q₀)      e_c = −q̇      e_q₀ = k
//
// F has the attributes k, c, q₀ in this order.
#pragma once

#include "kinegrad/forces/force_concept.hpp"

namespace kinegrad {

template <typename F>
struct CoordinateSpring {
  static constexpr PortKind port = PortKind::kJointCoordinate;

  template <typename T>
  static Vec<T, 1> effort(const ForceInput<F, T>& in) {
    return Vec<T, 1>(-in.p(0) * (in.x(0) - in.p(2)) - in.p(1) * in.xdot(0));
  }
  static void partials(const ForceInput<F, double>& in, ForceStructPartials<F>& out) {
    out.e_x(0, 0) = -in.p(0);
    out.e_xdot(0, 0) = -in.p(1);
    out.e_t(0) = 0;
    out.e_p(0, 0) = -(in.x(0) - in.p(2));
    out.e_p(0, 1) = -in.xdot(0);
    out.e_p(0, 2) = in.p(0);
  }
  template <typename T>
  static T energy(const ForceInput<F, T>& in) {
    const T stretch = in.x(0) - in.p(2);
    return T(0.5) * in.p(0) * stretch * stretch;
  }
};

}  // namespace kinegrad

// Spring and damper on one joint coordinate (docs/theory/forces.md, [TSD]):
//
//   τ = −k (q − q₀) − c q̇            V = ½ k (q − q₀)²
//
// Linear in q without wrapping: a full turn winds the spring.
#pragma once

#include "kinegrad/forces/force_concept.hpp"

namespace kinegrad {

struct TorsionalSpringDamper {
  static constexpr std::string_view name = "torsional-spring-damper";
  static constexpr std::string_view summary = "linear spring and damper on a joint coordinate";
  static constexpr PortKind port = PortKind::kJointCoordinate;
  static constexpr bool angles_only = true;
  static constexpr std::array<AttributeInfo, 3> attributes{
      {{"stiffness", "N m/rad", 1, true, "torque per unit of angle"},
       {"damping", "N m s/rad", 1, false, "torque per unit of angular speed"},
       {"angle", "rad", 1, false, "angle of rest"}}};

  /// τ = −k (q − q₀) − c q̇.
  template <typename T>
  static Vec<T, 1> effort(const ForceInput<TorsionalSpringDamper, T>& in) {
    return Vec<T, 1>(-in.p(0) * (in.x(0) - in.p(2)) - in.p(1) * in.xdot(0));
  }
  static void partials(const ForceInput<TorsionalSpringDamper, double>& in,
                       ForceStructPartials<TorsionalSpringDamper>& out) {
    out.e_x(0, 0) = -in.p(0);
    out.e_xdot(0, 0) = -in.p(1);
    out.e_t(0) = 0;
    out.e_p(0, 0) = -(in.x(0) - in.p(2));
    out.e_p(0, 1) = -in.xdot(0);
    out.e_p(0, 2) = in.p(0);
  }
  /// V = ½ k (q − q₀)².
  template <typename T>
  static T energy(const ForceInput<TorsionalSpringDamper, T>& in) {
    const T angle = in.x(0) - in.p(2);
    return T(0.5) * in.p(0) * angle * angle;
  }
};

}  // namespace kinegrad

// What a field given by expressions does to one body (docs/theory/forces.md, [GF-2]): a force f on its
// centre of mass, and its energy U there. No file names it.
//
//   e = f        V = U        V̇ = s (−fᵀẋ) + U_t
//
// f, U and its partial rate U_t are outputs of the tape of the forces; s is 1 where f = −∂U/∂x and 0 where the
// field has no potential, so that all it does is work.
#pragma once

#include "kinegrad/forces/force_concept.hpp"

namespace kinegrad {

struct FieldForce {
  static constexpr std::string_view name = "gravity-field";
  static constexpr std::string_view summary = "force of a field on one body";
  static constexpr PortKind port = PortKind::kBodyPoint;
  static constexpr std::array<AttributeInfo, 4> attributes{
      {{"force", "N", 3, true, "on the centre of mass", true},
       {"potential", "J", 1, true, "potential energy of the body", true},
       {"potential_rate", "W", 1, true, "its rate at a fixed place", true},
       {"conservative", "1", 1, true, "1 where the force is minus the slope of the potential"}}};

  template <typename T>
  static Vec<T, 3> effort(const ForceInput<FieldForce, T>& in) {
    return in.p.template head<3>();
  }
  static void partials(const ForceInput<FieldForce, double>&,
                       ForceStructPartials<FieldForce>& out) {
    out.e_x.setZero();
    out.e_xdot.setZero();
    out.e_t.setZero();
    out.e_p.setZero();
    out.e_p.leftCols<3>().setIdentity();
  }
  template <typename T>
  static T energy(const ForceInput<FieldForce, T>& in) {
    return in.p(3);
  }
  static double energy_rate(const ForceInput<FieldForce, double>& in) {
    return in.p(4) - in.p(5) * in.p.head<3>().dot(in.xdot);  // holomorphic: double only
  }
};

}  // namespace kinegrad

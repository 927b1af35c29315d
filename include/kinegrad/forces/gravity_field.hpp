// A field of gravity given by expressions of the place (docs/theory/forces.md, [GF]): a potential per unit
// mass, or an acceleration. The model turns it into one FieldForce on the centre of mass of every body,
// because each body has its own place.
#pragma once

#include "kinegrad/forces/force_concept.hpp"

namespace kinegrad {

struct GravityField {
  static constexpr std::string_view name = "gravity-field";
  static constexpr std::string_view summary =
      "acceleration or potential as expressions of the place x, y, z";
  static constexpr PortKind port = PortKind::kField;
  static constexpr std::array<AttributeInfo, 2> attributes{
      {{"potential", "J/kg", 1, false,
        "potential energy per unit mass, an expression of x, y, z, t and parameters", true},
       {"acceleration", "m/s^2", 3, false,
        "acceleration of a body left to fall, expressions of x, y, z, t, parameters and the motion",
        true}}};

  /// The acceleration.
  template <typename T>
  static Vec<T, 3> effort(const ForceInput<GravityField, T>& in) {
    return in.p.template tail<3>();
  }
  static void partials(const ForceInput<GravityField, double>&,
                       ForceStructPartials<GravityField>& out) {
    out.e_x.setZero();
    out.e_xdot.setZero();
    out.e_t.setZero();
    out.e_p.setZero();
    out.e_p.rightCols<3>().setIdentity();
  }
};

}  // namespace kinegrad

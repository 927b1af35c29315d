// Gravity: a uniform field of force per unit mass (docs/theory/forces.md, [G]).
//
//   e = g        V/m = −gᵀx, x the centre of mass
#pragma once

#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

struct Gravity {
  static constexpr std::string_view name = "gravity";
  static constexpr std::string_view summary = "uniform acceleration on every body";
  static constexpr PortKind port = PortKind::kField;
  static constexpr bool uniform = true;
  static constexpr std::array<AttributeInfo, 1> attributes{
      {{"acceleration", "m/s^2", 3, true, "acceleration of a body left to fall, in world axes"}}};

  /// e = g.
  template <typename T>
  static Vec<T, 3> effort(const ForceInput<Gravity, T>& in) {
    return in.p;
  }
  static void partials(const ForceInput<Gravity, double>&, ForceStructPartials<Gravity>& out) {
    out.e_x.setZero();
    out.e_xdot.setZero();
    out.e_t.setZero();
    out.e_p.setIdentity();
  }
  /// Potential energy per unit mass, −gᵀx: zero at the origin of the world.
  template <typename T>
  static T energy(const ForceInput<Gravity, T>& in) {
    return -la::dot(in.p, in.x);
  }
};

}  // namespace kinegrad

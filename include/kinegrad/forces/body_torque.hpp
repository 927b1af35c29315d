// A torque on a body (docs/theory/forces.md, [BT]): e = n, in world axes or in the body's
// own. Its components may be expressions of time, splines and signals.
#pragma once

#include "kinegrad/forces/force_concept.hpp"

namespace kinegrad {

struct BodyTorque {
  static constexpr std::string_view name = "body-torque";
  static constexpr std::string_view summary = "torque on a body";
  static constexpr PortKind port = PortKind::kBody;
  static constexpr std::array<AttributeInfo, 1> attributes{
      {{"torque", "N m", 3, true, "the torque; may depend on time and signals", true}}};

  template <typename T>
  static Vec<T, 3> effort(const ForceInput<BodyTorque, T>& in) {
    return in.p;
  }
  static void partials(const ForceInput<BodyTorque, double>&,
                       ForceStructPartials<BodyTorque>& out) {
    out.e_x.setZero();
    out.e_xdot.setZero();
    out.e_t.setZero();
    out.e_p.setIdentity();
  }
};

}  // namespace kinegrad

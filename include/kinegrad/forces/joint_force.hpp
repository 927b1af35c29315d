// A force or torque in a joint (docs/theory/forces.md, [JF]): e = u on one coordinate, with its
// reaction on the other body. The value may be an expression of time, splines and signals.
#pragma once

#include "kinegrad/forces/force_concept.hpp"

namespace kinegrad {

struct JointForce {
  static constexpr std::string_view name = "joint-force";
  static constexpr std::string_view summary = "force or torque on a joint coordinate";
  static constexpr PortKind port = PortKind::kJointCoordinate;
  static constexpr std::array<AttributeInfo, 1> attributes{
      {{"value", "N or N m", 1, true,
        "the force or torque; may depend on time, signals and reactions", true, true}}};

  template <typename T>
  static Vec<T, 1> effort(const ForceInput<JointForce, T>& in) {
    return in.p;
  }
  static void partials(const ForceInput<JointForce, double>&,
                       ForceStructPartials<JointForce>& out) {
    out.e_x.setZero();
    out.e_xdot.setZero();
    out.e_t.setZero();
    out.e_p.setIdentity();
  }
};

}  // namespace kinegrad

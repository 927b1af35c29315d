// A force on a point of a body (docs/theory/forces.md, [PF]): e = f, in world axes or in the body's
// own. Its components may be expressions of time, splines and signals.
#pragma once

#include "kinegrad/forces/force_concept.hpp"

namespace kinegrad {

struct PointForce {
  static constexpr std::string_view name = "point-force";
  static constexpr std::string_view summary = "force on a point of a body";
  static constexpr PortKind port = PortKind::kBodyPoint;
  static constexpr std::array<AttributeInfo, 1> attributes{
      {{"force", "N", 3, true, "the force; may depend on time and signals", true}}};

  template <typename T>
  static Vec<T, 3> effort(const ForceInput<PointForce, T>& in) {
    return in.p;
  }
  static void partials(const ForceInput<PointForce, double>&,
                       ForceStructPartials<PointForce>& out) {
    out.e_x.setZero();
    out.e_xdot.setZero();
    out.e_t.setZero();
    out.e_p.setIdentity();
  }
};

}  // namespace kinegrad

// A force along the line of two points (docs/theory/forces.md, [AC]): e = F u with u = d/|d|, positive where it
// pushes the points apart. F may be an expression of time, splines and signals, a controller's output among
// them.
//
//   e_d = (F/l)(I − uuᵀ)      e_F = u
#pragma once

#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

struct Actuator {
  static constexpr std::string_view name = "actuator";
  static constexpr std::string_view summary = "force along the line of two points";
  static constexpr PortKind port = PortKind::kPointPair;
  static constexpr std::array<AttributeInfo, 1> attributes{
      {{"force", "N", 1, true, "pushes the points apart; may depend on time and signals", true}}};

  template <typename T>
  static Vec<T, 3> effort(const ForceInput<Actuator, T>& in) {
    return in.x * (in.p(0) / la::norm(in.x));
  }
  static void partials(const ForceInput<Actuator, double>& in, ForceStructPartials<Actuator>& out) {
    const double l = in.x.norm();
    const Vec3 u = in.x / l;
    out.e_x = (in.p(0) / l) * (Mat3::Identity() - u * u.transpose());
    out.e_xdot.setZero();
    out.e_t.setZero();
    out.e_p.col(0) = u;
  }
};

}  // namespace kinegrad

// A point has no velocity along a direction: a skate, a blade, a wheel that does not slip sideways
// [C-14]:
//
//   Φ̇ = u·ṙ
//
// ṙ is the velocity in the world. u is a direction of length 1, commonly across the blade on the
// blade's own body, or the segment r₂ − r₁ between two points, as long as it is.
#pragma once

#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/model/constraint_type.hpp"

namespace kinegrad {

struct KnifeEdge {
  static constexpr std::string_view name = "knife-edge";
  static constexpr std::string_view summary = "a point has no velocity along a direction";
  static constexpr std::array<ConstraintField, 3> fields{
      {{"point", ConstraintField::Kind::kPoint, "The point."},
       {"direction", ConstraintField::Kind::kDirection, "Where it does not move.", "", false},
       {"segment", ConstraintField::Kind::kPoints, "Two points instead of the direction.", "",
        false}}};

  static void write(ConstraintWriter& writer) {
    if (writer.has("direction") == writer.has("segment")) {
      writer.refuse("needs a direction or a segment, not both");
    }
    const Vec3T<Symbol> rdot = writer.motion(writer.point("point"), 1);
    Vec3T<Symbol> u;
    if (writer.has("direction")) {
      u = writer.motion(writer.unit_direction("direction"), 0);
    } else {
      u = writer.motion(writer.point("segment", 1), 0) - writer.motion(writer.point("segment"), 0);
    }
    writer.nonholonomic(la::dot(u, rdot));
  }
};

}  // namespace kinegrad

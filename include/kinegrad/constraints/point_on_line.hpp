// A point stays on a line of a body: a pin in a slot, a bead on a straight wire [C-9]:
//
//   d = r − r₀,   Φ = d·e₁, d·e₂,   e₁, e₂ ⊥ the line, fixed on its body
#pragma once

#include "kinegrad/model/constraint_type.hpp"

namespace kinegrad {

struct PointOnLine {
  static constexpr std::string_view name = "point-on-line";
  static constexpr std::string_view summary = "a point stays on a line of a body";
  static constexpr std::array<ConstraintField, 3> fields{
      {{"point", ConstraintField::Kind::kPoint, "The point."},
       {"through", ConstraintField::Kind::kPoint, "A point of the line."},
       {"along", ConstraintField::Kind::kDirection, "Direction of the line, on the same body."}}};

  static void write(ConstraintWriter& writer) {
    const WorldVector d{writer.point("point"), writer.point("through")};
    const int along = writer.unit_direction("along");
    if (writer.body(along) != writer.body(d.minus)) {
      writer.refuse("\"through\" and \"along\" are not on the same body");
    }
    for (const int e : writer.perpendicular(along, "across")) {
      writer.holonomic({{ConstraintTerm::Product::kDot, d, {e, -1}, 0, 1}});
    }
  }
};

}  // namespace kinegrad

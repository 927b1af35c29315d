// A point stays at a height above a plane of a body [C-12]:
//
//   d = r − r₀,   Φ = d·n − h(t),   n of length 1
#pragma once

#include "kinegrad/model/constraint_type.hpp"

namespace kinegrad {

struct PointOnPlane {
  static constexpr std::string_view name = "point-on-plane";
  static constexpr std::string_view summary = "a point stays on a plane of a body";
  static constexpr std::array<ConstraintField, 4> fields{
      {{"point", ConstraintField::Kind::kPoint, "The point."},
       {"through", ConstraintField::Kind::kPoint, "A point of the plane."},
       {"normal", ConstraintField::Kind::kDirection, "Normal of the plane, on the same body."},
       {"offset", ConstraintField::Kind::kNumber,
        "Height above the plane, may vary with time; 0 if not given.", "m", false}}};

  static void write(ConstraintWriter& writer) {
    const WorldVector d{writer.point("point"), writer.point("through")};
    const WorldVector n{writer.unit_direction("normal"), -1};
    if (writer.body(n.plus) != writer.body(d.minus)) {
      writer.refuse("\"through\" and \"normal\" are not on the same body");
    }
    const Symbol h = writer.has("offset") ? writer.number("offset") : Symbol(0);
    writer.holonomic({{ConstraintTerm::Product::kDot, d, n, 0, 1}}, -h);
  }
};

}  // namespace kinegrad

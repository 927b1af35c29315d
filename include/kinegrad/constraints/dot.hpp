// The dot product of two directions has a value; they stay perpendicular if none is given [C-9]:
//
//   Φ = u·v − c(t)
//
// u and v are as long as the file gives them, so c = |u| |v| cos of their angle. Near parallel
// directions the row loses its slope; an angle about an axis is `angle`.
#pragma once

#include "kinegrad/model/constraint_type.hpp"

namespace kinegrad {

struct Dot {
  static constexpr std::string_view name = "dot";
  static constexpr std::string_view summary = "the dot product of two directions has a value";
  static constexpr std::array<ConstraintField, 2> fields{
      {{"directions", ConstraintField::Kind::kDirections, "The two directions."},
       {"value", ConstraintField::Kind::kNumber,
        "Their dot product, may vary with time; 0 if not given.", "", false}}};

  static void write(ConstraintWriter& writer) {
    const WorldVector u{writer.direction("directions", 0), -1};
    const WorldVector v{writer.direction("directions", 1), -1};
    const Symbol c = writer.has("value") ? writer.number("value") : Symbol(0);
    writer.holonomic({{ConstraintTerm::Product::kDot, u, v, 0, 1}}, -c);
  }
};

}  // namespace kinegrad

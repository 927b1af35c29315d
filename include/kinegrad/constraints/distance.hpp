// Two points stay a given length apart, like the ends of a massless rod [C-6]:
//
//   d = r₂ − r₁,   Φ = ½ (d·d − L(t)²)
//
// The half makes the multiplier a force per length: the rod pulls with λ d. At L = 0 the row has no
// slope; that constraint is `coincident`.
#pragma once

#include "kinegrad/model/constraint_type.hpp"

namespace kinegrad {

struct Distance {
  static constexpr std::string_view name = "distance";
  static constexpr std::string_view summary = "two points stay a length apart";
  static constexpr std::array<ConstraintField, 2> fields{
      {{"points", ConstraintField::Kind::kPoints, "The two points."},
       {"length", ConstraintField::Kind::kNumber, "Their distance; may vary with time.", "m", true,
        true}}};

  static void write(ConstraintWriter& writer) {
    const WorldVector d{writer.point("points", 1), writer.point("points", 0)};
    const Symbol L = writer.number("length");
    writer.holonomic({{ConstraintTerm::Product::kDot, d, d, 0, 0.5}}, Symbol(-0.5) * L * L);
  }
};

}  // namespace kinegrad

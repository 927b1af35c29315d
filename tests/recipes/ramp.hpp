// The constraint of docs/howto/add_a_constraint.md.
#pragma once

#include "kinegrad/constraints/constraint_concept.hpp"

namespace kinegrad {

struct Ramp {
  static constexpr std::string_view name = "ramp";
  static constexpr std::string_view summary = "a point climbs as a coordinate turns";
  static constexpr std::array<ConstraintField, 4> fields{
      {{"point", ConstraintField::Kind::kPoint, "The point that climbs."},
       {"normal", ConstraintField::Kind::kDirection, "Upwards."},
       {"coordinate", ConstraintField::Kind::kCoordinate, "What turns, such as J.q."},
       {"slope", ConstraintField::Kind::kNumber, "Climb per unit of it.", "m/rad"}}};

  static void write(ConstraintWriter& writer) {
    const WorldVector r{writer.point("point"), -1};
    const WorldVector n{writer.unit_direction("normal"), -1};
    const Symbol h = writer.number("slope") * writer.coordinate("coordinate");
    writer.holonomic({{ConstraintTerm::Product::kDot, r, n, 0, 1}}, -h);  // Φ = n·r − h
  }
};

}  // namespace kinegrad

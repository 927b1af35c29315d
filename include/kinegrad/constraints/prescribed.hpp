// A coordinate follows a function of time: a motor that never slips, a shaken support [C-12]:
//
//   Φ = x − f(t)
//
// x is a joint coordinate or a component of a point. f is in degrees, in a model that is, if x is an
// angle.
#pragma once

#include "kinegrad/model/constraint_type.hpp"

namespace kinegrad {

struct Prescribed {
  static constexpr std::string_view name = "prescribed";
  static constexpr std::string_view summary = "a coordinate follows a function of time";
  static constexpr std::array<ConstraintField, 2> fields{
      {{"coordinate", ConstraintField::Kind::kCoordinate, "A coordinate such as J.q or P.x."},
       {"value", ConstraintField::Kind::kNumber, "Its value: an expression or spline of t."}}};

  static void write(ConstraintWriter& writer) {
    const Symbol x = writer.coordinate("coordinate");
    const Symbol f = writer.is_angle("coordinate") ? writer.angle("value") : writer.number("value");
    writer.holonomic({}, x - f);
  }
};

}  // namespace kinegrad

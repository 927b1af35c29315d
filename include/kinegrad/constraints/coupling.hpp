// Coordinates in a fixed proportion: gears, belts, a rack and its pinion [C-13]:
//
//   Φ = Σ a_k x_k − c(t)
//
// x_k are joint coordinates or components of points. c is in degrees, in a model that is, if all x_k
// are angles.
#pragma once

#include "kinegrad/model/constraint_type.hpp"

namespace kinegrad {

struct Coupling {
  static constexpr std::string_view name = "coupling";
  static constexpr std::string_view summary = "a linear combination of coordinates has a value";
  static constexpr std::array<ConstraintField, 3> fields{
      {{"coordinates", ConstraintField::Kind::kCoordinates, "Coordinates such as J.q or P.x."},
       {"factors", ConstraintField::Kind::kNumbers, "One factor for each of them."},
       {"value", ConstraintField::Kind::kNumber,
        "Value of the combination, may vary with time; 0 if not given.", "", false}}};

  static void write(ConstraintWriter& writer) {
    const int n = writer.count("coordinates");
    if (writer.count("factors") != n) writer.refuse("needs one factor for each coordinate");
    Symbol sum(0);
    bool angles = true;
    for (int k = 0; k < n; ++k) {
      sum += writer.number("factors", k) * writer.coordinate("coordinates", k);
      angles = angles && writer.is_angle("coordinates", k);
    }
    if (writer.has("value")) sum -= angles ? writer.angle("value") : writer.number("value");
    writer.holonomic({}, sum);
  }
};

}  // namespace kinegrad

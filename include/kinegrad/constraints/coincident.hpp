// Two points stay together [C-5]:
//
//   Φ = r₂ − r₁, three rows
#pragma once

#include "kinegrad/model/constraint_type.hpp"

namespace kinegrad {

struct Coincident {
  static constexpr std::string_view name = "coincident";
  static constexpr std::string_view summary = "two points stay together";
  static constexpr std::array<ConstraintField, 1> fields{
      {{"points", ConstraintField::Kind::kPoints, "The two points."}}};

  static void write(ConstraintWriter& writer) {
    const WorldVector d{writer.point("points", 1), writer.point("points", 0)};
    for (int k = 0; k < 3; ++k) {
      writer.holonomic({{ConstraintTerm::Product::kComponent, d, {}, k, 1}});
    }
  }
};

}  // namespace kinegrad

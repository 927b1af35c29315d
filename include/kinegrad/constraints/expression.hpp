// Any equation of positions [C-13]:
//
//   Φ = E(t, q, points, directions; p)
#pragma once

#include "kinegrad/model/constraint_type.hpp"

namespace kinegrad {

struct ExpressionConstraint {
  static constexpr std::string_view name = "expression";
  static constexpr std::string_view summary = "an expression of coordinates, points and t is zero";
  static constexpr std::array<ConstraintField, 1> fields{
      {{"expression", ConstraintField::Kind::kExpression,
        "What is zero, such as P.y - 0.1*P.x^2 or A.q - B.q^2."}}};

  static void write(ConstraintWriter& writer) {
    writer.holonomic({}, writer.expression("expression"));
  }
};

}  // namespace kinegrad

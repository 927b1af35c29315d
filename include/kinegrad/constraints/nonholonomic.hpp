// Any equation that is linear in the rates [C-3]:
//
//   Φ̇ = A(t, q, points; p) ẋ + a₀(t, q, points; p)
//
// with ẋ the speeds of joints (J.v) and the velocities of points and directions (P.vx).
#pragma once

#include "kinegrad/model/constraint_type.hpp"

namespace kinegrad {

struct Nonholonomic {
  static constexpr std::string_view name = "nonholonomic";
  static constexpr std::string_view summary = "an expression linear in rates is zero";
  static constexpr std::array<ConstraintField, 1> fields{
      {{"expression", ConstraintField::Kind::kExpression,
        "What is zero, such as sin(H.q)*P.vx - cos(H.q)*P.vy."}}};

  static void write(ConstraintWriter& writer) {
    writer.nonholonomic(writer.expression("expression"));
  }
};

}  // namespace kinegrad

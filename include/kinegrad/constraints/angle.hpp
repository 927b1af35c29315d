// The angle from one direction to another, about an axis fixed with the first [C-8]:
//
//   Φ = cos φ(t) (w×u)·v − sin φ(t) u·v,   u, v, w of length 1, u ⊥ w on one body
//
// With v at the angle ψ from u about w, Φ = sin(ψ − φ): the slope is 1 at every angle, where that of
// u·v = cos φ vanishes at 0 and π. Where v leans out of the plane of ψ by an angle θ, Φ is cos θ
// times that, and ψ the angle of its projection. Φ has a second zero half a turn away, which a
// motion never meets if it starts near the first.
#pragma once

#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/model/constraint_type.hpp"

namespace kinegrad {

struct Angle {
  static constexpr std::string_view name = "angle";
  static constexpr std::string_view summary =
      "the angle between two directions about an axis has a value";
  static constexpr std::array<ConstraintField, 3> fields{
      {{"directions", ConstraintField::Kind::kDirections, "The angle is from the first."},
       {"axis", ConstraintField::Kind::kDirection,
        "Axis of the angle, on the first one's body and perpendicular to it."},
       {"value", ConstraintField::Kind::kNumber, "The angle; may vary with time.", "rad"}}};

  static void write(ConstraintWriter& writer) {
    const int u = writer.unit_direction("directions", 0);
    const int v = writer.unit_direction("directions", 1);
    const int w = writer.unit_direction("axis");
    if (writer.body(w) != writer.body(u)) {
      writer.refuse("its axis is not on the body of the first direction");
    }
    const Vec3T<Symbol> e_u = writer.in_body(u), e_w = writer.in_body(w);
    constexpr double kRounded = 1e-6;  // of numbers printed in a file
    const double cosine = la::dot(e_u, e_w).value();
    if (!(cosine < kRounded && cosine > -kRounded)) {
      writer.refuse("its axis is not perpendicular to the first direction");
    }
    const int across = writer.fixed_direction(writer.body(u), la::cross(e_w, e_u), "across");
    const Symbol phi = writer.angle("value");
    const Vec3T<Symbol> v_W = writer.motion(v, 0);
    writer.holonomic({}, cos(phi) * la::dot(writer.motion(across, 0), v_W) -
                             sin(phi) * la::dot(writer.motion(u, 0), v_W));
  }
};

}  // namespace kinegrad

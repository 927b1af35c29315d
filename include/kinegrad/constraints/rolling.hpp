// A thin disc rolls on a plane of the ground without slipping [C-15].
//
// d is the axis of the disc, x₁ and x₂ complete it to a frame fixed on the disc, n is the normal of
// the plane, t₁ and t₂ its tangents, all of length 1; r is the centre, r₀ a point of the plane. The
// disc touches the plane at its lowest point r + R c,
//
//   a_k = n·x_k,   s = √(a₁² + a₂²) = √(1 − (n·d)²),   c = −(a₁ x₁ + a₂ x₂)/s
//
// and the point of the disc that is there has the velocity ṙ + R ω×c, with ω×x_k = ẋ_k. So
//
//   Φ = n·(r − r₀) − R s                              the disc touches the plane
//   Φ̇ = t_j·(ṙ − (R/s)(a₁ ẋ₁ + a₂ ẋ₂)), j = 1, 2     and does not slip
//
// The velocity along n is the rate of the first row. A disc that lies flat (s = 0) touches the plane
// everywhere: the rows end there.
#pragma once

#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/model/constraint_type.hpp"

namespace kinegrad {

struct Rolling {
  static constexpr std::string_view name = "rolling";
  static constexpr std::string_view summary = "a disc rolls on a plane of the ground";
  static constexpr std::array<ConstraintField, 5> fields{
      {{"center", ConstraintField::Kind::kPoint, "Centre of the disc."},
       {"axis", ConstraintField::Kind::kDirection, "Axis of the disc, on the same body."},
       {"radius", ConstraintField::Kind::kNumber, "Radius of the disc.", "m", true, true},
       {"through", ConstraintField::Kind::kPoint,
        "A point of the plane, on the ground; the origin if not given.", "", false},
       {"normal", ConstraintField::Kind::kDirection,
        "Normal of the plane, on the ground, towards the disc; z if not given.", "", false}}};

  static void write(ConstraintWriter& writer) {
    const int center = writer.point("center"), axis = writer.unit_direction("axis");
    if (writer.body(axis) != writer.body(center)) {
      writer.refuse("\"center\" and \"axis\" are not on the same body");
    }
    const Vec3T<Symbol> origin(Symbol(0), Symbol(0), Symbol(0));
    const int through =
        writer.has("through") ? writer.point("through") : writer.ground_point(origin, "through");
    const int normal = writer.has("normal")
                           ? writer.unit_direction("normal")
                           : writer.fixed_direction(0, la::unit<Symbol>(2), "normal");
    if (writer.body(through) != 0 || writer.body(normal) != 0) {
      writer.refuse("its plane is not on the ground");
    }
    const Symbol R = writer.number("radius");
    const Vec3T<Symbol> n = writer.motion(normal, 0);
    const auto [x1, x2] = writer.perpendicular(axis, "spoke");
    const Symbol a1 = la::dot(n, writer.motion(x1, 0)), a2 = la::dot(n, writer.motion(x2, 0));
    const Symbol s = sqrt(a1 * a1 + a2 * a2);
    writer.holonomic({{ConstraintTerm::Product::kDot, {center, through}, {normal, -1}, 0, 1}},
                     -(R * s));
    const Vec3T<Symbol> turned = writer.motion(x1, 1) * a1 + writer.motion(x2, 1) * a2;
    const Vec3T<Symbol> slip = writer.motion(center, 1) - turned * (R / s);
    for (const int t : writer.perpendicular(normal, "tangent")) {
      writer.nonholonomic(la::dot(writer.motion(t, 0), slip));
    }
  }
};

}  // namespace kinegrad

// A sphere or point on a cylinder (docs/theory/contact.md, [CT-5]): the axis of the cylinder of radius ρ is the z axis of marker 1; the sphere of
// radius r (0: a point) is around the origin of marker 2, outside of the cylinder or inside. With l² = d_x² + d_y² + ε², ε = 10⁻⁶ρ,
//
//   outside:  δ = ρ + r − l,  n = (d_x, d_y, 0)/l        inside:  δ = l + r − ρ,  n = −(d_x, d_y, 0)/l           [CT-7]
//
// t₁ goes around the axis, t₂ along it. The cylinder has no ends.
#pragma once

#include "kinegrad/forces/contact/contact.hpp"
#include "kinegrad/forces/contact/round_touch.hpp"

namespace kinegrad {

namespace contact {

struct SphereOnCylinderGeometry {
  static constexpr std::array<AttributeInfo, 3> own{
      {{"radius", "m", 1, false,
        "of the sphere around the second frame's origin; a point if not given"},
       {"cylinder_radius", "m", 1, true, "of the cylinder about the axis of the first frame"},
       {.name = "side",
        .unit = "1",
        .required = false,
        .description = "of the cylinder's surface where the sphere is; outside if not given",
        .words = "outside|inside"}}};
  static constexpr bool has_ground = false;
  static constexpr std::array<int, 2> reads{0, 1};

  /// Of a sphere on a cylinder Hertz's contact is an ellipse; taken is that of the two mean curvatures.
  static double contact_radius(const Eigen::Ref<const VecX>& p) { return p(0); }
  static std::string refuses(const Eigen::Ref<const VecX>& p,
                             const std::function<bool(std::string_view)>&) {
    if (!(p(0) >= 0)) return "radius must not be negative";
    if (!(p(1) > 0)) return "cylinder_radius must be positive";
    if (p(2) != 0 && !(p(0) < p(1))) return "the sphere does not fit into the cylinder";
    return {};
  }

  template <typename T>
  struct Touch : RoundTouch<T> {
    Touch(const auto& x, const auto& xdot, const auto& p) {
      using std::sqrt;
      const bool inside = real_part(p(2)) != 0;
      const T least = p(1) * 1e-6;
      const T l = sqrt(x(0) * x(0) + x(1) * x(1) + least * least);
      this->depth = inside ? l + p(0) - p(1) : p(1) + p(0) - l;
      // curvatures 1/r along the axis, 1/r ± 1/ρ around it: their mean
      this->radius = inside ? p(0) * p(1) / (p(1) - p(0) * 0.5) : p(0) * p(1) / (p(1) + p(0) * 0.5);
      const T nx = inside ? -(x(0) / l) : x(0) / l, ny = inside ? -(x(1) / l) : x(1) / l;
      Axes<T>& e = this->axes;
      e.turned = true;
      const T zero(0.0), one(1.0);
      e.n[0] = nx;
      e.n[1] = ny;
      e.n[2] = zero;
      e.t1[0] = -ny;
      e.t1[1] = nx;
      e.t1[2] = zero;
      e.t2[0] = e.t2[1] = zero;
      e.t2[2] = one;
      this->finish(p(0), 1, xdot);
    }
  };
};

}  // namespace contact

struct SphereOnCylinder : Contact<SphereOnCylinder, contact::SphereOnCylinderGeometry> {
  static constexpr std::string_view name = "sphere-on-cylinder";
  static constexpr std::string_view summary =
      "contact of a sphere or point with a cylinder, outside or inside, with friction";
};

}  // namespace kinegrad

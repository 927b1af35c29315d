// A sphere or point on a plane or a ground (docs/theory/contact.md, [CT]): the origin of marker 2 is the centre of a sphere of radius r (0: a
// point); the plane is z = 0 of marker 1, its outside z > 0, or the plane that touches a ground z = g(x, y) at the foot of the
// centre [GR-2]. In axes of that plane, with the height h of the centre over it,
//
//   δ = r − h,   c = (0, 0, −h),   δ̇ = −ḋ_z,   v = (ḋ + ω×c)_xy,   wrench [c×f; f]                     [CT-4]
#pragma once

#include "kinegrad/forces/contact/contact.hpp"

namespace kinegrad {

namespace contact {

struct SphereOnPlaneGeometry {
  static constexpr std::array<AttributeInfo, 1> own{
      {{"radius", "m", 1, false,
        "of the sphere around the second frame's origin; a point if not given"}}};
  static constexpr bool has_ground = true;
  static constexpr std::array<int, 3> reads{0, 1, 2};

  static double contact_radius(const Eigen::Ref<const VecX>& p) { return p(0); }
  static std::string refuses(const Eigen::Ref<const VecX>& p,
                             const std::function<bool(std::string_view)>&) {
    return p(0) >= 0 ? "" : "radius must not be negative";
  }

  template <typename T>
  struct Touch {
    Axes<T> axes;
    T height, depth, closing, slide[2], radius;

    Touch(const auto& x, const auto& xdot, const auto& p) : radius(p(0)) {
      axes = tangent_plane<T>(x, p, 1 + kLaws, height);
      depth = radius - height;
      const T turn[3] = {xdot(0), xdot(1), xdot(2)}, rate[3] = {xdot(3), xdot(4), xdot(5)};
      T w[3], v[3];
      axes.into(turn, w);
      axes.into(rate, v);
      closing = -v[2];
      slide[0] = v[0] - w[1] * height;
      slide[1] = v[1] + w[0] * height;
    }
    Vec<T, 6> wrench(const T& F, const T& f1, const T& f2) const {
      Vec<T, 6> e;
      e(0) = height * f2;
      e(1) = -(height * f1);
      e(2) = T(0.0);
      e(3) = f1;
      e(4) = f2;
      e(5) = F;
      return axes.back(e);
    }
  };
};

}  // namespace contact

struct SphereOnPlane : Contact<SphereOnPlane, contact::SphereOnPlaneGeometry> {
  static constexpr std::string_view name = "sphere-on-plane";
  static constexpr std::string_view summary =
      "contact of a sphere or point with a plane or a ground, with friction";
};

}  // namespace kinegrad

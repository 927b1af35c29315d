// A wheel as a circle on a plane or a ground (docs/theory/contact.md, [CT]): it turns about the axis (z) of marker 2 around its origin; the plane
// is that of `sphere_on_plane.hpp`, the contact that of `wheel_circle.hpp` [TY-1]. For tyres see `tyre.hpp`; this is a hard wheel or a
// coin, with the laws of contacts.
#pragma once

#include "kinegrad/forces/contact/contact.hpp"
#include "kinegrad/forces/wheel_circle.hpp"

namespace kinegrad {

namespace contact {

struct WheelOnPlaneGeometry {
  static constexpr std::array<AttributeInfo, 1> own{
      {{"radius", "m", 1, true, "of the wheel, whose axis is the axis of the second frame"}}};
  static constexpr bool has_ground = true;
  static constexpr std::array<int, 6> reads{0, 1, 2, 5, 8, 11};

  static double contact_radius(const Eigen::Ref<const VecX>& p) { return p(0); }
  static std::string refuses(const Eigen::Ref<const VecX>& p,
                             const std::function<bool(std::string_view)>&) {
    return p(0) > 0 ? "" : "radius must be positive";
  }

  template <typename T>
  struct Touch {
    Axes<T> axes;
    T c[3], depth, closing, slide[2], radius;

    Touch(const auto& x, const auto& xdot, const auto& p) : radius(p(0)) {
      T height;
      axes = tangent_plane<T>(x, p, 1 + kLaws, height);
      const T axis[3] = {x(5), x(8), x(11)}, turn[3] = {xdot(0), xdot(1), xdot(2)},
              rate[3] = {xdot(3), xdot(4), xdot(5)};
      T u[3], w[3], v[3];
      axes.into(axis, u);
      axes.into(turn, w);
      axes.into(rate, v);
      const WheelCircle<T> wheel(radius, height, u, w, v);
      depth = wheel.depth;
      closing = wheel.closing;
      slide[0] = wheel.vx;
      slide[1] = wheel.vy;
      c[0] = wheel.cx;
      c[1] = wheel.cy;
      c[2] = wheel.cz;
    }
    Vec<T, 6> wrench(const T& F, const T& f1, const T& f2) const {
      Vec<T, 6> e;
      e(0) = c[1] * F - c[2] * f2;
      e(1) = c[2] * f1 - c[0] * F;
      e(2) = c[0] * f2 - c[1] * f1;
      e(3) = f1;
      e(4) = f2;
      e(5) = F;
      return axes.back(e);
    }
  };
};

}  // namespace contact

struct WheelOnPlane : Contact<WheelOnPlane, contact::WheelOnPlaneGeometry> {
  static constexpr std::string_view name = "wheel-on-plane";
  static constexpr std::string_view summary =
      "contact of a hard wheel's rim with a plane or a ground, with friction";
};

}  // namespace kinegrad

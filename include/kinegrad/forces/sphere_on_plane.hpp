// A sphere on a plane (docs/theory/forces.md, [CN]): the origin of marker 2 is the centre of a sphere of radius r (0: a
// point), the plane is z = 0 of marker 1, and its outside z > 0. With the penetration δ = r − d_z, the place c = (0, 0, −d_z)
// of the contact from the centre and its velocity v in the plane:
//
//   F = K δⁿ (1 + χ δ̇) where δ > 0 and the bracket is positive, else 0                          [CN-1]
//   v = (ḋ + ω×c)_xy,   s² = v·v + ε²,   ε = v_s/100
//   μ(s) = μ_d tanh(4 s/v_s) + (μ_s − μ_d)(s/v_s)/((s/2v_s)² + ¾)²,   f = (−F μ(s) v/s, F),   n = c×f   [CN-2]
//
// Hunt and Crossley's normal force, which does not jump, and the friction of Brown and McPhee. V = K δⁿ⁺¹/(n + 1).
#pragma once

#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

struct SphereOnPlane {
  static constexpr std::string_view name = "sphere-on-plane";
  static constexpr std::string_view summary =
      "contact of a sphere or point with a plane, with friction";
  static constexpr PortKind port = PortKind::kFramePair;
  static constexpr std::array<AttributeInfo, 7> attributes{
      {{"radius", "m", 1, false,
        "of the sphere around the second frame's origin; a point if not given"},
       {"stiffness", "N/m^n", 1, true, "K of K δⁿ"},
       {"exponent", "1", 1, true, "n: 1.5 for spheres"},
       {"dissipation", "s/m", 1, false,
        "χ: 3 (1 − e)/2 over the speed of the impact, e its restitution"},
       {"static_friction", "1", 1, false, "μ_s"},
       {"friction", "1", 1, false, "μ_d: of sliding"},
       {"slip_speed", "m/s", 1, false, "v_s: where friction is largest; 1e-2 if not given"}}};

  template <typename T>
  static Vec<T, 6> effort(const ForceInput<SphereOnPlane, T>& in) {
    Vec<T, 6> e = Vec<T, 6>::Constant(T(0));
    const T F = normal_force(in);
    if (real_part(F) <= 0) return e;
    const T height = in.x(2);
    // (ḋ + ω×c)_xy with c = (0, 0, −height)
    const T vx = in.xdot(3) - in.xdot(1) * height, vy = in.xdot(4) + in.xdot(0) * height;
    const T along = -F * friction_over_speed(in, vx * vx + vy * vy);
    const T fx = along * vx, fy = along * vy;
    e(0) = height * fy;  // c×f
    e(1) = -height * fx;
    e(3) = fx;
    e(4) = fy;
    e(5) = F;
    return e;
  }

  template <typename T>
  static T energy(const ForceInput<SphereOnPlane, T>& in) {
    const T delta = in.p(0) - in.x(2);
    if (real_part(delta) <= 0) return T(0);
    return in.p(1) * power(delta, in.p(2)) * delta / (in.p(2) + T(1));
  }

 private:
  template <typename T>
  static T power(const T& x, const T& n) {
    using std::exp;
    using std::log;
    return exp(n * log(x));
  }
  /// [CN-1].
  template <typename T>
  static T normal_force(const ForceInput<SphereOnPlane, T>& in) {
    const T delta = in.p(0) - in.x(2);
    const T damped = T(1) - in.p(3) * in.xdot(5);
    if (real_part(delta) <= 0 || real_part(damped) <= 0) return T(0);
    return in.p(1) * power(delta, in.p(2)) * damped;
  }
  /// μ(s)/s of [CN-2].
  template <typename T>
  static T friction_over_speed(const ForceInput<SphereOnPlane, T>& in, const T& square) {
    using std::sqrt;
    using std::tanh;
    const T vs = real_part(in.p(6)) == 0 ? in.p(6) + T(1e-2) : in.p(6);
    const T epsilon = vs * T(1e-2);
    const T s = sqrt(square + epsilon * epsilon), x = s / vs;
    const T hump = x * x * T(0.25) + T(0.75);
    return (in.p(5) * tanh(T(4) * x) + (in.p(4) - in.p(5)) * x / (hump * hump)) / s;
  }
};

}  // namespace kinegrad

// The Calspan tyre of the Iltis on a plane (docs/theory/tyres.md, [TY]): contact, load F, slip κ and slip angle α as those of `tyre.hpp`, frames too.
// With the camber γ, sin γ = u_z, and F̂ = min(F, A₂):
//
//   f = (B₁F + B₃ + B₄F²) SN,   C = A₁F̂(F̂ − A₂) − A₀A₂                                                [TY-7]
//   ᾱ = (−C α − A₂A₃(A₄ − F̂)F̂γ/A₄)/(A₂ f F),   g = ᾱ − ᾱ|ᾱ|/3 + ᾱ³/27 below |ᾱ| = 3, ±1 beyond
//   F_x = μ_x F s(κ/κ_c),   F_y = f F g √(1 − 0.99 s²),   M_z = (AF₁F + AF₂|F_y|)F_y                     [TY-8]
//
// CAUTION: the benchmark's slip angle is atan(v_lat/v_long), minus the α of [TY-4]; its load beyond A₂ counts as A₂ in the stiffnesses.
// Camber thrust has no potential, and this force states no energy.
#pragma once

#include "kinegrad/forces/tyre.hpp"

namespace kinegrad {

struct CalspanTyre {
  static constexpr std::string_view name = "calspan-tyre";
  static constexpr std::string_view summary =
      "wheel on a plane: Calspan's lateral force, camber thrust and aligning torque";
  static constexpr PortKind port = PortKind::kFramePair;
  static constexpr bool passive = false;  // camber thrust pushes
  static constexpr std::array<AttributeInfo, 17> attributes{
      {{"radius", "m", 1, true, "of the wheel, whose axis is the axis of the second frame"},
       {"stiffness", "N/m", 1, true, "of the tyre against the road"},
       {"damping", "N s/m", 1, false, "the same per unit of velocity, while it is loaded"},
       {"A0", "N/rad", 1, true, "of the cornering stiffness: without load"},
       {"A1", "1/rad", 1, true, "of the cornering stiffness: with the load"},
       {"A2", "N", 1, true, "load up to which it grows and falls again"},
       {"A3", "1/rad", 1, true, "of the camber thrust"},
       {"A4", "N", 1, true, "load at which the camber thrust ends"},
       {"B1", "1/N", 1, true, "of the lateral friction: with the load"},
       {"B3", "1", 1, true, "of the lateral friction: without load"},
       {"B4", "1/N^2", 1, true, "of the lateral friction: with its square"},
       {"SN", "1", 1, true, "of the road against that of the test"},
       {"AF1", "m/N", 1, true, "of the aligning torque: with the load"},
       {"AF2", "m/N", 1, true, "of the aligning torque: with the lateral force"},
       {"friction", "1", 1, false, "μ_x: along the rolling direction; no such force if not given"},
       {"slip", "1", 1, false, "κ_c: slip at which that is largest; 0.1 if not given"},
       {"low_speed", "m/s", 1, false,
        "v_low: below it slip counts as velocity; 0.1 if not given"}}};

  template <typename T>
  static Vec<T, 6> effort(const ForceInput<CalspanTyre, T>& in) {
    using std::atan;
    using std::sqrt;
    const WheelCircle<T> wheel = tyre::contact(in, in.p(0));
    const T F = tyre::radial_force(wheel, in.p(0), in.p(1), in.p(2));
    if (!(real_part(F) > 0)) return Vec<T, 6>::Constant(T(0));
    const T low = tyre::low_speed(in.p(16));
    const T rolling = wheel.bx * in.xdot(3) + wheel.by * in.xdot(4);
    const T inverse = 1.0 / sqrt(rolling * rolling + low * low);
    const T critical = real_part(in.p(15)) == 0 ? in.p(15) + 0.1 : in.p(15);
    const T x = -((wheel.bx * wheel.vx + wheel.by * wheel.vy) * inverse / critical);
    const T s = x * tyre::limited<T>(x * x);
    const T alpha = -atan((wheel.bx * wheel.vy - wheel.by * wheel.vx) * inverse);
    const T peak = (in.p(8) * F + in.p(9) + in.p(10) * F * F) * in.p(11) * F;
    const T Fy =
        peak * shape<T>(normalized(in, F, alpha, camber(in), peak)) * sqrt(1.0 - s * s * 0.99);
    const T size = real_part(Fy) < 0 ? -Fy : Fy;
    Vec<T, 6> e =
        tyre::wrench<T>(wheel, in.p(14) * F * s, Fy, F, tyre::scrub<T>(wheel, peak / F, F, low));
    e(2) = e(2) + (in.p(12) * F + in.p(13) * size) * Fy;
    return e;
  }

  static void partials(const ForceInput<CalspanTyre, double>& in,
                       ForceStructPartials<CalspanTyre>& out) {
    tyre::partials<CalspanTyre>(in, out);
  }

 private:
  /// γ = asin u_z, whose slope stays finite where the wheel lies.
  template <typename T>
  static T camber(const ForceInput<CalspanTyre, T>& in) {
    using std::atan;
    using std::sqrt;
    constexpr double kRound = 1e-2;  // a wheel that lies: below, √t goes on along its tangent in t
    const T t = in.x(5) * in.x(5) + in.x(8) * in.x(8);
    const T cosine = real_part(t) > kRound * kRound ? sqrt(t) : t * (0.5 / kRound) + 0.5 * kRound;
    return atan(in.x(11) / (cosine + 1.0)) * 2.0;
  }
  /// ᾱ of [TY-7]; `peak` is f F.
  template <typename T>
  static T normalized(const ForceInput<CalspanTyre, T>& in, const T& F, const T& alpha,
                      const T& gamma, const T& peak) {
    const T A0 = in.p(3), A1 = in.p(4), A2 = in.p(5), A3 = in.p(6), A4 = in.p(7);
    const T load = real_part(F) < real_part(A2) ? F : A2;
    const T C = A1 * load * (load - A2) - A0 * A2;
    return -(C * alpha + A2 * A3 * (A4 - load) * load * gamma / A4) / (A2 * peak);
  }
  template <typename T>
  static T shape(const T& x) {
    const double size = real_part(x);
    if (size >= 3) return T(1);
    if (size <= -3) return T(-1);
    const T square = x * x;
    return x + (size < 0 ? square : -square) * (1.0 / 3) + square * x * (1.0 / 27);
  }
};

}  // namespace kinegrad

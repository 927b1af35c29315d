// A wheel as a circle of radius R about the axis u, touching the plane z = 0 of its road frame (docs/theory/tyres.md, [TY]). With the
// centre at d, t = u_x² + u_y² = |u×n|² the square of the cosine of the camber:
//
//   δ = R H(t) − d_z                        penetration, H = √t                                          [TY-1]
//   c = R φ(t)(u_z u − n)                   from the centre to the contact, φ = 2H′ = 1/√t
//   b = φ u×n,   l = n×b                    rolling direction and lateral direction
//   v = ḋ + ω×c,   δ̇ = −v_z                 velocity of the rim at the contact
//
// A wheel that lies on its side, t < t₀ = 10⁻², has no lowest point. There H is the cubic in τ = t/t₀ that continues √t up to the third
// derivative,                                                                                          [TY-2]
//
//   H = √t₀ (5 + 15τ − 5τ² + τ³)/16,   φ = (15 − 10τ + 3τ²)/(8√t₀)
//
// so that the contact goes smoothly below the centre and b vanishes. Since φ = 2H′ everywhere, the normal force does
// the work −½k dδ² exactly. On other grounds n and the height come from the ground instead.
#pragma once

#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

template <typename T>
struct WheelCircle {
  static constexpr double kLying = 0.1;  ///< √t₀: closer than 5.7° to lying
  T depth;                               ///< δ
  T closing;                             ///< δ̇
  T cx, cy, cz;                          ///< c
  T bx, by;                              ///< b; l = (−b_y, b_x)
  T upright;                             ///< |b|², 1 but for wheels that lie
  T vx, vy;                              ///< of the rim at the contact, in the plane

  /// Of a wheel at d with axis u that moves with ḋ and turns with ω, all in axes of the road.
  WheelCircle(const T& radius, const T& height, const T (&u)[3], const T (&w)[3],
              const T (&rate)[3]) {
    using std::sqrt;
    const T t = u[0] * u[0] + u[1] * u[1];
    T H, phi;
    if (real_part(t) >= kLying * kLying) {
      H = sqrt(t);
      phi = 1.0 / H;
    } else {
      const T tau = t * (1 / (kLying * kLying));
      H = (((tau - 5.0) * tau + 15.0) * tau + 5.0) * (kLying / 16);
      phi = ((tau * 3.0 - 10.0) * tau + 15.0) * (1 / (8 * kLying));
    }
    depth = radius * H - height;
    const T lever = radius * phi;
    cx = lever * u[2] * u[0];
    cy = lever * u[2] * u[1];
    cz = -(lever * t);
    bx = phi * u[1];
    by = -(phi * u[0]);
    upright = phi * phi * t;
    vx = rate[0] + w[1] * cz - w[2] * cy;
    vy = rate[1] + w[2] * cx - w[0] * cz;
    closing = -(rate[2] + w[0] * cy - w[1] * cx);
  }
};

}  // namespace kinegrad

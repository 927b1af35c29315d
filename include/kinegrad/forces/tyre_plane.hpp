// What tyres on a plane share where their partials are written by hand: load and scrub with their slopes, and the contact of the wheel as jets
// over height, axis, rates and radius (docs/theory/tyres.md, [TY-9]).
#pragma once

#include <cmath>
#include <utility>

#include "kinegrad/forces/tyre_parts.hpp"

namespace kinegrad::tyre {

/// [TY-3] with its slopes.
struct Load {
  double value = 0, by_depth = 0, by_closing = 0, by_radius = 0, by_stiffness = 0, by_damping = 0;

  Load(double depth, double closing, double radius, double stiffness, double damping) {
    if (!(depth > 0)) return;
    double S = 1, slope = 0;  // dS/ds
    const double s = depth / (kRamp * radius);
    if (s < 1) {
      S = s * s * (3 - 2 * s);
      slope = 6 * s * (1 - s);
    }
    value = stiffness * depth + damping * closing * S;
    if (!(value > 0)) return;
    by_depth = stiffness + damping * closing * slope / (kRamp * radius);
    by_closing = damping * S;
    by_radius = -damping * closing * slope * s / radius;
    by_stiffness = depth;
    by_damping = closing * S;
  }
};

/// s(ρ)/ρ of [TY-5] and its slope along ρ².
inline std::pair<double, double> limited_with_slope(double square) {
  constexpr double kFrom = 1 - kCorner, kTo = 1 + kCorner;
  if (!(square > kFrom * kFrom)) return {1, 0};
  const double rho = std::sqrt(square);
  if (square >= kTo * kTo) return {1 / rho, -0.5 / (rho * square)};
  const double x = (rho - kFrom) / (2 * kCorner), lost = x * x * x * (2 - x) * kCorner / rho;
  const double slope = (lost - x * x * (3 - 2 * x)) / rho;
  return {1 - lost, 0.5 * slope / rho};
}

/// (1 − |b|²)²/√(v_tᵀv_t + v_low²) of [TY-6] with its slopes.
struct Scrub {
  double value = 0, by_upright = 0, by_square = 0, by_low = 0;

  Scrub(double upright, double square, double low) {
    const double lying = 1 - upright;
    if (!(lying > 1e-12)) return;
    const double all = square + low * low, inverse = 1 / std::sqrt(all);
    value = lying * lying * inverse;
    by_upright = -2 * lying * inverse;
    by_square = -0.5 * value / all;
    by_low = -value * low / all;
  }
};

/// The numbers of the contact on a plane with derivatives along what it reads of in.x, of the rates and of the radius.
struct PlaneContact {
  using J = Jet<12>;  // eleven and one to spare, for pairs
  static constexpr int kRead[] = {2, 5, 8, 11};
  static constexpr int kRadius = 10;
  J u[3], rate[3];
  WheelCircle<J> wheel;
  J along, side, rolling, square;  ///< bᵀv, lᵀv, bᵀḋ, v_tᵀv_t

  template <typename In>
  explicit PlaneContact(const In& in)
      : u{J::variable(in.x(5), 1), J::variable(in.x(8), 2), J::variable(in.x(11), 3)},
        rate{J::variable(in.xdot(3), 7), J::variable(in.xdot(4), 8), J::variable(in.xdot(5), 9)},
        wheel(J::variable(in.p(0), kRadius), J::variable(in.x(2), 0), u,
              {J::variable(in.xdot(0), 4), J::variable(in.xdot(1), 5), J::variable(in.xdot(2), 6)},
              rate),
        along(wheel.bx * wheel.vx + wheel.by * wheel.vy),
        side(wheel.bx * wheel.vy - wheel.by * wheel.vx),
        rolling(wheel.bx * rate[0] + wheel.by * rate[1]),
        square(wheel.vx * wheel.vx + wheel.vy * wheel.vy) {}

  J load(const Load& F) const {
    J out(F.value, wheel.depth.derivatives * F.by_depth + wheel.closing.derivatives * F.by_closing);
    out.derivatives(kRadius) += F.by_radius;
    return out;
  }
  J scrub(const Scrub& rub) const {
    return {rub.value, wheel.upright.derivatives * rub.by_upright + square.derivatives * rub.by_square};
  }
  /// Derivatives of a wrench to where they belong.
  template <typename Out>
  static void spread(const Vec<J, 6>& e, Out& out) {
    for (int i = 0; i < 6; ++i) {
      const auto& d = e(i).derivatives;
      for (int k = 0; k < 4; ++k) out.e_x(i, kRead[k]) = d(k);
      for (int k = 0; k < 6; ++k) out.e_xdot(i, k) = d(4 + k);
      out.e_p(i, 0) = d(kRadius);
    }
  }
};

template <typename Out>
void clear(Out& out) {
  out.e_x.setZero();
  out.e_xdot.setZero();
  out.e_t.setZero();
  out.e_z.setZero();
  out.e_p.setZero();
  out.g_x.setZero();
  out.g_xdot.setZero();
  out.g_t.setZero();
  out.g_p.setZero();
  out.g_z.setZero();
}

}  // namespace kinegrad::tyre

// A tyre with linear slip and a saturation ellipse on a plane (docs/theory/tyres.md, [TY]): the plane is z = 0 of marker 1, the wheel turns
// about the z axis of marker 2 around its origin. With the contact of `wheel_circle.hpp`:
//
//   F = kδ + c S(δ/δ₀) δ̇ where that is positive and δ > 0, else 0;   S = s²(3 − 2s), δ₀ = R/100           [TY-3]
//   V² = (bᵀḋ)² + v_low²,   κ = −bᵀv/V,   α = −atan(lᵀv/V)                                             [TY-4]
//   x = κ/κ_c,  y = α/α_c,  ρ² = x² + y²,   F_x = μ_x F x s(ρ)/ρ,   F_y = μ_y F y s(ρ)/ρ                [TY-5]
//   f = F_x b + F_y l + F n − ½(μ_x + μ_y) F (1 − |b|²)² v_t/√(v_tᵀv_t + v_low²),   moment c×f           [TY-6]
//
// s(ρ) is ρ up to 0.8, 1 from 1.2 on, and between them has two continuous derivatives. V = ½kδ².
// CAUTION: the sources limit each slip first and the two together afterwards; here the vector of both is limited, which is the same for one
// slip alone. Their lateral slip is that of the centre, here it is that of the contact: no slip force gives power.
#pragma once

#include <cmath>
#include <utility>

#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/forces/wheel_circle.hpp"
#include "kinegrad/math/jet.hpp"

namespace kinegrad {

/// Parts that tyres share.
namespace tyre {

inline constexpr double kRamp = 0.01;     ///< δ₀/R
inline constexpr double kCorner = 0.2;    ///< half the width of the corner of s
inline constexpr double kLowSpeed = 0.1;  ///< v_low if it is not given, m/s

/// [TY-3].
template <typename T>
T radial_force(const WheelCircle<T>& wheel, const T& radius, const T& stiffness, const T& damping) {
  if (!(real_part(wheel.depth) > 0)) return T(0);
  T ramped = wheel.closing * damping;
  if (real_part(wheel.depth) < kRamp * real_part(radius)) {
    const T s = wheel.depth / (radius * kRamp);
    ramped = ramped * s * s * (3.0 - s * 2.0);
  }
  const T F = stiffness * wheel.depth + ramped;
  return real_part(F) > 0 ? F : T(0);
}

/// s(ρ)/ρ of [TY-5] from ρ².
template <typename T>
T limited(const T& square) {
  using std::sqrt;
  constexpr double kFrom = 1 - kCorner, kTo = 1 + kCorner;
  const double size = real_part(square);
  if (!(size > kFrom * kFrom)) return T(1);
  const T rho = sqrt(square);
  if (size >= kTo * kTo) return 1.0 / rho;
  const T x = (rho - kFrom) * (1 / (2 * kCorner));
  return 1.0 - x * x * x * (2.0 - x) * kCorner / rho;
}

/// v_low, or its default.
template <typename T>
T low_speed(const T& given) {
  return real_part(given) == 0 ? given + kLowSpeed : given;
}

/// The friction of a wheel that lies: what it takes of the velocity of the contact [TY-6].
template <typename T>
T scrub(const WheelCircle<T>& wheel, const T& friction, const T& load, const T& low) {
  using std::sqrt;
  const T lying = 1.0 - wheel.upright;
  if (!(real_part(lying) > 1e-12)) return T(0);  // rounding of a wheel that stands
  return friction * load * lying * lying /
         sqrt(wheel.vx * wheel.vx + wheel.vy * wheel.vy + low * low);
}

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

/// P = x s(ρ)/ρ and Q = y s(ρ)/ρ of [TY-5] with their slopes [TY-9]: x = −ξ/(κ_c V), y = −atan(η/V)/α_c, V² = ζ² + v_low² of ξ = bᵀv, η = lᵀv,
/// ζ = bᵀḋ.
struct Slip {
  double P, Q;
  double P_along, P_side, P_rolling, P_slip, P_angle, P_low;
  double Q_along, Q_side, Q_rolling, Q_slip, Q_angle, Q_low;

  Slip(double along, double side, double rolling, double slip, double angle, double low) {
    const double inverse = 1 / std::sqrt(rolling * rolling + low * low);
    const double x = -along * inverse / slip, r = side * inverse, y = -std::atan(r) / angle;
    const double x_along = -inverse / slip, y_side = -inverse / (angle * (1 + r * r));
    const double x_V = -x * inverse * inverse, y_V = -y_side * r * inverse;  // over ζ, over v_low
    const auto [s, slope] = limited_with_slope(x * x + y * y);
    const double P_x = s + 2 * slope * x * x, mixed = 2 * slope * x * y,
                 Q_y = s + 2 * slope * y * y;
    P = s * x;
    Q = s * y;
    P_along = P_x * x_along;
    Q_along = mixed * x_along;
    P_side = mixed * y_side;
    Q_side = Q_y * y_side;
    P_rolling = (P_x * x_V + mixed * y_V) * rolling;
    Q_rolling = (mixed * x_V + Q_y * y_V) * rolling;
    P_low = (P_x * x_V + mixed * y_V) * low;
    Q_low = (mixed * x_V + Q_y * y_V) * low;
    P_slip = -P_x * x / slip;
    Q_slip = -mixed * x / slip;
    P_angle = -mixed * y / angle;
    Q_angle = -Q_y * y / angle;
  }

 private:
  /// s(ρ)/ρ and its slope along ρ².
  static std::pair<double, double> limited_with_slope(double square) {
    constexpr double kFrom = 1 - kCorner, kTo = 1 + kCorner;
    if (!(square > kFrom * kFrom)) return {1, 0};
    const double rho = std::sqrt(square);
    if (square >= kTo * kTo) return {1 / rho, -0.5 / (rho * square)};
    const double x = (rho - kFrom) / (2 * kCorner), lost = x * x * x * (2 - x) * kCorner / rho;
    const double slope = (lost - x * x * (3 - 2 * x)) / rho;
    return {1 - lost, 0.5 * slope / rho};
  }
};

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

/// The entries of x that a tyre reads: the height, and the axis of the wheel.
inline constexpr int kRead[] = {2, 5, 8, 11};

/// Inputs with derivatives in every number that counts: height, axis, rates, attributes.
template <typename F>
using Seeded = Jet<10 + ForceInput<F, double>::np>;

/// All partials of a tyre in one evaluation of `effort`.
template <typename F>
void partials(const ForceInput<F, double>& in, ForceStructPartials<F>& out) {
  using In = ForceInput<F, double>;
  using Number = Seeded<F>;
  out.e_x.setZero();
  out.e_t.setZero();
  ForceInput<F, Number> seeded;
  for (int k = 0; k < In::nx; ++k) seeded.x(k) = Number(in.x(k));
  for (int k = 0; k < 4; ++k) seeded.x(kRead[k]) = Number::variable(in.x(kRead[k]), k);
  for (int k = 0; k < 6; ++k) seeded.xdot(k) = Number::variable(in.xdot(k), 4 + k);
  for (int k = 0; k < In::np; ++k) seeded.p(k) = Number::variable(in.p(k), 10 + k);
  seeded.t = Number(in.t);
  const Vec<Number, 6> e = F::template effort<Number>(seeded);
  for (int i = 0; i < 6; ++i) {
    const auto& d = e(i).derivatives;
    for (int k = 0; k < 4; ++k) out.e_x(i, kRead[k]) = d(k);
    for (int k = 0; k < 6; ++k) out.e_xdot(i, k) = d(4 + k);
    for (int k = 0; k < In::np; ++k) out.e_p(i, k) = d(10 + k);
  }
}

/// The contact of a tyre's wheel.
template <typename In, typename T>
WheelCircle<T> contact(const In& in, const T& radius) {
  const T u[3] = {in.x(5), in.x(8), in.x(11)}, w[3] = {in.xdot(0), in.xdot(1), in.xdot(2)},
          rate[3] = {in.xdot(3), in.xdot(4), in.xdot(5)};
  return WheelCircle<T>(radius, in.x(2), u, w, rate);
}

/// [n; f] of forces along b, along l and n at the contact, less `drag` times the velocity there.
template <typename T>
Vec<T, 6> wrench(const WheelCircle<T>& wheel, const T& Fx, const T& Fy, const T& F, const T& drag) {
  const T fx = Fx * wheel.bx - Fy * wheel.by - drag * wheel.vx;
  const T fy = Fx * wheel.by + Fy * wheel.bx - drag * wheel.vy;
  Vec<T, 6> e;
  e(0) = wheel.cy * F - wheel.cz * fy;
  e(1) = wheel.cz * fx - wheel.cx * F;
  e(2) = wheel.cx * fy - wheel.cy * fx;
  e(3) = fx;
  e(4) = fy;
  e(5) = F;
  return e;
}

}  // namespace tyre

struct Tyre {
  static constexpr std::string_view name = "tyre";
  static constexpr std::string_view summary =
      "wheel on a plane: linear slip with a saturation ellipse";
  static constexpr PortKind port = PortKind::kFramePair;
  static constexpr std::array<AttributeInfo, 8> attributes{
      {{"radius", "m", 1, true, "of the wheel, whose axis is the axis of the second frame"},
       {"stiffness", "N/m", 1, true, "of the tyre against the road"},
       {"damping", "N s/m", 1, false, "the same per unit of velocity, while it is loaded"},
       {"friction", "1", 1, true, "μ_x: along the rolling direction"},
       {"side_friction", "1", 1, false, "μ_y: across it; as along it if not given"},
       {"slip", "1", 1, true, "κ_c: slip at which the force along the wheel is largest"},
       {"slip_angle", "rad", 1, true, "α_c: slip angle at which the force across it is largest"},
       {"low_speed", "m/s", 1, false,
        "v_low: below it slip counts as velocity; 0.1 if not given"}}};

  template <typename T>
  static Vec<T, 6> effort(const ForceInput<Tyre, T>& in) {
    using std::atan;
    using std::sqrt;
    const WheelCircle<T> wheel = tyre::contact(in, in.p(0));
    const T F = tyre::radial_force(wheel, in.p(0), in.p(1), in.p(2));
    if (!(real_part(F) > 0)) return Vec<T, 6>::Constant(T(0));
    const T low = tyre::low_speed(in.p(7));
    const T rolling = wheel.bx * in.xdot(3) + wheel.by * in.xdot(4);
    const T inverse = 1.0 / sqrt(rolling * rolling + low * low);
    const T x = -((wheel.bx * wheel.vx + wheel.by * wheel.vy) * inverse / in.p(5));
    const T y = -(atan((wheel.bx * wheel.vy - wheel.by * wheel.vx) * inverse) / in.p(6));
    const T across = real_part(in.p(4)) == 0 ? in.p(4) + in.p(3) : in.p(4);
    const T part = F * tyre::limited<T>(x * x + y * y);
    return tyre::wrench<T>(wheel, in.p(3) * part * x, across * part * y, F,
                           tyre::scrub<T>(wheel, (in.p(3) + across) * 0.5, F, low));
  }

  /// Contact and wrench by jets over height, axis, rates and radius; the law between them by hand. In the attributes the
  /// wrench is linear in (F_x, F_y, F, drag).
  static void partials(const ForceInput<Tyre, double>& in, ForceStructPartials<Tyre>& out) {
    using J = Jet<12>;  // eleven and one to spare, for pairs
    out.e_x.setZero();
    out.e_t.setZero();
    const J u[3] = {J::variable(in.x(5), 1), J::variable(in.x(8), 2), J::variable(in.x(11), 3)},
            w[3] = {J::variable(in.xdot(0), 4), J::variable(in.xdot(1), 5),
                    J::variable(in.xdot(2), 6)},
            rate[3] = {J::variable(in.xdot(3), 7), J::variable(in.xdot(4), 8),
                       J::variable(in.xdot(5), 9)};
    const WheelCircle<J> wheel(J::variable(in.p(0), 10), J::variable(in.x(2), 0), u, w, rate);
    const tyre::Load F(wheel.depth.value, wheel.closing.value, in.p(0), in.p(1), in.p(2));
    if (!(F.value > 0)) {
      out.e_xdot.setZero();
      out.e_p.setZero();
      return;
    }
    const J along = wheel.bx * wheel.vx + wheel.by * wheel.vy,
            side = wheel.bx * wheel.vy - wheel.by * wheel.vx,
            rolling = wheel.bx * rate[0] + wheel.by * rate[1],
            square = wheel.vx * wheel.vx + wheel.vy * wheel.vy;
    const double across = in.p(4) == 0 ? in.p(3) : in.p(4);
    const tyre::Slip slip(along.value, side.value, rolling.value, in.p(5), in.p(6),
                          tyre::low_speed(in.p(7)));
    const tyre::Scrub rub(wheel.upright.value, square.value, tyre::low_speed(in.p(7)));
    const double mean = 0.5 * (in.p(3) + across);
    // chains: F, then what multiplies it
    J load(F.value,
           wheel.depth.derivatives * F.by_depth + wheel.closing.derivatives * F.by_closing);
    load.derivatives(10) += F.by_radius;
    const J P(slip.P, along.derivatives * slip.P_along + side.derivatives * slip.P_side +
                          rolling.derivatives * slip.P_rolling);
    const J Q(slip.Q, along.derivatives * slip.Q_along + side.derivatives * slip.Q_side +
                          rolling.derivatives * slip.Q_rolling);
    const J D(rub.value,
              wheel.upright.derivatives * rub.by_upright + square.derivatives * rub.by_square);
    const Vec<J, 6> e =
        tyre::wrench<J>(wheel, load * P * in.p(3), load * Q * across, load, load * D * mean);
    for (int i = 0; i < 6; ++i) {
      const auto& d = e(i).derivatives;
      for (int k = 0; k < 4; ++k) out.e_x(i, tyre::kRead[k]) = d(k);
      for (int k = 0; k < 6; ++k) out.e_xdot(i, k) = d(4 + k);
      out.e_p(i, 0) = d(10);
    }
    const WheelCircle<double> here = tyre::contact(in, in.p(0));
    const auto column = [&](int k, double Fx, double Fy, double N, double drag) {
      out.e_p.col(k) = tyre::wrench<double>(here, Fx, Fy, N, drag);
    };
    const double fx = in.p(3) * slip.P, fy = across * slip.Q, drag = mean * rub.value, N = F.value;
    column(1, fx * F.by_stiffness, fy * F.by_stiffness, F.by_stiffness, drag * F.by_stiffness);
    column(2, fx * F.by_damping, fy * F.by_damping, F.by_damping, drag * F.by_damping);
    const bool both = in.p(4) == 0;  // μ_x counts for μ_y as well
    column(3, N * slip.P, both ? N * slip.Q : 0, 0, N * rub.value * (both ? 1 : 0.5));
    column(4, 0, N * slip.Q, 0, N * rub.value * 0.5);
    column(5, N * in.p(3) * slip.P_slip, N * across * slip.Q_slip, 0, 0);
    column(6, N * in.p(3) * slip.P_angle, N * across * slip.Q_angle, 0, 0);
    column(7, N * in.p(3) * slip.P_low, N * across * slip.Q_low, 0, N * mean * rub.by_low);
  }

  template <typename T>
  static T energy(const ForceInput<Tyre, T>& in) {
    const WheelCircle<T> wheel = tyre::contact(in, in.p(0));
    if (!(real_part(wheel.depth) > 0)) return T(0);
    return in.p(1) * wheel.depth * wheel.depth * 0.5;
  }
};

}  // namespace kinegrad

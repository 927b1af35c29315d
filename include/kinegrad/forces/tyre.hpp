// A tyre with linear slip and a saturation ellipse on a plane or a ground (docs/theory/tyres.md, [TY]): the plane is z = 0 of marker 1, the wheel turns
// about the z axis of marker 2 around its origin. With the load F and the slips κ, α of `tyre_parts.hpp`:
//
//   x = κ/κ_c,  y = α/α_c,  ρ² = x² + y²,   F_x = μ_x F x s(ρ)/ρ,   F_y = μ_y F y s(ρ)/ρ                [TY-5]
//   f = F_x b + F_y l + F n − ½(μ_x + μ_y) F (1 − |b|²)² v_t/√(v_tᵀv_t + v_low²),   moment c×f           [TY-6]
//
// s(ρ) is ρ up to 0.8, 1 from 1.2 on, and between them has two continuous derivatives. V = ½kδ².
// CAUTION: the sources limit each slip first and the two together afterwards; here the vector of both is limited, which is the same for one
// slip alone. Their lateral slip is that of the centre, here it is that of the contact: no slip force gives power.
#pragma once

#include <cmath>
#include <utility>

#include "kinegrad/forces/tyre_plane.hpp"

namespace kinegrad {

/// The law on a plane with its slopes, by hand.
namespace tyre {

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
};

}  // namespace tyre

struct Tyre {
  static constexpr std::string_view name = "tyre";
  static constexpr std::string_view summary =
      "wheel on a plane or ground: linear slip with a saturation ellipse";
  static constexpr PortKind port = PortKind::kFramePair;
  static constexpr auto attributes = tyre::with_common(std::array<AttributeInfo, 8>{
      {{"radius", "m", 1, true, "of the wheel, whose axis is the axis of the second frame"},
       {"stiffness", "N/m", 1, true, "of the tyre against the road"},
       {"damping", "N s/m", 1, false, "the same per unit of velocity, while it is loaded"},
       {"friction", "1", 1, true, "μ_x: along the rolling direction"},
       {"side_friction", "1", 1, false, "μ_y: across it; as along it if not given"},
       {"slip", "1", 1, true, "κ_c: slip at which the force along the wheel is largest"},
       {"slip_angle", "rad", 1, true, "α_c: slip angle at which the force across it is largest"},
       {"low_speed", "m/s", 1, false,
        "v_low: below it slip counts as velocity; 0.1 if not given"}}});
  static constexpr auto states = tyre::kStates;
  static constexpr int kRelaxation = 8, kGround = 10;  ///< in p

  static int state_count(const Vec<double, 16>& p) { return p(kRelaxation) == 0 ? 0 : 2; }
  static constexpr int bristles = 2;
  /// The forces of slip are limited themselves.
  static double carried(const ForceStates<double>&, const AttributeVector<double>&) { return 0; }
  static std::string refusal(const Vec<double, 16>& p,
                             const std::function<bool(std::string_view)>& given) {
    if (!(p(3) >= 0)) return "friction must not be negative";
    if (given("side_friction") && !(p(4) > 0)) return "side_friction must be positive";
    if (!(p(5) > 0)) return "slip must be positive";
    if (!(p(6) > 0)) return "slip_angle must be positive";
    return tyre::refusal(p, kRelaxation, given);
  }

  template <typename T>
  static tyre::Answer<T> answer(const ForceInput<Tyre, T>& in) {
    using std::atan;
    tyre::Answer<T> out;
    const tyre::Touch<T> at = tyre::touch<T>(in, in.p(0), kGround);
    const T F = tyre::radial_force(at.wheel, in.p(0), in.p(1), in.p(2));
    const bool loaded = real_part(F) > 0;
    out.load = F;
    out.depth = at.wheel.depth;
    if (!loaded && real_part(in.p(kRelaxation)) == 0) return out;
    const T low = tyre::low_speed(in.p(7));
    const tyre::SlipState<T> slip = tyre::slip_state<T>(at, low,
                                                        {in.p(kRelaxation),
                                                         tyre::or_else(in.p(9), tyre::kRelaxation),
                                                         {in.z(0), in.z(1)},
                                                         in.p(5),
                                                         in.p(6)});
    out.g(0) = slip.rate[0];
    out.g(1) = slip.rate[1];
    if (!loaded) return out;
    const T x = slip.along / in.p(5), y = atan(slip.across) / in.p(6);
    const T across = real_part(in.p(4)) == 0 ? in.p(4) + in.p(3) : in.p(4);
    const T part = F * tyre::limited<T>(x * x + y * y);
    out.slip = slip.along;
    out.angle = y * in.p(6);
    out.along = in.p(3) * part * x;
    out.across = across * part * y;
    out.e =
        at.axes.back(tyre::wrench<T>(at.wheel, out.along, out.across, F,
                                     tyre::scrub<T>(at.wheel, (in.p(3) + across) * 0.5, F, low)));
    return out;
  }
  static constexpr auto signals = tyre::kSignalInfo;
  template <typename T>
  static Vec<T, tyre::kSignals> signal_values(const ForceInput<Tyre, T>& in) {
    return answer(in).signals();
  }
  template <typename T>
  static Vec<T, 6> effort(const ForceInput<Tyre, T>& in) {
    return answer(in).e;
  }
  template <typename T>
  static Vec<T, 2> rate(const ForceInput<Tyre, T>& in) {
    return answer(in).g;
  }

  static constexpr auto switches = tyre::kSwitches;
  static Vec<double, 2> switch_values(const ForceInput<Tyre, double>& in) {
    const tyre::LoadSwitches at(in, kGround);
    return {at.depth, at.pulling};
  }

  static void partials(const ForceInput<Tyre, double>& in, ForceStructPartials<Tyre>& out) {
    if (in.p(kGround) != 0) return tyre::jet_partials<Tyre, true>(in, out);
    if (in.p(kRelaxation) != 0) return tyre::jet_partials<Tyre, false>(in, out);
    plane_partials(in, out);
  }

  template <typename T>
  static T energy(const ForceInput<Tyre, T>& in) {
    const WheelCircle<T> wheel = tyre::touch<T>(in, in.p(0), kGround).wheel;
    if (!(real_part(wheel.depth) > 0)) return T(0.0);
    return in.p(1) * wheel.depth * wheel.depth * 0.5;
  }

 private:
  /// Contact and wrench by jets; the law between them by hand. In the attributes the wrench is linear in (F_x, F_y, F, drag).
  static void plane_partials(const ForceInput<Tyre, double>& in, ForceStructPartials<Tyre>& out) {
    using J = tyre::PlaneContact::J;
    tyre::clear(out);
    const tyre::PlaneContact at(in);
    const tyre::Load F(at.wheel.depth.value, at.wheel.closing.value, in.p(0), in.p(1), in.p(2));
    if (!(F.value > 0)) return;
    const double across = in.p(4) == 0 ? in.p(3) : in.p(4), low = tyre::low_speed(in.p(7));
    const tyre::Slip slip(at.along.value, at.side.value, at.rolling.value, in.p(5), in.p(6), low);
    const tyre::Scrub rub(at.wheel.upright.value, at.square.value, low);
    const double mean = 0.5 * (in.p(3) + across);
    const J load = at.load(F);
    const J P(slip.P, at.along.derivatives * slip.P_along + at.side.derivatives * slip.P_side +
                          at.rolling.derivatives * slip.P_rolling);
    const J Q(slip.Q, at.along.derivatives * slip.Q_along + at.side.derivatives * slip.Q_side +
                          at.rolling.derivatives * slip.Q_rolling);
    tyre::PlaneContact::spread(
        tyre::wrench<J>(at.wheel, load * P * in.p(3), load * Q * across, load,
                        load * at.scrub(rub) * mean),
        out);
    const WheelCircle<double> here = tyre::touch<double>(in, in.p(0), kGround).wheel;
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
};

}  // namespace kinegrad

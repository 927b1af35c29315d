// The Calspan tyre of the Iltis on a plane or a ground (docs/theory/tyres.md, [TY]): contact, load F, slip κ and slip angle α as those of `tyre_parts.hpp`, frames as those of `tyre.hpp`.
// With the camber γ, sin γ = u_z, and F̂ = min(F, A₂):
//
//   f = (B₁F + B₃ + B₄F²) SN,   C = A₁F̂(F̂ − A₂) − A₀A₂                                                [TY-7]
//   ᾱ = (−C α − A₂A₃(A₄ − F̂)F̂γ/A₄)/(A₂ f F),   g = ᾱ − ᾱ|ᾱ|/3 + ᾱ³/27 below |ᾱ| = 3, ±1 beyond
//   F_x = μ_x F s(κ/κ_c),   F_y = f F g √(1 − 0.99 s²),   M_z = (AF₁F + AF₂|F_y|)F_y                     [TY-8]
//
// CAUTION: the benchmark's slip angle is atan(v_lat/v_long), minus the α of [TY-4]; its load beyond A₂ counts as A₂ in the stiffnesses.
// Camber thrust has no potential, and this force states no energy.
#pragma once

#include "kinegrad/forces/calspan_slopes.hpp"
#include "kinegrad/forces/tyre_plane.hpp"

namespace kinegrad {

struct CalspanTyre {
  static constexpr std::string_view name = "calspan-tyre";
  static constexpr std::string_view summary =
      "wheel on a plane or ground: Calspan's lateral force, camber thrust and aligning torque";
  static constexpr PortKind port = PortKind::kFramePair;
  static constexpr bool passive = false;  // camber thrust pushes
  static constexpr auto attributes = tyre::with_common(std::array<AttributeInfo, 17>{
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
        "v_low: below it slip counts as velocity; 0.1 if not given"}}});
  static constexpr auto states = tyre::kStates;
  static constexpr int kRelaxation = 17, kGround = 19;  ///< in p
  static constexpr double kCritical = calspan::kSlip;   ///< κ_c, and α_c of the carcass

  static int state_count(const Vec<double, 25>& p) { return p(kRelaxation) == 0 ? 0 : 2; }
  static constexpr int bristles = 2;
  /// The forces of slip are limited themselves.
  static double carried(const ForceStates<double>&, const AttributeVector<double>&) { return 0; }
  static std::string refusal(const Vec<double, 25>& p,
                             const std::function<bool(std::string_view)>& given) {
    if (!(p(5) > 0)) return "A2 must be positive";
    if (!(p(7) > 0)) return "A4 must be positive";
    if (!(p(11) > 0)) return "SN must be positive";
    if (!(p(14) >= 0)) return "friction must not be negative";
    if (given("slip") && !given("friction")) return "slip belongs to a friction";
    if (given("slip") && !(p(15) > 0)) return "slip must be positive";
    return tyre::refusal(p, kRelaxation, given);
  }

  static constexpr auto signals = tyre::kSignalInfo;
  template <typename T>
  static Vec<T, tyre::kSignals> signal_values(const ForceInput<CalspanTyre, T>& in) {
    return answer(in).signals();
  }
  template <typename T>
  static Vec<T, 6> effort(const ForceInput<CalspanTyre, T>& in) {
    return answer(in).e;
  }
  template <typename T>
  static Vec<T, 2> rate(const ForceInput<CalspanTyre, T>& in) {
    return answer(in).g;
  }

  template <typename T>
  static tyre::Answer<T> answer(const ForceInput<CalspanTyre, T>& in) {
    using std::atan;
    using std::sqrt;
    tyre::Answer<T> out;
    const tyre::Touch<T> at = tyre::touch<T>(in, in.p(0), kGround);
    const WheelCircle<T>& wheel = at.wheel;
    const T F = tyre::radial_force(wheel, in.p(0), in.p(1), in.p(2));
    const bool loaded = real_part(F) > 0;
    out.load = F;
    out.depth = wheel.depth;
    if (!loaded && real_part(in.p(kRelaxation)) == 0) return out;
    const T low = tyre::low_speed(in.p(16)), critical = tyre::or_else(in.p(15), kCritical);
    const tyre::SlipState<T> slip = tyre::slip_state<T>(at, low,
                                                        {in.p(kRelaxation),
                                                         tyre::or_else(in.p(18), tyre::kRelaxation),
                                                         {in.z(0), in.z(1)},
                                                         critical,
                                                         T(kCritical)});
    out.g(0) = slip.rate[0];
    out.g(1) = slip.rate[1];
    if (!loaded) return out;
    const Law<T> law(F, slip.along, slip.across, camber<T>(at.axes, in), in.p);
    out.slip = slip.along;
    out.angle = atan(slip.across);
    out.along = law.along;
    out.across = law.across;
    out.e = tyre::wrench<T>(wheel, law.along, law.across, F,
                            tyre::scrub<T>(wheel, law.friction, F, low));
    out.e(2) = out.e(2) + law.aligning;
    out.e = at.axes.back(out.e);
    return out;
  }

  static constexpr std::array<SwitchInfo, 3> switches{
      {tyre::kSwitches[0],
       tyre::kSwitches[1],
       {"its load passes A2", "take A2 above the loads of the run"}}};
  static Vec<double, 3> switch_values(const ForceInput<CalspanTyre, double>& in) {
    const tyre::LoadSwitches at(in, kGround);
    const double none = std::numeric_limits<double>::quiet_NaN();
    return {at.depth, at.pulling, at.load() > 0 ? at.load() - in.p(5) : none};
  }

  static void partials(const ForceInput<CalspanTyre, double>& in,
                       ForceStructPartials<CalspanTyre>& out) {
    if (in.p(kGround) != 0) return tyre::jet_partials<CalspanTyre, true>(in, out);
    if (in.p(kRelaxation) != 0) return tyre::jet_partials<CalspanTyre, false>(in, out);
    plane_partials(in, out);
  }

 private:
  /// γ = asin u_z, whose slope stays finite where the wheel lies.
  template <typename T>
  static T camber_of(const T (&u)[3]) {
    using std::atan;
    using std::sqrt;
    constexpr double kRound = 1e-2;  // a wheel that lies: below, √t goes on along its tangent in t
    const T t = u[0] * u[0] + u[1] * u[1];
    const T cosine = real_part(t) > kRound * kRound ? sqrt(t) : t * (0.5 / kRound) + 0.5 * kRound;
    return atan(u[2] / (cosine + 1.0)) * 2.0;
  }
  template <typename T>
  static T camber(const contact::Axes<T>& axes, const ForceInput<CalspanTyre, T>& in) {
    const T axis[3] = {in.x(5), in.x(8), in.x(11)};
    T u[3];
    axes.into(axis, u);
    return camber_of<T>(u);
  }

  /// [TY-7] and [TY-8] of a load that is positive, with κ, tan α, γ and the attributes.
  template <typename T>
  struct Law {
    T along, across, aligning;  ///< F_x, F_y, M_z
    T friction;                 ///< f

    template <typename P>
    Law(const T& F, const T& slip, const T& tangent, const T& gamma, const P& p) {
      using std::atan;
      using std::sqrt;
      const T x = slip / tyre::or_else<T>(p(15), kCritical);
      const T s = x * tyre::limited<T>(x * x);
      friction = (p(8) * F + p(9) + p(10) * F * F) * p(11);
      const T peak = friction * F;
      across = peak * shape<T>(normalized(p, F, atan(tangent), gamma, peak)) *
               sqrt(1.0 - s * s * 0.99);
      const T size = real_part(across) < 0 ? -across : across;
      aligning = (p(12) * F + p(13) * size) * across;
      along = p(14) * F * s;
    }
  };
  /// ᾱ of [TY-7]; `peak` is f F.
  template <typename T, typename P>
  static T normalized(const P& p, const T& F, const T& alpha, const T& gamma, const T& peak) {
    const T A0 = p(3), A1 = p(4), A2 = p(5), A3 = p(6), A4 = p(7);
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

  /// Contact by jets, the law by hand, joined by the chain rule; in the attributes the wrench is linear in (F_x, F_y, F, drag).
  static void plane_partials(const ForceInput<CalspanTyre, double>& in,
                             ForceStructPartials<CalspanTyre>& out) {
    using J = tyre::PlaneContact::J;
    using Slopes = calspan::Slopes;
    tyre::clear(out);
    const tyre::PlaneContact at(in);
    const tyre::Load F(at.wheel.depth.value, at.wheel.closing.value, in.p(0), in.p(1), in.p(2));
    if (!(F.value > 0)) return;
    const J gamma = camber_of<J>(at.u), load = at.load(F);
    const double low = tyre::low_speed(in.p(16)), xi = at.along.value, eta = at.side.value,
                 zeta = at.rolling.value, inverse = 1 / std::sqrt(zeta * zeta + low * low),
                 slip = -xi * inverse, tangent = -eta * inverse, turned = inverse * inverse;
    const Slopes law(F.value, slip, tangent, gamma.value, in.p);
    const J kappa(slip, at.along.derivatives * -inverse -
                            at.rolling.derivatives * (slip * zeta * turned)),
        across(tangent, at.side.derivatives * -inverse -
                            at.rolling.derivatives * (tangent * zeta * turned));
    const auto joined = [&](const Slopes::Row& y) {
      return J(y.value, load.derivatives * y[Slopes::kLoad] + kappa.derivatives * y[Slopes::kSlip] +
                            across.derivatives * y[Slopes::kTangent] +
                            gamma.derivatives * y[Slopes::kCamber]);
    };
    const tyre::Scrub rub(at.wheel.upright.value, at.square.value, low);
    Vec<J, 6> e = tyre::wrench<J>(at.wheel, joined(law.along), joined(law.across), load,
                                  joined(law.friction) * load * at.scrub(rub));
    e(2) = e(2) + joined(law.aligning);
    tyre::PlaneContact::spread(e, out);
    const WheelCircle<double> here = tyre::touch<double>(in, in.p(0), kGround).wheel;
    const auto column = [&](int k, const auto& of, double by_load, double by_low) {
      const double drag = (of(law.friction) * F.value + law.friction.value * by_load) * rub.value +
                          law.friction.value * F.value * by_low;
      out.e_p.col(k) = tyre::wrench<double>(here, of(law.along), of(law.across), by_load, drag);
      out.e_p(2, k) += of(law.aligning);
    };
    for (int k = 0; k < 2; ++k) {
      const double by = k == 0 ? F.by_stiffness : F.by_damping;
      column(1 + k, [&](const Slopes::Row& y) { return y[Slopes::kLoad] * by; }, by, 0);
    }
    for (int k = 3; k < 16; ++k) {
      column(k, [&](const Slopes::Row& y) { return y[Slopes::kAttribute + k - 3]; }, 0, 0);
    }
    const auto by_low = [&](const Slopes::Row& y) {
      return -(y[Slopes::kSlip] * slip + y[Slopes::kTangent] * tangent) * low * turned;
    };
    column(16, by_low, 0, rub.by_low);
  }
};

}  // namespace kinegrad

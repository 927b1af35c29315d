// What tyres share (docs/theory/tyres.md, [TY]): the load of a wheel on a plane or ground, the limit of slip, the carcass that follows slip, and the
// wrench. With the contact of `wheel_circle.hpp` in axes of the plane that it touches [GR-2]:
//
//   F = kδ + c S(δ/δ₀) δ̇ where that is positive and δ > 0, else 0;   S = s²(3 − 2s), δ₀ = R/100           [TY-3]
//   V² = (bᵀḋ)² + v_low²,   κ = −bᵀv/V,   tan α = −lᵀv/V                                               [TY-4]
//
// With a relaxation length σ the carcass is deflected by s = (s_x, s_y), and slip follows it:               [TY-10]
//
//   ṡ = −(bᵀv, lᵀv) − (|bᵀḋ| + B(ρ)|v|) s/σ,   (κ, tan α) = (s + τ ṡ)/σ
//
// |bᵀḋ| = (bᵀḋ)²/V vanishes at standstill, where the carcass is a spring with a damper and a parked car stands; B(ρ) is 0 while the slip is
// below saturation, ρ² = (s_x/σκ_c)² + (s_y/σα_c)² ≤ 1, and 1 from ρ² = 2 on, so that a tyre that slides is not stretched on and on.
#pragma once

#include <cmath>
#include <limits>

#include "kinegrad/forces/contact/tangent_plane.hpp"
#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/forces/wheel_circle.hpp"
#include "kinegrad/math/jet.hpp"

namespace kinegrad::tyre {

inline constexpr double kRamp = 0.01;        ///< δ₀/R
inline constexpr double kCorner = 0.2;       ///< half the width of the corner of s
inline constexpr double kLowSpeed = 0.1;     ///< v_low if it is not given, m/s
inline constexpr double kRelaxation = 0.02;  ///< τ if it is not given, s

/// [TY-3].
template <typename T>
T pushing_or_pulling(const WheelCircle<T>& wheel, const T& radius, const T& stiffness,
                     const T& damping) {
  T ramped = wheel.closing * damping;
  if (real_part(wheel.depth) < kRamp * real_part(radius)) {
    const T s = wheel.depth / (radius * kRamp);
    ramped = ramped * s * s * (3.0 - s * 2.0);
  }
  return stiffness * wheel.depth + ramped;
}
template <typename T>
T radial_force(const WheelCircle<T>& wheel, const T& radius, const T& stiffness, const T& damping) {
  if (!(real_part(wheel.depth) > 0)) return T(0.0);
  const T F = pushing_or_pulling(wheel, radius, stiffness, damping);
  return real_part(F) > 0 ? F : T(0.0);
}

/// s(ρ)/ρ of [TY-5] from ρ².
template <typename T>
T limited(const T& square) {
  using std::sqrt;
  constexpr double kFrom = 1 - kCorner, kTo = 1 + kCorner;
  const double size = real_part(square);
  if (!(size > kFrom * kFrom)) return T(1.0);
  const T rho = sqrt(square);
  if (size >= kTo * kTo) return 1.0 / rho;
  const T x = (rho - kFrom) * (1 / (2 * kCorner));
  return 1.0 - x * x * x * (2.0 - x) * kCorner / rho;
}

/// A number, or its default.
template <typename T>
T or_else(const T& given, double other) {
  return real_part(given) == 0 ? given + other : given;
}
template <typename T>
T low_speed(const T& given) {
  return or_else(given, kLowSpeed);
}

/// The friction of a wheel that lies: what it takes of the velocity of the contact [TY-6].
template <typename T>
T scrub(const WheelCircle<T>& wheel, const T& friction, const T& load, const T& low) {
  using std::sqrt;
  const T lying = 1.0 - wheel.upright;
  if (!(real_part(lying) > 1e-12)) return T(0.0);  // rounding of a wheel that stands
  return friction * load * lying * lying /
         sqrt(wheel.vx * wheel.vx + wheel.vy * wheel.vy + low * low);
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

/// A wheel on the plane or ground: its circle in axes of the plane that it touches.
template <typename T>
struct Touch {
  contact::Axes<T> axes;
  WheelCircle<T> wheel;
  T rolling;  ///< bᵀḋ
};

/// The ground is at p[ground …].
template <typename T, typename In>
Touch<T> touch(const In& in, const T& radius, int ground) {
  T height, u[3], w[3], v[3];
  const contact::Axes<T> axes = contact::tangent_plane<T>(in.x, in.p, ground, height);
  const T axis[3] = {in.x(5), in.x(8), in.x(11)}, turn[3] = {in.xdot(0), in.xdot(1), in.xdot(2)},
          rate[3] = {in.xdot(3), in.xdot(4), in.xdot(5)};
  axes.into(axis, u);
  axes.into(turn, w);
  axes.into(rate, v);
  const WheelCircle<T> wheel(radius, height, u, w, v);
  return {axes, wheel, wheel.bx * v[0] + wheel.by * v[1]};
}

/// Where the load of a tyre has branches.                                                        [KN-4]
inline constexpr std::array<SwitchInfo, 2> kSwitches{
    {{"it touches", "keep it on the road, or take a contact with hunt-crossley or hertz"},
     {"it lets go", "keep it on the road, or take less damping"}}};
/// Their values, and the load.
struct LoadSwitches {
  double depth, pulling = std::numeric_limits<double>::quiet_NaN();

  template <typename In>
  LoadSwitches(const In& in, int ground)
      : LoadSwitches(in, touch<double>(in, in.p(0), ground).wheel) {}
  double load() const { return pulling > 0 ? pulling : 0; }

 private:
  template <typename In>
  LoadSwitches(const In& in, const WheelCircle<double>& wheel) : depth(wheel.depth) {
    if (depth > 0) pulling = pushing_or_pulling(wheel, in.p(0), in.p(1), in.p(2));
  }
};

/// The carcass: σ (0: there is none), τ, deflections, and the slips κ_c, α_c at which it saturates.
template <typename T>
struct Carcass {
  T length, damping, s[2], slip, angle;
};

/// κ and tan α, and the rates of the deflections.
template <typename T>
struct SlipState {
  T along, across, rate[2] = {T(0.0), T(0.0)};
};

/// B of [TY-10] from ρ².
template <typename T>
T beyond(const T& square) {
  if (!(real_part(square) > 1)) return T(0.0);
  if (real_part(square) >= 2) return T(1.0);
  const T s = square - 1.0;
  return s * s * (3.0 - s * 2.0);
}

/// [TY-4] without a relaxation length, [TY-10] with one.
template <typename T>
SlipState<T> slip_state(const Touch<T>& at, const T& low, const Carcass<T>& carcass) {
  using std::sqrt;
  const WheelCircle<T>& wheel = at.wheel;
  const T along = wheel.bx * wheel.vx + wheel.by * wheel.vy,
          side = wheel.bx * wheel.vy - wheel.by * wheel.vx, square = at.rolling * at.rolling;
  const T inverse = 1.0 / sqrt(square + low * low);
  SlipState<T> out;
  if (real_part(carcass.length) == 0) {
    out.along = -(along * inverse);
    out.across = -(side * inverse);
    return out;
  }
  const T x = carcass.s[0] / (carcass.length * carcass.slip),
          y = carcass.s[1] / (carcass.length * carcass.angle);
  const T excess = beyond<T>(x * x + y * y);
  T speed = square * inverse;
  if (real_part(excess) > 0) speed = speed + excess * sqrt(along * along + side * side + low * low);
  const T pull = speed / carcass.length;
  out.rate[0] = -(along + pull * carcass.s[0]);
  out.rate[1] = -(side + pull * carcass.s[1]);
  const T damping = carcass.damping / (1.0 + carcass.damping * pull);
  out.along = (carcass.s[0] + damping * out.rate[0]) / carcass.length;
  out.across = (carcass.s[1] + damping * out.rate[1]) / carcass.length;
  return out;
}

/// What all tyres may have: a relaxation length, and a ground.
inline constexpr int kCommon = 3;
inline constexpr std::array<AttributeInfo, kCommon> kCommonInfo{
    {{"relaxation_length", "m", 1, false,
      "σ: way after which slip has built up; without one it is there at once, and the tyre creeps "
      "at standstill"},
     {"relaxation_damping", "s", 1, false,
      "τ: of the carcass, which is a spring at standstill; 0.02 if not given"},
     {.name = "ground",
      .unit = "m",
      .size = contact::kGround,
      .required = false,
      .description =
          "height of the road over the plane, an expression of x and y in the first frame",
      .variable = true,
      .ground = true}}};

template <std::size_t N>
constexpr std::array<AttributeInfo, N + kCommon> with_common(
    const std::array<AttributeInfo, N>& own) {
  std::array<AttributeInfo, N + kCommon> out;
  std::copy(kCommonInfo.begin(), kCommonInfo.end(), std::copy(own.begin(), own.end(), out.begin()));
  return out;
}

/// Why numbers that all tyres have make no sense, empty if they do. `common` is where theirs begin in p; a number that is not given is 0,
/// and a given 0 would be taken for it.
template <typename P>
std::string refusal(const P& p, int common, const std::function<bool(std::string_view)>& given) {
  if (!(p(0) > 0)) return "radius must be positive";
  if (!(p(1) >= 0)) return "stiffness must not be negative";
  if (!(p(2) >= 0)) return "damping must not be negative";
  if (given("low_speed") && !(p(common - 1) > 0)) return "low_speed must be positive";
  if (given("relaxation_length") && !(p(common) > 0)) return "relaxation_length must be positive";
  if (given("relaxation_damping") && !given("relaxation_length")) {
    return "relaxation_damping belongs to a relaxation_length";
  }
  if (given("relaxation_damping") && !(p(common + 1) > 0)) {
    return "relaxation_damping must be positive";
  }
  return {};
}

inline constexpr std::array<StateInfo, 2> kStates{{{"sx", "m"}, {"sy", "m"}}};

/// What tyres tell: the forces along b and l on the wheel without the scrub of one that lies, κ, the slip angle, and δ,
/// negative in the air.                                                                          [SG-9]
inline constexpr int kSignals = 6;
inline constexpr std::array<ForceSignal, kSignals> kSignalInfo{{{"normal_force", "N"},
                                                                {"friction_x", "N"},
                                                                {"friction_y", "N"},
                                                                {"slip", "1"},
                                                                {"slip_angle", "rad"},
                                                                {"penetration", "m"}}};

/// Effort and rates of states at once.
template <typename T>
struct Answer {
  T load = T(0.0), along = T(0.0), across = T(0.0), slip = T(0.0), angle = T(0.0), depth = T(0.0);
  Vec<T, 6> e = Vec<T, 6>::Constant(T(0.0));
  Vec<T, 2> g = Vec<T, 2>::Constant(T(0.0));

  Vec<T, kSignals> signals() const {
    Vec<T, kSignals> out;
    out << load, along, across, slip, angle, depth;
    return out;
  }
};

/// All partials of a tyre in one evaluation of F::answer, with derivatives in every number that counts: place (on a ground) or height, axis,
/// rates, attributes, states.
template <typename F, bool Ground>
void jet_partials(const ForceInput<F, double>& in, ForceStructPartials<F>& out) {
  constexpr int kReads = Ground ? 6 : 4;
  constexpr int kRead[6] = {2, 5, 8, 11, 0, 1};
  constexpr int kOwn = ForceInput<F, double>::np - (Ground ? 0 : contact::kGround);
  constexpr int kWidth = kReads + 6 + kOwn + 2;
  using Number = Jet<kWidth + kWidth % 2>;
  out.e_x.setZero();
  out.g_x.setZero();
  out.e_t.setZero();
  out.g_t.setZero();
  out.e_p.setZero();
  out.g_p.setZero();
  ForceInput<F, Number> seeded;
  for (int k = 0; k < 12; ++k) seeded.x(k) = Number(in.x(k));
  for (int k = 0; k < kReads; ++k) seeded.x(kRead[k]) = Number::variable(in.x(kRead[k]), k);
  for (int k = 0; k < 6; ++k) seeded.xdot(k) = Number::variable(in.xdot(k), kReads + k);
  for (int k = 0; k < ForceInput<F, double>::np; ++k) {
    seeded.p(k) = k < kOwn ? Number::variable(in.p(k), kReads + 6 + k) : Number(in.p(k));
  }
  for (int k = 0; k < 2; ++k) seeded.z(k) = Number::variable(in.z(k), kReads + 6 + kOwn + k);
  seeded.t = Number(in.t);
  const Answer<Number> at = F::template answer<Number>(seeded);
  const auto spread = [&](const Number& y, auto&& by_x, auto&& by_xdot, auto&& by_p, auto&& by_z) {
    for (int k = 0; k < kReads; ++k) by_x(kRead[k]) = y.derivatives(k);
    for (int k = 0; k < 6; ++k) by_xdot(k) = y.derivatives(kReads + k);
    for (int k = 0; k < kOwn; ++k) by_p(k) = y.derivatives(kReads + 6 + k);
    for (int k = 0; k < 2; ++k) by_z(k) = y.derivatives(kReads + 6 + kOwn + k);
  };
  for (int i = 0; i < 6; ++i) {
    spread(at.e(i), out.e_x.row(i), out.e_xdot.row(i), out.e_p.row(i), out.e_z.row(i));
  }
  for (int i = 0; i < 2; ++i) {
    spread(at.g(i), out.g_x.row(i), out.g_xdot.row(i), out.g_p.row(i), out.g_z.row(i));
  }
}

}  // namespace kinegrad::tyre

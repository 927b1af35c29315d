// Stops (docs/theory/forces.md, [BS]): nothing until a length or an angle s passes the end s₀ of its way, then a force that
// pushes it back. A bump stop stands below, a rebound stop above:
//
//   δ = s₀ − s  or  s − s₀,      |F| = k δⁿ where δ > 0, else 0,      V = k δⁿ⁺¹/(n + 1)           [BS-1]
//   F_δ = k n δⁿ⁻¹      F_k = δⁿ      F_n = k δⁿ ln δ
//
// Between points that coincide there is no direction: a rebound stop, which is loose there, has no force; a bump stop ends the run.
// n is 1 if it is not given; the derivative then jumps at δ = 0, with n > 1 it does not.
#pragma once

#include <functional>
#include <string>

#include "kinegrad/forces/scalar_law.hpp"

namespace kinegrad {

/// Side: +1 of a bump stop, which pushes s up, −1 of a rebound stop. p = k, s₀, n.
template <int Side>
struct StopLaw {
  template <typename T>
  static T force(const T& s, const T&, const Vec<T, 3>& p) {
    const T delta = T(Side) * (p(1) - s);
    if (!(real_part(delta) > 0)) return T(0);
    return T(Side) * p(0) * power(delta, p(2));
  }
  static LawSlopes<3> slopes(double s, double rate, const Vec<double, 3>& p) {
    LawSlopes<3> out;
    const double delta = Side * (p(1) - s);
    if (!(delta > 0)) return out;
    const double n = p(2) == 0 ? 1 : p(2), to_n = std::pow(delta, n);
    const double slope = p(0) * n * std::pow(delta, n - 1);
    out.force = force<double>(s, rate, p);
    out.by_s = -slope;
    out.by_p << Side * to_n, slope, p(2) == 0 ? 0 : Side * p(0) * to_n * std::log(delta);
    return out;
  }
  template <typename T>
  static T energy(const T& s, const Vec<T, 3>& p) {
    const T delta = T(Side) * (p(1) - s);
    if (!(real_part(delta) > 0)) return T(0);
    const T n = real_part(p(2)) == 0 ? T(1) : p(2);
    return p(0) * power(delta, n) * delta / (n + T(1));
  }
  template <typename T>
  static bool rests(double s, const Vec<T, 3>& p) {
    return Side * (real_part(p(1)) - s) < 0;
  }
  static constexpr std::array<SwitchInfo, 1> switches{
      {{"it begins", "give it an exponent above 1"}}};
  static Vec<double, 1> switch_values(double s, const Vec<double, 3>& p) {
    return Vec<double, 1>(Side * (p(1) - s));
  }

 private:
  /// δⁿ, δ > 0, with n = 1 where it is not given.
  template <typename T>
  static T power(const T& delta, const T& n) {
    using std::exp;
    using std::log;
    if (real_part(n) == 0) return delta;
    return exp(n * log(delta));
  }
};

namespace internal {
/// Attributes of a stop: units of k and of s₀, and what s₀ is called.
constexpr std::array<AttributeInfo, 3> stop_attributes(std::string_view stiffness,
                                                       std::string_view unit,
                                                       std::string_view end) {
  return {{{"stiffness", stiffness, 1, true, "k of k δⁿ", true},
           {end, unit, 1, true, "where the stop begins", true},
           {"exponent", "1", 1, false, "n; 1 if not given"}}};
}

struct StopNumbers {
  /// Why they make no sense, empty if they do. Below n = 1 the slope at δ = 0 is infinite.
  static std::string refusal(const Vec<double, 3>& p,
                             const std::function<bool(std::string_view)>& given) {
    if (!(p(0) >= 0)) return "stiffness must not be negative";
    if (given("exponent") && !(p(2) >= 1)) return "exponent must be at least 1";
    return {};
  }
};
}  // namespace internal

struct BumpStop : PointLaw<BumpStop, StopLaw<1>>, internal::StopNumbers {
  static constexpr std::string_view name = "bump-stop";
  static constexpr std::string_view summary = "pushes two points apart below a distance";
  static constexpr auto attributes = internal::stop_attributes("N/m^n", "m", "length");
};
struct TranslationalBumpStop : LengthLaw<TranslationalBumpStop, StopLaw<1>>, internal::StopNumbers {
  static constexpr std::string_view name = "translational-bump-stop";
  static constexpr std::string_view summary = "pushes a length of a joint up below its lower end";
  static constexpr auto attributes = internal::stop_attributes("N/m^n", "m", "length");
};
struct TorsionalBumpStop : AngleLaw<TorsionalBumpStop, StopLaw<1>>, internal::StopNumbers {
  static constexpr std::string_view name = "torsional-bump-stop";
  static constexpr std::string_view summary = "pushes an angle of a joint up below its lower end";
  static constexpr auto attributes = internal::stop_attributes("N m/rad^n", "rad", "angle");
};
struct AxialBumpStop : AxisLaw<AxialBumpStop, StopLaw<1>>, internal::StopNumbers {
  static constexpr std::string_view name = "axial-bump-stop";
  static constexpr std::string_view summary =
      "pushes a point out along an axis of a body below its lower end";
  static constexpr auto attributes = internal::stop_attributes("N/m^n", "m", "length");
};

struct ReboundStop : PointLaw<ReboundStop, StopLaw<-1>>, internal::StopNumbers {
  static constexpr std::string_view name = "rebound-stop";
  static constexpr std::string_view summary = "pulls two points together beyond a distance";
  static constexpr auto attributes = internal::stop_attributes("N/m^n", "m", "length");
};
struct TranslationalReboundStop : LengthLaw<TranslationalReboundStop, StopLaw<-1>>,
                                  internal::StopNumbers {
  static constexpr std::string_view name = "translational-rebound-stop";
  static constexpr std::string_view summary = "pulls a length of a joint down above its upper end";
  static constexpr auto attributes = internal::stop_attributes("N/m^n", "m", "length");
};
struct TorsionalReboundStop : AngleLaw<TorsionalReboundStop, StopLaw<-1>>, internal::StopNumbers {
  static constexpr std::string_view name = "torsional-rebound-stop";
  static constexpr std::string_view summary = "pulls an angle of a joint down above its upper end";
  static constexpr auto attributes = internal::stop_attributes("N m/rad^n", "rad", "angle");
};
struct AxialReboundStop : AxisLaw<AxialReboundStop, StopLaw<-1>>, internal::StopNumbers {
  static constexpr std::string_view name = "axial-rebound-stop";
  static constexpr std::string_view summary =
      "pulls a point back along an axis of a body beyond its upper end";
  static constexpr auto attributes = internal::stop_attributes("N/m^n", "m", "length");
};

}  // namespace kinegrad

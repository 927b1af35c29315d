// Normal forces of contacts as functions of the penetration δ > 0 and its rate (docs/theory/contact.md, [CT]). A law is a struct
// without data: its name, the force F, which never pulls, and the potential of its elastic part. A new one is its struct and its
// word in the list; a force chooses by `normal_law`.
//
//   hunt-crossley       K δⁿ (1 + χ δ̇)                                                       [CN-1]
//   hertz               the same with n = 3/2, K = (4/3) E* √R                               [CT-2]
//   kelvin-voigt        K δⁿ + D c δ̇ S(δ/δ₀),  c = 1 closing, `rebound` opening              [CT-3]
//   kelvin-voigt-jump   the same without the ramp S: it jumps at touch by Dδ̇
#pragma once

#include <cmath>
#include <limits>
#include <string_view>

#include "kinegrad/forces/word_list.hpp"
#include "kinegrad/math/scalar.hpp"

namespace kinegrad::contact {

/// What the laws read; 0 stands for the value that is said beside it.
template <typename T>
struct NormalNumbers {
  T stiffness;    ///< K
  T exponent;     ///< n: 3/2, 1 of kelvin-voigt
  T dissipation;  ///< χ
  T damping;      ///< D
  T rebound;      ///< c: 1
  T ramp;         ///< δ₀
  T modulus;      ///< E*
  T radius;       ///< R of the contact, from its geometry
};

/// S(s) = s²(3 − 2s) between 0 and 1 of s = δ/δ₀.
template <typename T>
T ramp(const T& depth, const T& length) {
  if (!(real_part(depth) > 0)) return T(0.0);
  if (real_part(depth) >= real_part(length)) return T(1.0);
  const T s = depth / length;
  return s * s * (3.0 - s * 2.0);
}

template <typename T>
T power(const T& x, const T& n) {
  using std::exp;
  using std::log;
  return exp(n * log(x));
}

template <typename T>
T or_else(const T& given, double other) {
  return real_part(given) == 0 ? given + other : given;
}

/// Values of switches of the normal laws: where it lets go although it is closed, and where closing turns into
/// opening; not a number: the law has no such branch.                                           [KN-4]
struct NormalSwitches {
  double lets_go, turns = std::numeric_limits<double>::quiet_NaN();
};

struct HuntCrossley {
  static constexpr std::string_view name = "hunt-crossley";
  static NormalSwitches switches(double, double closing, const NormalNumbers<double>& p) {
    return {p.dissipation * closing + 1};
  }
  template <typename T>
  static T force(const T& depth, const T& closing, const NormalNumbers<T>& p) {
    const T damped = p.dissipation * closing + 1.0;
    if (!(real_part(damped) > 0)) return T(0.0);
    return p.stiffness * power<T>(depth, or_else(p.exponent, 1.5)) * damped;
  }
  template <typename T>
  static T potential(const T& depth, const NormalNumbers<T>& p) {
    const T n = or_else(p.exponent, 1.5) + 1.0;
    return p.stiffness * power<T>(depth, n) / n;
  }
};

struct Hertz {
  static constexpr std::string_view name = "hertz";
  static NormalSwitches switches(double, double closing, const NormalNumbers<double>& p) {
    return {p.dissipation * closing + 1};
  }
  template <typename T>
  static T stiffness(const NormalNumbers<T>& p) {
    using std::sqrt;
    return p.modulus * sqrt(p.radius) * (4.0 / 3.0);
  }
  template <typename T>
  static T force(const T& depth, const T& closing, const NormalNumbers<T>& p) {
    using std::sqrt;
    const T damped = p.dissipation * closing + 1.0;
    if (!(real_part(damped) > 0)) return T(0.0);
    return stiffness(p) * depth * sqrt(depth) * damped;
  }
  template <typename T>
  static T potential(const T& depth, const NormalNumbers<T>& p) {
    using std::sqrt;
    return stiffness(p) * depth * depth * sqrt(depth) * 0.4;
  }
};

template <bool Ramp>
struct KelvinVoigtLaw {
  template <typename T>
  static T force(const T& depth, const T& closing, const NormalNumbers<T>& p) {
    const T F = pushing_or_pulling(depth, closing, p);
    return real_part(F) > 0 ? F : T(0.0);
  }
  static NormalSwitches switches(double depth, double closing, const NormalNumbers<double>& p) {
    const double F = pushing_or_pulling(depth, closing, p);
    const bool other = or_else(p.rebound, 1.0) != 1;  // damping while opening
    return {F, F > 0 && other ? closing : std::numeric_limits<double>::quiet_NaN()};
  }
  template <typename T>
  static T potential(const T& depth, const NormalNumbers<T>& p) {
    const T n = or_else(p.exponent, 1.0) + 1.0;
    return p.stiffness * power<T>(depth, n) / n;
  }
  static constexpr double kRampDepth = 1e-4;  ///< m

 private:
  template <typename T>
  static T pushing_or_pulling(const T& depth, const T& closing, const NormalNumbers<T>& p) {
    T damped = p.damping * closing;
    if (real_part(closing) < 0) damped = damped * or_else(p.rebound, 1.0);
    if constexpr (Ramp) damped = damped * contact::ramp<T>(depth, or_else(p.ramp, kRampDepth));
    return p.stiffness * power<T>(depth, or_else(p.exponent, 1.0)) + damped;
  }
};
struct KelvinVoigt : KelvinVoigtLaw<true> {
  static constexpr std::string_view name = "kelvin-voigt";
};
struct KelvinVoigtJump : KelvinVoigtLaw<false> {
  static constexpr std::string_view name = "kelvin-voigt-jump";
};

using NormalLaws = TypeList<HuntCrossley, Hertz, KelvinVoigt, KelvinVoigtJump>;
inline constexpr WordList<NormalLaws> kNormalWords;

/// F of the law at that place of the list; 0 without penetration.
template <typename T>
T normal_force(int law, const T& depth, const T& closing, const NormalNumbers<T>& p) {
  T out(0.0);
  if (!(real_part(depth) > 0)) return out;
  int k = 0;
  NormalLaws::for_each([&]<typename Law>() {
    if (k++ == law) out = Law::template force<T>(depth, closing, p);
  });
  return out;
}
/// The switches of that law; without penetration it has none.
inline NormalSwitches normal_switches(int law, double depth, double closing,
                                      const NormalNumbers<double>& p) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  NormalSwitches out{kNone, kNone};
  if (!(depth > 0)) return out;
  int k = 0;
  NormalLaws::for_each([&]<typename Law>() {
    if (k++ == law) out = Law::switches(depth, closing, p);
  });
  return out;
}
template <typename T>
T normal_potential(int law, const T& depth, const NormalNumbers<T>& p) {
  T out(0.0);
  if (!(real_part(depth) > 0)) return out;
  int k = 0;
  NormalLaws::for_each([&]<typename Law>() {
    if (k++ == law) out = Law::template potential<T>(depth, p);
  });
  return out;
}

}  // namespace kinegrad::contact

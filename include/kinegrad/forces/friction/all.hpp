// The friction laws. A new one is its header and its line here; a force chooses by the word `friction_law`.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "kinegrad/base/type_list.hpp"
#include "kinegrad/forces/friction/ambrosio.hpp"
#include "kinegrad/forces/friction/brown_mcphee.hpp"
#include "kinegrad/forces/friction/gonthier.hpp"
#include "kinegrad/forces/friction/lugre.hpp"
#include "kinegrad/forces/friction/static_bristle.hpp"
#include "kinegrad/forces/word_list.hpp"
#include "kinegrad/model/force_model.hpp"

namespace kinegrad::friction {

using Laws = TypeList<  //
    BrownMcPhee,        //
    Ambrosio,           //
    LuGre,              //
    Gonthier,           //
    StaticBristle>;

inline constexpr WordList<Laws> kWords;

/// The attributes of a force with such a law: the word, then numbers().
inline constexpr int kAttributes = 9;
inline constexpr std::array<AttributeInfo, kAttributes> kAttributeInfo{
    {{.name = "friction_law",
      .unit = "1",
      .required = false,
      .description = "law of friction; brown-mcphee if not given",
      .words = kWords.view()},
     {"friction", "1", 1, false, "μ_d: of sliding"},
     {"static_friction", "1", 1, false, "μ_s: the largest; as friction if not given"},
     {"slip_speed", "m/s", 1, false,
      "v_s: where friction is largest, or sliding complete (ambrosio); 1e-2 if not given"},
     {"rest_speed", "m/s", 1, false, "v_0: below it there is no friction (ambrosio)"},
     {"viscous_friction", "s/m", 1, false, "σ_2: per unit of normal force"},
     {"bristle_stiffness", "1/m", 1, false,
      "σ_0: of bristles, per unit of normal force (lugre, gonthier, static)"},
     {"bristle_damping", "s/m", 1, false, "σ_1: the same per unit of velocity"},
     {"dwell_time", "s", 1, false,
      "τ: in which sticking becomes firm (gonthier), or bristles of an open contact relax "
      "(static)"}}};

/// Where the memory of Gonthier's law starts.
inline constexpr AttributeInfo kDwellInfo{
    "dwell", "1", 1, false,
    "how long it has stuck at the start: 0 just now, 1 for long (gonthier)"};

/// From p[first …]: the word and the numbers.
template <typename T, typename P>
Numbers<T> numbers(const P& p, int first) {
  const auto or_else = [](const T& given, const T& other) {
    return real_part(given) == 0 ? given + other : given;
  };
  const T mu = p(first + 1);
  return {mu,
          or_else(p(first + 2), mu),
          or_else(p(first + 3), T(1e-2)),
          p(first + 4),
          p(first + 5),
          p(first + 6),
          p(first + 7),
          p(first + 8)};
}

/// The law at that place of the list.
template <int D, typename T>
Output<D, T> evaluate(int law, const Input<D, T>& in, const Numbers<T>& p) {
  Output<D, T> out;
  int k = 0;
  Laws::for_each([&]<typename Law>() {
    if (k++ == law) out = Law::template at<D, T>(in, p);
  });
  return out;
}

/// Where laws of friction have branches: two places, of a law that has them.                    [KN-4]
inline constexpr std::array<SwitchInfo, 2> kSwitches{
    {{"its friction turns from sliding to sticking", "take another law of friction"},
     {"its bristles carry all they can", "take another law of friction"}}};
template <int D>
Vec<double, 2> switch_values(int law, const Input<D, double>& in, const Numbers<double>& p) {
  Vec<double, 2> out = Vec<double, 2>::Constant(std::numeric_limits<double>::quiet_NaN());
  int k = 0;
  Laws::for_each([&]<typename Law>() {
    if (k++ != law) return;
    if constexpr (requires { Law::kBranches; }) out = Law::template branches<D>(in, p);
  });
  return out;
}

/// What its bristles carry at rest as a part of what they can; 0 of a law without a limit, or one that keeps it by itself. [KP-19]
template <int D>
double carried(int law, const Eigen::Ref<const VecX>& z, const Numbers<double>& p) {
  int k = 0;
  double out = 0;
  Laws::for_each([&]<typename Law>() {
    if (k++ != law) return;
    if constexpr (requires { Law::template carried<D>(z, p); }) {
      out = Law::template carried<D>(z, p);
    }
  });
  return out;
}

/// How many states it has.
template <int D>
int state_count(int law) {
  int k = 0, count = 0;
  Laws::for_each([&]<typename Law>() {
    if (k++ == law) count = Law::template states<D>;
  });
  return count;
}

/// Why numbers of a law make no sense, empty if they do.
inline std::string refusal(int law, const Numbers<double>& p,
                           const std::function<bool(std::string_view)>& given) {
  const auto is = [&](std::string_view name) { return word_place(kWords.view(), name) == law; };
  const bool bristles = is("lugre") || is("gonthier") || is("static");
  if (!(p.sliding >= 0)) return "friction must not be negative";
  if (!(p.sticking >= p.sliding)) return "static_friction is below friction";
  if (!(p.slip > 0)) return "slip_speed must be positive";
  if (!(p.viscous >= 0)) return "viscous_friction must not be negative";
  for (const std::string_view key : {"bristle_stiffness", "bristle_damping"}) {
    if (given(key) && !bristles) return std::string(key) + ": this friction law has no bristles";
  }
  if (given("rest_speed") && !is("ambrosio")) return "rest_speed belongs to ambrosio";
  if (!(p.rest >= 0 && p.rest < p.slip)) return "rest_speed must be between 0 and slip_speed";
  if (given("static_friction") && (is("ambrosio") || is("static"))) {
    return "static_friction: this friction law has none";
  }
  if (given("friction") && is("static")) return "friction: static friction has no limit";
  if (given("slip_speed") && is("static")) return "slip_speed: static friction does not slip";
  if (given("dwell_time") && !is("gonthier") && !is("static")) {
    return "dwell_time belongs to gonthier and static";
  }
  if (bristles && !(p.stiffness > 0)) return "needs bristle_stiffness, which must be positive";
  if (bristles && !(p.damping >= 0)) return "bristle_damping must not be negative";
  if (is("gonthier") && !(p.damping > 0)) return "needs bristle_damping, which must be positive";
  if ((is("gonthier") || is("static")) && !(p.dwell > 0)) {
    return "needs dwell_time, which must be positive";
  }
  if ((is("lugre") || is("gonthier")) && !(p.sliding > 0)) return "friction must be positive";
  return {};
}

/// The same of where its states start.
inline std::string start_refusal(int law, double dwell, std::span<const std::string_view> bristles,
                                 const std::function<bool(std::string_view)>& given) {
  for (const std::string_view key : bristles) {
    if (given(key) && state_count<1>(law) == 0) {
      return std::string(key) + ": this friction law has no bristles";
    }
  }
  if (!given("dwell")) return {};
  if (law != word_place(kWords.view(), "gonthier")) return "dwell belongs to gonthier";
  return dwell >= 0 && dwell <= 1 ? "" : "dwell must be between 0 and 1";
}

/// The same of the attributes p[first …], where a number that is not given is 0: a given 0 would be taken for it.
template <typename P>
std::string refusal(const P& p, int first, const std::function<bool(std::string_view)>& given) {
  if (given("static_friction") && p(first + 1) > 0 && !(p(first + 2) > 0)) {
    return "static_friction must be positive";
  }
  if (given("slip_speed") && !(p(first + 3) > 0)) return "slip_speed must be positive";
  return refusal(static_cast<int>(p(first)), numbers<double>(p, first), given);
}

}  // namespace kinegrad::friction

// A spring or damper given by expressions of its length and rate (docs/theory/forces.md, [NS]). The model turns it into a LawForce,
// whose numbers are outputs of the tape of the forces:
//
//   F̂ = F + F_s (s − ŝ) + F_ṡ (ṡ − ŝ̇)        V        V̇ = V_s ṡ + V_t                          [NS-1]
//
// F, F_s, F_ṡ, ŝ, ŝ̇, V, V̇ are evaluated by the tape at the same state, so s = ŝ and F̂ = F. The two differences bring the slopes
// of the law to Newton's matrix, which reads partial derivatives of forces with respect to the variables of their ports alone, and cancel in
// every derivative: what F_s dŝ takes away, the tape adds with dF. Hence F_s and F_ṡ need not be exact.
#pragma once

#include "kinegrad/forces/scalar_law.hpp"

namespace kinegrad {

/// p = F, F_s, F_ṡ, ŝ, ŝ̇, V, V̇. Slopes that are not finite are left out, as are derivatives by slopes: what they multiply is 0.
struct TapeLaw {
  template <typename T>
  static T force(const T& s, const T& rate, const Vec<T, 7>& p) {
    return p(0) + finite(p(1)) * (s - p(3)) + finite(p(2)) * (rate - p(4));
  }
  static LawSlopes<7> slopes(double s, double rate, const Vec<double, 7>& p) {
    LawSlopes<7> out;
    out.force = force<double>(s, rate, p);
    out.by_s = finite(p(1));
    out.by_rate = finite(p(2));
    out.by_p << 1, 0, 0, -out.by_s, -out.by_rate, 0, 0;
    return out;
  }

 private:
  template <typename T>
  static T finite(const T& slope) {
    return std::isfinite(real_part(slope)) ? slope : T(0);
  }
};

/// What a file says of a law: its force alone has a meaning to the element itself. p = F, …
struct WrittenLaw {
  template <typename T>
  static T force(const T&, const T&, const Vec<T, 2>& p) {
    return p(0);
  }
  static LawSlopes<2> slopes(double, double, const Vec<double, 2>& p) {
    LawSlopes<2> out;
    out.force = p(0);
    out.by_p(0) = 1;
    return out;
  }
};

namespace internal {
constexpr std::array<AttributeInfo, 2> law_attributes(std::string_view force) {
  return {{{"law", force, 1, false,
            "force, positive outwards: an expression of length (or angle), rate, t, parameters and "
            "signals",
            true},
           {"potential", "J", 1, false,
            "energy, an expression of length (or angle), t and parameters, whose negative slope is "
            "added to the law",
            true}}};
}

inline constexpr std::array<AttributeInfo, 7> kTapeAttributes{
    {{"force", "N", 1, true, "F", true},
     {"stiffness", "N/m", 1, true, "F_s", true},
     {"damping", "N s/m", 1, true, "F_ṡ", true},
     {"at", "m", 1, true, "ŝ", true},
     {"at_rate", "m/s", 1, true, "its rate", true},
     {"potential", "J", 1, true, "V", true},
     {"potential_rate", "W", 1, true, "V̇", true}}};
}  // namespace internal

struct NonlinearSpring : PointLaw<NonlinearSpring, WrittenLaw> {
  static constexpr std::string_view name = "nonlinear-spring";
  static constexpr std::string_view summary =
      "force between two points as an expression of length and rate";
  static constexpr auto attributes = internal::law_attributes("N");
};
struct TranslationalNonlinearSpring : LengthLaw<TranslationalNonlinearSpring, WrittenLaw> {
  static constexpr std::string_view name = "translational-nonlinear-spring";
  static constexpr std::string_view summary =
      "force on a length of a joint as an expression of length and rate";
  static constexpr auto attributes = internal::law_attributes("N");
};
struct TorsionalNonlinearSpring : AngleLaw<TorsionalNonlinearSpring, WrittenLaw> {
  static constexpr std::string_view name = "torsional-nonlinear-spring";
  static constexpr std::string_view summary =
      "torque on an angle of a joint as an expression of angle and rate";
  static constexpr auto attributes = internal::law_attributes("N m");
};
struct AxialNonlinearSpring : AxisLaw<AxialNonlinearSpring, WrittenLaw> {
  static constexpr std::string_view name = "axial-nonlinear-spring";
  static constexpr std::string_view summary =
      "force on a point along an axis of a body as an expression of length and rate";
  static constexpr auto attributes = internal::law_attributes("N");
};

/// The forces that are made of them; no file names them.
template <typename Written, template <typename, typename> typename On>
struct LawForce : On<LawForce<Written, On>, TapeLaw> {
  static constexpr std::string_view name = Written::name;
  static constexpr std::string_view summary = Written::summary;
  static constexpr auto attributes = internal::kTapeAttributes;

  template <typename T>
  static T energy(const ForceInput<LawForce, T>& in) {
    return in.p(5);
  }
  static double energy_rate(const ForceInput<LawForce, double>& in) { return in.p(6); }
};

}  // namespace kinegrad

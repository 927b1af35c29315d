// A spring with two slopes, as a leaf spring that meets a stop (docs/theory/forces.md, [LF]): stiffness k down to the kink s₁, k₂ below
// it, rest length s₀. With x = s − s₁ and the lower part m(x) of x, rounded over the width w if that is given,
//
//   m = ½(x − √(x² + w²)),   w = 0: min(x, 0)                                                     [LF-1]
//   F = −k (s − s₀) − (k₂ − k) m − c ṡ      V = ½ k (s − s₀)² + (k₂ − k) ∫m dx
//   m_x = ½(1 − x/√(x² + w²))      m_w = −½ w/√(x² + w²)      ∫m dx = ¼(x² − x√(x² + w²) − w² arsinh(x/w))
#pragma once

#include <limits>

#include "kinegrad/forces/scalar_law.hpp"

namespace kinegrad {

/// p = k, s₀, s₁, k₂, c, w.
struct LeafLaw {
  template <typename T>
  static T force(const T& s, const T& rate, const Vec<T, 6>& p) {
    return -p(0) * (s - p(1)) - (p(3) - p(0)) * lower(s - p(2), p(5)) - p(4) * rate;
  }
  static LawSlopes<6> slopes(double s, double rate, const Vec<double, 6>& p) {
    const double x = s - p(2), w = p(5), m = lower(x, w);
    const double root = std::sqrt(x * x + w * w);
    const double m_x = w == 0 ? (x < 0 ? 1.0 : 0.0) : 0.5 * (1 - x / root);
    const double m_w = w == 0 ? 0.0 : -0.5 * w / root;
    const double more = p(3) - p(0);
    LawSlopes<6> out;
    out.force = force<double>(s, rate, p);
    out.by_s = -p(0) - more * m_x;
    out.by_rate = -p(4);
    out.by_p << -(s - p(1)) + m, p(0), more * m_x, -m, -rate, -more * m_w;
    return out;
  }
  template <typename T>
  static T energy(const T& s, const Vec<T, 6>& p) {
    const T stretch = s - p(1), x = s - p(2);
    return T(0.5) * p(0) * stretch * stretch + (p(3) - p(0)) * lower_integral(x, p(5));
  }

  static constexpr std::array<SwitchInfo, 1> switches{
      {{"its stiffness changes", "give it a width"}}};
  static Vec<double, 1> switch_values(double s, const Vec<double, 6>& p) {
    const bool kink = p(5) == 0;
    return Vec<double, 1>(kink ? s - p(2) : std::numeric_limits<double>::quiet_NaN());
  }

 private:
  /// m(x); from above without cancellation, −½w²/(x + √(x² + w²)).
  template <typename T>
  static T lower(const T& x, const T& w) {
    using std::sqrt;
    if (real_part(w) == 0) return real_part(x) < 0 ? x : T(0);
    const T root = sqrt(x * x + w * w);
    if (real_part(x) < 0) return T(0.5) * (x - root);
    return T(-0.5) * w * w / (x + root);
  }
  template <typename T>
  static T lower_integral(const T& x, const T& w) {
    using std::log;
    using std::sqrt;
    if (real_part(w) == 0) return real_part(x) < 0 ? T(0.5) * x * x : T(0);
    const T root = sqrt(x * x + w * w);
    const double side =
        real_part(x) < 0 ? -1 : 1;  // arsinh is odd, and what is made of it even in w
    const T width = real_part(w) < 0 ? -w : w;
    const T arsinh = T(side) * log((T(side) * x + root) / width);
    return T(0.25) * (x * x - x * root - w * w * arsinh);
  }
};

namespace internal {
constexpr std::array<AttributeInfo, 6> leaf_attributes(std::string_view stiffness,
                                                       std::string_view unit, std::string_view rest,
                                                       std::string_view damping) {
  return {{{"stiffness", stiffness, 1, true, "k: above the kink", true},
           {rest, unit, 1, true, "s₀: where the force of the upper part vanishes", true},
           {"kink", unit, 1, true, "s₁: where the stiffness changes", true},
           {"stop_stiffness", stiffness, 1, true, "k₂: below the kink", true},
           {"damping", damping, 1, false, "force per unit rate", true, false, false},
           {"width", unit, 1, false, "w: over which the kink is rounded; a kink if not given"}}};
}
}  // namespace internal

struct LeafSpring : PointLaw<LeafSpring, LeafLaw> {
  static constexpr std::string_view name = "leaf-spring";
  static constexpr std::string_view summary = "spring with two slopes between two points";
  static constexpr auto attributes = internal::leaf_attributes("N/m", "m", "length", "N s/m");
};
struct TranslationalLeafSpring : LengthLaw<TranslationalLeafSpring, LeafLaw> {
  static constexpr std::string_view name = "translational-leaf-spring";
  static constexpr std::string_view summary = "spring with two slopes on a length of a joint";
  static constexpr auto attributes = internal::leaf_attributes("N/m", "m", "length", "N s/m");
};
struct TorsionalLeafSpring : AngleLaw<TorsionalLeafSpring, LeafLaw> {
  static constexpr std::string_view name = "torsional-leaf-spring";
  static constexpr std::string_view summary = "spring with two slopes on an angle of a joint";
  static constexpr auto attributes =
      internal::leaf_attributes("N m/rad", "rad", "angle", "N m s/rad");
};
struct AxialLeafSpring : AxisLaw<AxialLeafSpring, LeafLaw> {
  static constexpr std::string_view name = "axial-leaf-spring";
  static constexpr std::string_view summary =
      "spring with two slopes between a point and a plane of a body";
  static constexpr auto attributes = internal::leaf_attributes("N/m", "m", "length", "N s/m");
};

}  // namespace kinegrad

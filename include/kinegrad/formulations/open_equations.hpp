// What a regularised system leaves open of its constraint equations (docs/theory/singular_positions.md).
#pragma once

#include <algorithm>
#include <cmath>

#include "kinegrad/math/rank_rule.hpp"

namespace kinegrad {

/// What that does to the motion, in the norm of Gauss: over what masses and reactions do.         [OP-1]
class OpenEquations {
 public:
  /// An equation of a system with E, which missed so much in two passes, one after the other.
  struct Equation {
    double size = 0;       ///< diagonal of J M⁻¹Jᵀ
    double remaining = 0;  ///< [RK-1]
    double E = 0;
    double before = 0, missed = 0;
    double multiplier = 0;
  };
  /// Equations that vanish hold nothing and do not count.
  void add(const Equation& x) {
    if (!(x.size > 0) || !(x.remaining > rank::kClear)) return;
    const double effect = x.missed * amplification(x);
    effect_ = std::max(effect_, effect * effect / x.size);  // holomorphic: a size
    scale_ += x.size * x.multiplier * x.multiplier;
  }
  /// A coordinate with that acceleration, or speed, and inverse mass.
  void add_motion(double inverse_mass, double motion) {
    if (inverse_mass > 0) scale_ += motion * motion / inverse_mass;
  }
  double value() const { return scale_ > 0 ? std::sqrt(effect_ / scale_) : 0; }

 private:
  /// From ρ = E/(σ + E), by which what is missed falls from pass to pass, with s = σ/E = 1/ρ − 1: where the equation says
  /// something new the motion misses 1/√σ times as much; where it does not, three passes push along it with missed/E
  /// each, which moves by √σ.                                                                      [OP-3]
  static double amplification(const Equation& x) {
    constexpr double kDepends = 0.9, kPasses = 3;
    constexpr double kLeast = 1e-4;  // as far as rounding lets the rate be known
    if (!(x.missed > 0) || !(x.before > 0)) return 0;
    const double rate = std::min(1.0, x.missed / x.before);  // holomorphic: a size
    const double s = 1 / rate - 1, E = x.E / x.size;
    if (rate > kDepends) return kPasses * std::sqrt(std::max(s, kLeast) / E);  // holomorphic: sizes
    return s * E < 1 ? 1 / std::sqrt(s * E) : 1;
  }

  double effect_ = 0, scale_ = 0;
};

}  // namespace kinegrad

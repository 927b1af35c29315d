// What a regularised system leaves open of its constraint equations (docs/theory/singular_positions.md).
#pragma once

#include <algorithm>
#include <cmath>

#include "kinegrad/math/rank_rule.hpp"

namespace kinegrad {

/// What that does to the motion, in the norm of Gauss: over what masses and reactions do.         [LO-1]
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
    const double carried = std::max(0.0, std::abs(x.multiplier) - pushed(x));
    scale_ += x.size * carried * carried;
  }
  /// aᵀM a of accelerations, or of speeds.
  void add_motion(double square) { scale_ += square; }
  double value() const { return scale_ > 0 ? std::sqrt(effect_ / scale_) : 0; }

 private:
  /// From ρ = E/(σ + E), by which what is missed falls from pass to pass, with s = σ/E = 1/ρ − 1: where the equation says
  /// something new the motion misses 1/√σ times as much; where it does not, three passes push along it with missed/E
  /// each, which moves by √σ.                                                                      [LO-3]
  static double amplification(const Equation& x) {
    constexpr double kLeast = 1e-6;  // as far as rounding lets the rate be known
    if (!(x.missed > 0) || !(x.before > 0)) return 0;
    const double rate = rate_of(x);
    const double s = 1 / rate - 1, E = x.E / x.size;
    if (rate > kDepends) return kPasses * std::sqrt(std::max(s, kLeast) / E);  // holomorphic: sizes
    return s * E < 1 ? 1 / std::sqrt(s * E) : 1;
  }

  /// What the passes push with is no reaction of the mechanism, and no measure of it.
  static double pushed(const Equation& x) {
    return x.E > 0 && x.before > 0 && rate_of(x) > kDepends ? kPasses * x.missed / x.E : 0;
  }
  static double rate_of(const Equation& x) {
    return std::min(1.0, x.missed / x.before);  // holomorphic: a size
  }

  static constexpr double kDepends = 0.9, kPasses = 3;
  double effect_ = 0, scale_ = 0;
};

}  // namespace kinegrad

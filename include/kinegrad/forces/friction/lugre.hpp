// LuGre: bristles w that bend with v and slip where they carry g(v),                                    [FL-4]
//
//   ẇ = v − σ₀|v| w/g,   g = μ_d + (μ_s − μ_d) exp(−(v/v_s)²),   φ = σ₀w + σ₁ẇ + σ₂v,   |v| = v·v/√(v·v + ε²)
//
// |v| vanishes at rest, so that bristles which carry less than μ_s do not creep.
#pragma once

#include "kinegrad/forces/friction/friction_law.hpp"

namespace kinegrad::friction {

struct LuGre {
  static constexpr std::string_view name = "lugre";
  template <int D>
  static constexpr int states = D;

  template <int D, typename T>
  static Output<D, T> at(const Input<D, T>& in, const Numbers<T>& p) {
    using std::exp;
    using std::sqrt;
    const T rest = p.slip * kRest, square = square_of<D, T>(in.v);
    const T speed = square / sqrt(square + rest * rest);
    const T g = p.sliding + (p.sticking - p.sliding) * exp(-(square / (p.slip * p.slip)));
    const T slip = p.stiffness * speed / g;
    Output<D, T> out;
    for (int i = 0; i < D; ++i) {
      out.rate(i) = in.v(i) - slip * in.z(i);
      out.phi(i) = p.stiffness * in.z(i) + p.damping * out.rate(i) + p.viscous * in.v(i);
    }
    return out;
  }

  /// At rest |v| of [FL-4] vanishes, and bristles bent beyond g(0) = μ_s would be let stand.
  template <int D>
  static double carried(const Eigen::Ref<const VecX>& z, const Numbers<double>& p) {
    return part_of<D>(z, p.stiffness, p.sticking);
  }
};

}  // namespace kinegrad::friction

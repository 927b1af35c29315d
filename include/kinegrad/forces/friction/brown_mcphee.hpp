// Brown and McPhee's law, smooth at rest:                                                               [FL-2]
//
//   s² = v·v + ε²,  ε = v_s/100,  x = s/v_s,   φ = [μ_d tanh 4x + (μ_s − μ_d) x/((x/2)² + ¾)²] v/s + σ₂ v
#pragma once

#include "kinegrad/forces/friction/friction_law.hpp"

namespace kinegrad::friction {

struct BrownMcPhee {
  static constexpr std::string_view name = "brown-mcphee";
  template <int D>
  static constexpr int states = 0;

  template <int D, typename T>
  static Output<D, T> at(const Input<D, T>& in, const Numbers<T>& p) {
    using std::sqrt;
    using std::tanh;
    const T rest = p.slip * kRest;
    const T s = sqrt(square_of<D, T>(in.v) + rest * rest), x = s / p.slip;
    const T hump = x * x * 0.25 + 0.75;
    const T mu = p.sliding * tanh(x * 4.0) + (p.sticking - p.sliding) * x / (hump * hump);
    const T slope = mu / s + p.viscous;
    Output<D, T> out;
    for (int i = 0; i < D; ++i) out.phi(i) = slope * in.v(i);
    return out;
  }
};

}  // namespace kinegrad::friction

// Ambrósio's law with a ramp that has a slope everywhere:                                               [FL-3]
//
//   s² = v·v + ε²,  x = (s − v_0)/(v_s − v_0) between 0 and 1,   φ = μ_d x²(3 − 2x) v/s + σ₂ v
#pragma once

#include "kinegrad/forces/friction/friction_law.hpp"

namespace kinegrad::friction {

struct Ambrosio {
  static constexpr std::string_view name = "ambrosio";
  template <int D>
  static constexpr int states = 0;

  template <int D, typename T>
  static Output<D, T> at(const Input<D, T>& in, const Numbers<T>& p) {
    using std::sqrt;
    const T rest = p.slip * kRest;
    const T s = sqrt(square_of<D, T>(in.v) + rest * rest);
    T part(1.0);
    if (real_part(s) <= real_part(p.rest)) {
      part = T(0.0);
    } else if (real_part(s) < real_part(p.slip)) {
      const T x = (s - p.rest) / (p.slip - p.rest);
      part = x * x * (3.0 - x * 2.0);
    }
    const T slope = p.sliding * part / s + p.viscous;
    Output<D, T> out;
    for (int i = 0; i < D; ++i) out.phi(i) = slope * in.v(i);
    return out;
  }
};

}  // namespace kinegrad::friction

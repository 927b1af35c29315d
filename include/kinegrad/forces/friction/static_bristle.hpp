// Static friction without a limit: bristles that are springs while the contact is closed, S = 1, and forget where it is
// open, S = 0. The anchor that a foot would set at touch-down is a state that jumps; this is its smooth form.   [FL-6]
//
//   ẇ = S v − (1 − S) w/τ,      φ = σ₀w + σ₁ẇ + σ₂v
#pragma once

#include "kinegrad/forces/friction/friction_law.hpp"

namespace kinegrad::friction {

struct StaticBristle {
  static constexpr std::string_view name = "static";
  template <int D>
  static constexpr int states = D;

  template <int D, typename T>
  static Output<D, T> at(const Input<D, T>& in, const Numbers<T>& p) {
    Output<D, T> out;
    for (int i = 0; i < D; ++i) {
      out.rate(i) = in.closed * in.v(i) - (1.0 - in.closed) * in.z(i) / p.dwell;
      out.phi(i) = p.stiffness * in.z(i) + p.damping * out.rate(i) + p.viscous * in.v(i);
    }
    return out;
  }
};

}  // namespace kinegrad::friction

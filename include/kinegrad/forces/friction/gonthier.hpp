// Gonthier's law: bristles w, and a dwell state d that remembers how long the contact has been sticking. With
// s = exp(−(v/v_s)²), 1 at rest and 0 in sliding,                                                      [FL-5]
//
//   ẇ = s v + (1 − s)[μ_d dir(v) − σ₀w]/σ₁,   ḋ = (s − d)/τ,  τ = τ_d where s ≥ d, σ₁/σ₀ else
//   φ = sat(σ₀w + σ₁ẇ, μ_d + (μ_s − μ_d) d) + σ₂v
//
// dir(v) = v/|v| beyond v_ε = v_s/100, below (v/v_ε)(3/2 − ½(|v|/v_ε)²); sat shortens a vector to a length. At rest ẇ = v
// and the bristles are springs; in sliding σ₀w + σ₁ẇ = μ_d dir(v), whatever w is.
#pragma once

#include <limits>

#include "kinegrad/forces/friction/friction_law.hpp"

namespace kinegrad::friction {

struct Gonthier {
  static constexpr std::string_view name = "gonthier";
  template <int D>
  static constexpr int states = D + 1;

  template <int D, typename T>
  static Output<D, T> at(const Input<D, T>& in, const Numbers<T>& p) {
    using std::exp;
    using std::sqrt;
    const T square = square_of<D, T>(in.v), s = exp(-(square / (p.slip * p.slip)));
    const T direction = over_speed<T>(square, p.slip * kRest), d = in.z(D);
    Output<D, T> out;
    Vec<T, D> bristle;
    for (int i = 0; i < D; ++i) {
      const T sliding = (p.sliding * direction * in.v(i) - p.stiffness * in.z(i)) / p.damping;
      out.rate(i) = s * in.v(i) + (1.0 - s) * sliding;
      bristle(i) = p.stiffness * in.z(i) + p.damping * out.rate(i);
    }
    const bool dwells = real_part(s) >= real_part(d);
    out.rate(D) = dwells ? (s - d) / p.dwell : (s - d) * p.stiffness / p.damping;
    const T most = p.sliding + (p.sticking - p.sliding) * d, length = square_of<D, T>(bristle);
    T part(1.0);
    if (real_part(length) > real_part(most) * real_part(most)) part = most / sqrt(length);
    for (int i = 0; i < D; ++i) out.phi(i) = part * bristle(i) + p.viscous * in.v(i);
    return out;
  }

  static constexpr int kBranches = 2;
  /// Where the memory turns from forgetting to sticking, and where the bristles carry all they can.  [KN-4]
  /// Steady sliding and rest are at both to rounding, and at no branch: the memory is at its end, and the bristles, which follow
  /// the speed alone, carry μ_d by their own law.
  template <int D>
  static Vec<double, kBranches> branches(const Input<D, double>& in, const Numbers<double>& p) {
    constexpr double kRounding = 1e-14, kNoBranch = std::numeric_limits<double>::quiet_NaN();
    const double s = std::exp(-square_of<D, double>(in.v) / (p.slip * p.slip)), d = in.z(D);
    const Output<D, double> at = Gonthier::at<D, double>(in, p);
    double carried = 0;
    for (int i = 0; i < D; ++i) {
      carried = std::hypot(carried, p.stiffness * in.z(i) + p.damping * at.rate(i));
    }
    const double most = p.sliding + (p.sticking - p.sliding) * d;
    const bool steady = std::abs(s - d) <= kRounding;
    const bool sliding = s <= kRounding && std::abs(most - carried) <= kRounding * most;
    return {steady ? kNoBranch : s - d, sliding ? kNoBranch : most - carried};
  }

 private:
  /// dir(v)/v.
  template <typename T>
  static T over_speed(const T& square, const T& least) {
    using std::sqrt;
    if (real_part(square) > real_part(least) * real_part(least)) return 1.0 / sqrt(square);
    const T part = square / (least * least);
    return (1.5 - part * 0.5) / least;
  }
};

}  // namespace kinegrad::friction

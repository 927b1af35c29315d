// The law of the Calspan tyre [TY-7], [TY-8] with its slopes by hand (docs/theory/tyres.md). With P = f F and n = Cα + A₂A₃(A₄ − F̂)F̂γ/A₄, so
// that ᾱ = −n/(A₂P), and c = √(1 − 0.99 s²):
//
//   d(P g) = (g − g′ᾱ) dP − g′/A₂ dn − P g′ᾱ/A₂ dA₂,   g′ = (1 − |ᾱ|/3)²                                 [TY-11]
//   dF_y = c d(P g) − 0.99 P g s/c ds,   dM_z = (AF₁F + 2 AF₂|F_y|) dF_y + AF₁F_y dF + F F_y dAF₁ + |F_y|F_y dAF₂
#pragma once

#include <array>
#include <cmath>

#include "kinegrad/forces/tyre_plane.hpp"

namespace kinegrad::calspan {

inline constexpr double kSlip = 0.1;  ///< κ_c if it is not given

/// F_x, F_y, M_z and f with their slopes; p are the attributes of the tyre, of which those from A0 to slip are read.
struct Slopes {
  static constexpr int kLoad = 0, kSlip = 1, kTangent = 2, kCamber = 3, kAttribute = 4;  ///< columns
  static constexpr int kColumns = kAttribute + 13;
  struct Row {
    double value = 0;
    std::array<double, kColumns> slopes{};
    double operator[](int k) const { return slopes[static_cast<std::size_t>(k)]; }
    double& operator[](int k) { return slopes[static_cast<std::size_t>(k)]; }
  };
  Row along, across, aligning, friction;

  template <typename P>
  Slopes(double F, double slip, double tangent, double camber, const P& p) {
    limit(F, p);
    lateral(F, tangent, camber, p);
    longitudinal(F, slip, p(14), p(15) == 0 ? calspan::kSlip : p(15));
    align(F, p(12), p(13));
  }

 private:
  enum Attribute { kA0, kA1, kA2, kA3, kA4, kB1, kB3, kB4, kSN, kAF1, kAF2, kFriction, kCritical };
  static constexpr int of(Attribute k) { return kAttribute + k; }

  /// f.
  template <typename P>
  void limit(double F, const P& p) {
    const double B1 = p(8), B3 = p(9), B4 = p(10), SN = p(11), bare = B1 * F + B3 + B4 * F * F;
    friction.value = bare * SN;
    friction[kLoad] = (B1 + 2 * B4 * F) * SN;
    friction[of(kB1)] = F * SN;
    friction[of(kB3)] = SN;
    friction[of(kB4)] = F * F * SN;
    friction[of(kSN)] = bare;
  }
  /// P g of tan α and γ.
  template <typename P>
  void lateral(double F, double tangent, double camber, const P& p) {
    const double A0 = p(3), A1 = p(4), A2 = p(5), A3 = p(6), A4 = p(7), alpha = std::atan(tangent);
    const bool below = F < A2;
    const double l = below ? F : A2, C = A1 * l * (l - A2) - A0 * A2;
    const double lean = (A4 - l) * l * camber / A4, peak = friction.value * F;
    const double x = -(C * alpha + A2 * A3 * lean) / (A2 * peak), size = std::abs(x);
    const double g = size < 3 ? x - x * size / 3 + x * x * x / 27 : std::copysign(1.0, x);
    const double slope = size < 3 ? (1 - size / 3) * (1 - size / 3) : 0;
    const double by_n = -slope / A2, by_peak = g - slope * x;
    const double by_l = A1 * (2 * l - A2) * alpha + A2 * A3 * (A4 - 2 * l) * camber / A4;
    across.value = peak * g;
    for (int k = 0; k < kColumns; ++k) across[k] = by_peak * F * friction[k];
    across[kLoad] += by_peak * friction.value + (below ? by_n * by_l : 0);
    across[kTangent] = by_n * C / (1 + tangent * tangent);
    across[kCamber] = by_n * A2 * A3 * (A4 - l) * l / A4;
    across[of(kA0)] = -by_n * A2 * alpha;
    across[of(kA1)] = by_n * l * (l - A2) * alpha;
    across[of(kA2)] = by_n * (-(A1 * l + A0) * alpha + A3 * lean + (below ? 0 : by_l)) -
                      peak * slope * x / A2;
    across[of(kA3)] = by_n * A2 * lean;
    across[of(kA4)] = by_n * A2 * A3 * l * l * camber / (A4 * A4);
  }
  /// μ_x F s, and what s takes of the lateral force.
  void longitudinal(double F, double slip, double mu, double critical) {
    const double x = slip / critical;
    const auto [part, by_square] = tyre::limited_with_slope(x * x);
    const double s = x * part, s_x = part + 2 * x * x * by_square, c = std::sqrt(1 - 0.99 * s * s),
                 lost = -0.99 * across.value * s * s_x / c;
    for (double& slope : across.slopes) slope *= c;
    across.value *= c;
    across[kSlip] = lost / critical;
    across[of(kCritical)] = -lost * x / critical;
    along.value = mu * F * s;
    along[kLoad] = mu * s;
    along[kSlip] = mu * F * s_x / critical;
    along[of(kFriction)] = F * s;
    along[of(kCritical)] = -mu * F * s_x * x / critical;
  }
  /// M_z.
  void align(double F, double by_load, double by_side) {
    const double Y = across.value, size = std::abs(Y), by_across = by_load * F + 2 * by_side * size;
    aligning.value = (by_load * F + by_side * size) * Y;
    for (int k = 0; k < kColumns; ++k) aligning[k] = by_across * across[k];
    aligning[kLoad] += by_load * Y;
    aligning[of(kAF1)] = F * Y;
    aligning[of(kAF2)] = size * Y;
  }
};

}  // namespace kinegrad::calspan

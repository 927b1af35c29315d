// What formulations with multipliers share: the size of a border that is to be forgotten [B-2], and
// constraints at acceleration level (docs/theory/constrained.md).
#pragma once

#include <algorithm>
#include <span>

#include "kinegrad/math/rank_rule.hpp"
#include "kinegrad/math/scalar.hpp"

namespace kinegrad::border {

/// E of [B-1] where constraints are to hold exactly, as a part of what J M⁻¹Jᵀ has on its diagonal:
/// large enough that equations which depend on each other up to a drift of the motion (1e-6) stay
/// harmless, small enough to be forgotten after a few passes of [B-2].
inline constexpr double kSmall = 1e-6;
/// The same where positions are solved to rounding and nothing drifts: on the way to a singular position
/// equations that lose σ of their diagonal are still held up to (E/σ)³.                      [B-7]
inline constexpr double kSmallWhereHeld = 1e-10;
inline constexpr int kPasses = 3;
/// Part of the largest diagonal that equations get which move nothing with mass, and have none.
inline constexpr double kSmallRow = 1e-4;

/// Part of J M⁻¹Jᵀ's diagonal that an entry of J with that square adds where M has d on its diagonal: what
/// has hardly any mass beside the others is moved by the rows, not by forces, and does not count.
inline bool is_massless(double d, double largest_d) { return !(d > 1e-12 * largest_d); }
inline double share(double square, double d, double largest_d) {
  return is_massless(d, largest_d) ? 0 : square / d;
}

/// Diagonals of M without completion, made sizes: M has no entry along Euler parameters, where one of them may
/// be the only one that is not zero. Each of a set gets what the four have on average besides; a set that has
/// no mass keeps none.
inline void spread_euler_sizes(std::span<double> sizes, std::span<const int> sets) {
  for (const int first : sets) {
    const auto four = sizes.subspan(static_cast<std::size_t>(first), 4);
    const double mean = (four[0] + four[1] + four[2] + four[3]) / 4;
    for (double& size : four) size += mean;
  }
}

/// E of an equation with that diagonal of J M⁻¹Jᵀ and what remains of it [RK-1]; `largest` is the largest
/// diagonal of all, positive. Of one that lost most of its terms E is a part of these, not of what remains
/// [B-5]; one that vanishes holds nothing, and its multiplier rests.
inline double small(double part, double size, double remaining, double largest) {
  if (!(remaining > 0)) return largest;
  if (!(size > 0)) return part * kSmallRow * largest;
  const double lost = remaining < rank::kClear ? rank::kClear / remaining : 1;
  return part * size * lost * lost;
}

/// Diagonal of J M⁻¹Jᵀ → E, `part` of it; remaining(i) as [RK-1].
template <typename Vector, typename Remaining>
void make_small(double part, Vector& sizes, const Remaining& remaining) {
  double largest = 0;
  for (const auto& x : sizes) largest = std::max(largest, real_part(x));  // holomorphic: a size
  if (!(largest > 0)) largest = 1;
  int i = 0;
  for (auto& x : sizes) {
    x = small(part, real_part(x), remaining(i++), largest);  // holomorphic: a size
  }
}

/// Φ̈ + 2ξΩΦ̇ + Ω²Φ; of a nonholonomic row Φ̈ + ΩΦ̇ [I1-1].
struct Stabilisation {
  double omega = 0, xi = 1;

  /// Of one row; `rows` gives Phi(), Phi_dot(), Phi_ddot() and holonomic().
  template <typename Rows>
  auto value(const Rows& rows, int row) const {
    using T = std::decay_t<decltype(rows.Phi_dot()(row))>;
    const T rate = rows.Phi_dot()(row), second = rows.Phi_ddot()(row);
    if (row >= rows.holonomic()) return T(second + rate * T(omega));
    return T(second + rate * T(2 * xi * omega) + rows.Phi()(row) * T(omega * omega));
  }
  /// What Φ and Φ̇ are multiplied by; Φ̈ is by 1.
  struct Factors {
    double phi, phi_dot;
  };
  Factors factors(bool holonomic) const {
    return holonomic ? Factors{omega * omega, 2 * xi * omega} : Factors{0, omega};
  }
  /// What it changes by along a step, over Φ_q, when Φ̇_q is left out.
  double slope(bool holonomic, double c_v, double c_q) const {
    return holonomic ? 1 + 2 * xi * omega * c_v + omega * omega * c_q : 1 + omega * c_v;
  }
};

}  // namespace kinegrad::border

// When a constraint equation counts: the one rule by which simulation, starts, `info` and all derivatives
// judge rank (docs/theory/constrained.md, [RK]).
//
// An entry of a Jacobian is a sum of terms, J_k = Σ t, of size s_k = Σ|t|. What remains of an equation,
//
//   ρ = max_k |J_k| / s_k,    0 ≤ ρ ≤ 1                                                         [RK-1]
//
// has no unit and does not change if the equation is multiplied by a number, the mechanism is built
// larger, or other equations come besides. An equation that holds identically leaves rounding,
//
//   ρ ≤ 1e-10 max(1, 1e-4 X/ℓ)    the equation vanishes: its row of J is zero, its rank none     [RK-2]
//
// where X is how far its points are from the origin and ℓ the largest lever on which they turn. An
// equation depends on others if elimination with them leaves of its largest entry j at most
//
//   j max(1e-9, 1e-10/ρ)                                                                        [RK-3]
//
// because its entries carry the rounding of their terms, not of what remains.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "kinegrad/math/scalar.hpp"

namespace kinegrad::rank {

/// [RK-2]: a million times rounding.
inline constexpr double kVanishes = 1e-10;
/// Beside sizes that were found elsewhere in the motion and may have changed by a factor of a thousand.
inline constexpr double kSurelyVanishes = 1e-13;
/// Coordinates of points carry the rounding of their distance from the origin, beside levers of that part.
inline constexpr double kFar = 1e-4;
/// [RK-3]: more than a motion drifts off constraints that a step has met.
inline constexpr double kDependent = 1e-9;
/// Equations of which at least this part remains are as good as any.
inline constexpr double kClear = 1e-2;
/// Elimination in the metric of the masses that leaves this part of a diagonal of J N⁻¹Jᵀ or more loses four
/// digits at most: no regularisation is needed. Equations that depend on each other do so up to a drift
/// of the motion, far below.
inline constexpr double kIndependent = 1e-4;

/// [RK-1] of the entries of an equation and the sizes of their terms, 1 if it is a clear part or not finite;
/// real parts decide.
template <typename T>
double remaining(std::span<const T> entries, std::span<const double> sizes) {
  double part = 0;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const double x = std::abs(real_part(entries[k]));  // holomorphic: a size
    if (x == 0) continue;
    if (!(x < kClear * sizes[k]) || !std::isfinite(sizes[k])) return 1;
    part = std::max(part, x / sizes[k]);  // holomorphic: a size
  }
  return part;
}

/// Sizes to compare with elsewhere in the motion: none is zero because of where they were found.
inline void keep_sizes(std::span<const double> sizes, std::span<double> kept) {
  constexpr double kLeast = 1e-3;
  double largest = 0;
  for (const double size : sizes) largest = std::max(largest, size);
  for (std::size_t k = 0; k < sizes.size(); ++k) kept[k] = std::max(sizes[k], kLeast * largest);
}

/// The row of an equation that vanishes; derivatives that complex numbers carry stay.
template <typename T>
void clear_row(std::span<T> entries) {
  for (T& x : entries) x -= real_part(x);
}

/// What may remain of an equation that vanishes, with points at the distance X that turn on levers ℓ.
inline double least_remaining(double distance, double lever) {
  const double far = lever > 0 ? kFar * distance / lever : 0;
  return kVanishes * std::max(1.0, far);
}

/// [RK-3] of an equation with that largest entry.
inline double least_pivot(double largest, double remaining) {
  return remaining > 0 ? largest * std::max(kDependent, kVanishes / remaining) : largest;
}

}  // namespace kinegrad::rank

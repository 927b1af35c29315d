// What the forces of an equilibrium do not determine (docs/theory/kinematic_problems.md). K is ∂(r + Jᵀλ)/∂y, Z a basis of what the
// constraint equations leave free. Directions x in the span of Z with ZᵀK x = 0 are indifferent: the forces do not
// change along them; combinations w of equations with wᵀK Z = 0 are those that nothing changes.
//
//   a state is given, and its rate does not count, if some x or some w consists of states alone     [KP-18]
//   H: one coordinate for each x that is left, pivoted in the units [KP-11]: |x_H| |w_H| large      [KP-17]
#pragma once

#include <vector>

#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

/// Orthonormal columns, each for itself, of coordinates in their units.
struct NullDirections {
  MatX right;  ///< x
  MatX left;   ///< w
  int count() const { return static_cast<int>(right.cols()); }
};

/// Of K between the directions Z, with units of the coordinates; `state` by coordinate.
NullDirections null_directions(const MatX& K, const MatX& Z, const VecX& units,
                               const std::vector<char>& state);

/// The state that is to keep its value, -1: all are determined [KP-18].
int undetermined_state(const NullDirections& free, const std::vector<char>& state);

/// The coordinates to hold [KP-17]; empty if there is no such set.
std::vector<int> indifferent_coordinates(const NullDirections& free,
                                         const std::vector<char>& state);

}  // namespace kinegrad

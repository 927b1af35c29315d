// Tolerances of the element tests, each with its reason. Relative to the norm of the block compared,
// or to 1 where the block is smaller: the inputs are of order one, so that is the size of the terms
// that cancel in it.
#pragma once

namespace kinegrad::test {

/// Ladder L0: a hand-derived block against an oracle. Both are a few dozen operations on numbers of
/// the block's size, so they differ by some tens of ε = 2.2e-16.
inline constexpr double kElementTolerance = 1e-14;

/// Round trips through coordinates_of and speeds_of: one more inverse function (atan, √), whose
/// argument carries the rounding of a pose.
inline constexpr double kRoundTripTolerance = 1e-14;

}  // namespace kinegrad::test

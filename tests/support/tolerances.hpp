// The tolerances of the tests, each with its reason. ε = 2.2e-16 is the rounding unit of double.
#pragma once

namespace kinegrad::tolerance {

/// L0 of the derivative ladder: an element's partials against dual numbers and complex step, of the
/// norm of the block. Some ten operations of half an ulp each, with room for a factor of five.
inline constexpr double kElement = 1e-14;

/// Graphs of some fifty random operations: rounding of values and partials adds up along paths, and
/// sums over paths cancel by up to two digits.
inline constexpr double kComposed = 1e-12;

/// A solve with a well-conditioned tridiagonal matrix (diagonally dominant by a factor of two,
/// condition below 3 times the ratio of knot spacings), multiplied by a difference quotient.
inline constexpr double kSplineSolve = 1e-12;

/// Continuity across a knot: second derivatives divide by h² what the values carry of rounding.
inline constexpr double kSplineContinuity = 1e-10;

/// Ridders' extrapolated differences of functions with derivatives of size 1: ten digits.
inline constexpr double kRidders = 1e-9;

/// An observed order of convergence against the theoretical one (as in L5 of the ladder).
inline constexpr double kOrder = 0.1;

}  // namespace kinegrad::tolerance

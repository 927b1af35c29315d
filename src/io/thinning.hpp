// Samples of a run thinned to what a screen can show.
//
// An animation wants frames evenly spaced in time. A curve wants its shape: of every span of time the
// smallest and the largest value are kept, so that no peak is lost however narrow it is.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kinegrad::io {

/// Rising indices of at most `limit` ≥ 2 samples, evenly spaced in t, the first and the last among
/// them; all of them if there are no more than that. t does not fall.
std::vector<std::size_t> thin_evenly(std::span<const double> t, std::size_t limit);

/// Rising indices of at most `limit` ≥ 4 samples of the curve y(t): the first, the last, and the
/// smallest and largest of equal spans of time. What is not finite is kept as one gap per span.
std::vector<std::size_t> thin_curve(std::span<const double> t, std::span<const double> y,
                                    std::size_t limit);

/// x with so many significant digits and no more.
double rounded(double x, int digits);

}  // namespace kinegrad::io

// Mechanisms with everything that has no derivative somewhere, at random but seeded: abs, min, max, sign, atan2, linear
// splines, springs through zero length, steps of time and of the motion, controllers with limits, flat monotone splines;
// started at rest, at kinks and beside them.
#pragma once

#include <cstdint>
#include <string>

#include "kinegrad/simulation/run.hpp"

namespace kinegrad::test {

struct KinkCase {
  std::uint64_t seed = 0;
  std::string yaml;
  RunOptions run;
  std::string method;  ///< forward or adjoint

  /// "42: four bar, sign(J1.v): ali3p × trapezoidal, adjoint".
  std::string name;
};

KinkCase random_kinks(std::uint64_t seed);
/// The same with forces whose laws have branches instead of expressions: stops, leaf springs, contacts, potentials, grounds.
KinkCase random_branches(std::uint64_t seed);
/// Smooth motions whose objectives have kinks and jumps: expressions of coordinates and points, lengths and rates of a spring
/// without natural length whose ends meet.
KinkCase random_signals(std::uint64_t seed);

}  // namespace kinegrad::test

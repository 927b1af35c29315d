// A block on a rail, pulled by a constant force F from rest: q(T) = F T²/2m, all integrators of second
// order are exact, and optima have closed forms.
#pragma once

#include <string>

namespace kinegrad::test {

/// T = 1, m = 2: place q = F/4, effort ∫F² dt = F², miss (q − 1)², ballast least at m = 1/4. The
/// rest of the file is the caller's.
inline const char* const kPulledBlock = R"(name: pulled block
parameters:
  F: {value: 1, unit: N, bounds: [-100, 100]}
  m: {value: 2, unit: kg, bounds: [-5, 5]}
bodies: {block: {mass: m, inertia: [1, 1, 1]}}
joints: {rail: {type: prismatic, bodies: [ground, block], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}}
forces: {pull: {type: joint-force, joint: rail, value: F}}
objectives:
  place: {terminal: rail.q}
  effort: {integral: F^2}
  miss: {terminal: (rail.q - 1)^2}
  far: {terminal: (rail.q - 4)^2}
  ballast: {integral: 4*m - log(m)}
analysis: {step: 0.1, end: 1}
)";

}  // namespace kinegrad::test

// Static equilibrium (docs/theory/kinematic_problems.md): with y the coordinates of the mechanism and, in place of those
// of auxiliary bodies, the states s,
//
//   r(q, 0, 0; s) + Φ_qᵀλ = 0,   Φ(q) = 0,   ṡ = 0,   y_H = ŷ_H                                   [KP-3], [KP-17]
//
// by Newton's method with the exact matrix, shifted by μM as long as that is needed for a step to go downhill: towards
// equilibria that are stable where the forces have a potential, and from far away. H are the coordinates that
// keep the values of the start ŷ because nothing else determines them, and the states that keep theirs.
#pragma once

#include <functional>
#include <optional>

#include "kinegrad/simulation/initial_state.hpp"

namespace kinegrad {

/// An equilibrium and what was decided on the way to it.
struct Equilibrium {
  KinematicReport report;
  VecX q, v;          ///< the configuration; zero speeds, and the states
  RestRecord record;  ///< H, ŷ and the multipliers
  bool stopped = false;  ///< the search was given up: `go_on` was false
};

/// From q, which must meet the constraints, and the states among v. `held`: H of the run beside which this one is; else it
/// is decided here. `go_on` is asked in every iteration; false gives the search up. May be empty.
Equilibrium find_equilibrium(const Model& model, std::span<const double> p, const VecX& q,
                             const VecX& v,
                             const std::optional<std::vector<int>>& held = std::nullopt,
                             const std::function<bool()>& go_on = {});

/// The same equilibrium on complex numbers: Newton's method from the real solution `found` with its own matrix. q and v hold
/// the start, then the equilibrium. False and the reason if it has no derivative.
bool follow_equilibrium(const Model& model, std::span<const Complex> p, const Equilibrium& found,
                        VecXT<Complex>& q, VecXT<Complex>& v, std::string& reason);

/// Of what the derivatives of the forces are made of: what more remains of those along a coordinate that is held would
/// move it.
inline constexpr double kStaysBalanced = 1e-8;

/// Why an equilibrium has no derivative where nothing holds a coordinate.
std::string lost_balance(const Model& model, int coordinate);

}  // namespace kinegrad

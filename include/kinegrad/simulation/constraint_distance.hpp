// How far a state is from one that satisfies its constraint equations, as these count by the rank rule
// (docs/theory/singular_positions.md). With d_j the units of the coordinates [KP-11], j_i = J_i D/|J_i D| and
// φ_i = Φ_i/|J_i D| (Φ̇_i of speeds), of the equations I that do not depend on others
//
//   j_Iᵀ = Q R,      Δ = −Q R⁻ᵀ φ_I,      distance = |Δ|,      least = min |R_kk|                 [LO-4]
//
// `least` is what the equation has of its own that hardly differs from others. An equation that a regularised
// system does not hold may be open by very little in its own terms, and the state far from where it should be.
#pragma once

#include <vector>

#include "kinegrad/assembly/mechanical_system.hpp"

namespace kinegrad {

struct ConstraintDistance {
  double distance = 0;  ///< in parts of the mechanism's size and radians; of speeds, per second
  double open = 0;      ///< the largest |φ_i|
  double least = 1;
  int equation = -1;  ///< the one that has least of its own; -1: a normalisation, or there is none
  std::vector<int> independent;  ///< I, ascending, without normalisations
};

/// Of positions. The system is placed there; `units` are those of its coordinates; `only`, ascending, are the
/// equations that count, all if it is not given.
ConstraintDistance distance_of_positions(MechanicalSystem<double>& system, double t, const VecX& q,
                                         const VecX& units, const std::vector<int>* only = nullptr);
/// Whether all equations of positions that count differ from each other by at least `least` of their size, and the
/// place where they are satisfied is no further than `distance`. Far less work: what is left of unit equations in
/// elimination is the same for the matrix of their products, up to its square and rounding.        [LO-6]
bool surely_closed(MechanicalSystem<double>& system, double t, const VecX& q, const VecX& units,
                   double least, double distance);
/// Of speeds, equations on speeds included.
ConstraintDistance distance_of_speeds(MechanicalSystem<double>& system, double t, const VecX& q,
                                      const VecX& v, const VecX& units,
                                      const std::vector<int>* only = nullptr);

}  // namespace kinegrad

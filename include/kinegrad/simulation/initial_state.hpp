// Where a run starts: the coordinates and speeds of the file completed so that all constraints hold
// (docs/theory/kinematic_problems.md).
//
//   Φ(q) = 0,  q_G given                by damped Newton steps of least change                  [KP-1]
//   Φ_q v = −Φ_t,  v_G given            in one                                                  [KP-2]
//
// G are the values of the file that are degrees of freedom [KP-13]; values beyond them must agree and
// follow. Where freedom is left, the mechanism starts at the configuration nearest to the drawing q̂, with
// the speeds nearest to those of the file, v̂:
//
//   q − q̂ + Jᵀμ = 0,  Ψ(q) = 0          by Newton steps within the equations                    [KP-7]
//   v − v̂ + Jᵀν = 0,  Ψ̇(q, v) = 0       in one                                                  [KP-8]
#pragma once

#include <string>
#include <vector>

#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

/// What a start in an equilibrium decided and found [KP-17].
struct RestRecord {
  std::vector<int> held;   ///< H: coordinates at their start values, and states as given
  VecX assembled, states;  ///< ŷ: the start that the search began at, and the states there
  VecX multipliers;        ///< of constraints, normalisations and held coordinates
  bool released = false;   ///< with the speeds of the file; else at rest
};

/// What an initial problem solved for, and which equations it met: constraints, then normalisations,
/// then initial_targets() of the model.
struct StartSets {
  std::vector<int> position_columns, position_rows;
  std::vector<int> velocity_columns, velocity_rows;
  /// Where freedom is left and the file's values do not meet the rows: μ and ν, one for each of the
  /// rows, which are independent then. Empty: as if zero.
  std::vector<double> position_multipliers, velocity_multipliers;
  std::vector<double> scales;        ///< s of all these equations [KP-12], for positions
  std::vector<double> speed_scales;  ///< and for speeds, where those are found elsewhere
  RestRecord rest;                   ///< of a start in an equilibrium
  bool nearest = true;  ///< false: closed, but the nearest place was not found; no derivative
};

/// Why such a start has no derivative.
inline constexpr const char* kNoNearestStart =
    "the start has no derivative: initial leaves freedom open, and no configuration nearest to that of "
    "the file was found; give as many as there are degrees of freedom";

/// How a kinematic problem ended.
struct KinematicReport {
  bool solved = true;
  bool input_wrong = false;  ///< the file gives too much or too little: not a numerical failure
  std::string message;       ///< what is wrong, by name
  int iterations = 0;
  int freedom = 0;  ///< degrees of freedom of the constraints at the start
  StartSets sets;
};

/// Completes q and v, which hold the file's values, at time t. On complex numbers the real parts decide.
/// A run beside another one lets values follow that are no degrees of freedom (RunOptions::beside).
template <Scalar T>
KinematicReport assemble_start(const Model& model, MechanicalSystem<T>& system, double t,
                               VecXT<T>& q, VecXT<T>& v, bool beside = false);

/// Completes v alone, which holds the file's speeds, at a configuration q that meets the constraints.
template <Scalar T>
KinematicReport assemble_speeds(const Model& model, MechanicalSystem<T>& system, double t,
                                const VecXT<T>& q, VecXT<T>& v, bool beside = false);

}  // namespace kinegrad

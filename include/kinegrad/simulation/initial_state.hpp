// Where a run starts: the coordinates and speeds of the file completed so that all constraints hold
// (docs/theory/kinematic_problems.md).
//
//   Φ(q) = 0,  q_G given                by damped Newton steps of least change                  [KP-1]
//   Φ_q v = −Φ_t,  v_G given            in one                                                  [KP-2]
//
// G are the coordinates the file gives, or, where constraints do not reach, those it leaves at their
// defaults. If it gives none of those that constraints reach, the mechanism starts as near as can be
// to where it is drawn; if it gives some, they must be as many as there are degrees of freedom.
#pragma once

#include <string>
#include <vector>

#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

/// What an initial problem solved for, and which rows it met: constraints, then normalisations, then
/// initial_targets() of the model.
struct StartSets {
  std::vector<int> position_columns, position_rows;
  std::vector<int> velocity_columns, velocity_rows;
};

/// How a kinematic problem ended.
struct KinematicReport {
  bool solved = true;
  bool input_wrong = false;  ///< the file gives too much or too little: not a numerical failure
  std::string message;       ///< what is wrong, by name
  int iterations = 0;
  int freedom = 0;  ///< degrees of freedom of the constraints at the start
  StartSets sets;
};

/// Completes q and v, which hold the file's values, at time t.
template <Scalar T>
KinematicReport assemble_start(const Model& model, MechanicalSystem<T>& system, double t,
                               VecXT<T>& q, VecXT<T>& v);

}  // namespace kinegrad

// How a mechanism can move where it starts: degrees of freedom, rank of its constraints, and which of
// them are redundant (docs/theory/kinematic_problems.md, [KP-4]).
#pragma once

#include <string>
#include <vector>

#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

struct Mobility {
  bool assembled = true;  ///< the start could be found; else the numbers are those of the drawing
  std::string message;    ///< why not
  int rows = 0;           ///< of all constraints, normalisations of Euler parameters not counted
  int rank = 0;           ///< of them, normalisations counted on both sides
  int freedom = 0;        ///< independent speeds
  int position_freedom = 0;  ///< independent coordinates: more where constraints are nonholonomic
  struct Redundancy {
    int constraint = 0;  ///< index into constraints()
    int rows = 0;        ///< of its rows depend on those before them
  };
  std::vector<Redundancy> redundant;
  VecX q;  ///< where all that was found; empty if there was nothing to find
};

/// At the parameters p.
Mobility mobility_of(const Model& model, std::span<const double> p);

/// Rank of the constraint equations at a configuration, as Mobility counts it.
int constraint_rank(MechanicalSystem<double>& system, double t, const VecX& q);

}  // namespace kinegrad

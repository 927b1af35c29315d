// States beside a state of a run, for differences of the step map (docs/theory/self_check.md). A random
// change of q, v and a would leave the constraints, where equations that depend on each other contradict
// each other and nothing is meant to be differentiable. So the change is brought back by the least
// corrections with which, at the parameters of the neighbour,
//
//   Φ(q'; p') = Φ(q; p),   Φ̇(q', v'; p') = Φ̇(q, v; p),   Φ̈(q', v', a'; p') = Φ̈(q, v, a; p)          [SC-2]
//
// normalisations of Euler parameters included.
#pragma once

#include <array>
#include <span>

#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/integrators/step_map.hpp"
#include "kinegrad/math/bordered_solver.hpp"

namespace kinegrad {

class NeighbourStates {
 public:
  /// Φ, Φ̇ and Φ̈ of a state.
  using Levels = std::array<VecX, 3>;

  /// The system must outlive the object; all is found at the parameters set last to it.
  explicit NeighbourStates(MechanicalSystem<double>& system);

  Levels levels(const StepState<double>& x);
  /// Brings a changed state to those levels. λ stays, and what the integrator
  /// carries follows the acceleration. False where the equations cannot be solved.
  bool bring_to(const Levels& levels, int iterations, StepState<double>& x);

 private:
  enum class Enforced { kPositions, kAll };
  bool factorize(const VecX& q, Enforced enforced);
  void correct(const VecX& gap, VecX& x);
  VecX level(int k, const StepState<double>& x) const;

  MechanicalSystem<double>& system_;
  int rows_;  // with normalisations
  SparseRows<double> J_;
  SparseUpper<double> identity_;
  VecX E_, z_;
  BorderedSolver<double> solver_;
  bool analysed_ = false;
};

}  // namespace kinegrad

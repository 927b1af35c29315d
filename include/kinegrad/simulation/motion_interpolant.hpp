// The motion of a run at any time, from the steps it kept (docs/theory/continuous_adjoint.md). Between
// two states the coordinates are the polynomial of fifth degree with their q, v and a, speeds are its
// derivative, and accelerations and multipliers are solved for anew:
//
//   q(t) = Σ H_i(θ)(q, hv, h²a)_i,   v = q̇,        f(t, q, v, a) + Φ_qᵀλ = 0,  Φ̈ = 0            [CA-1]
//
// so that all that an adjoint reads at one instant belongs together. CAUTION: accelerations and
// multipliers of constraints at position level carry an error of first order normal to the
// constraints, which would make the adjoint one of first order; they are not taken from the steps.
#pragma once

#include <memory>

#include "kinegrad/formulations/stage_partials.hpp"
#include "kinegrad/simulation/run.hpp"
#include "kinegrad/simulation/trajectory.hpp"

namespace kinegrad {

/// A motion at one instant; `selection` says which coordinates are independent there, if any are.
struct MotionPoint {
  StepState<double> x;
  const CoordinateSelection* selection = nullptr;

  StagePoint stage() const;
};

class MotionInterpolant {
 public:
  /// The model and the trajectory must outlive the object.
  MotionInterpolant(const Model& model, const RunOptions& run, std::span<const double> p,
                    const Trajectory& trajectory);

  double end() const { return trajectory_.time(trajectory_.size()); }
  /// The motion at t; false if it cannot be completed. Cheapest if the times come in order.
  bool at(double t, MotionPoint& out);
  /// Accelerations and multipliers of a state, with those coordinates independent.
  bool solve(const CoordinateSelection* selection, MotionPoint& out);

 private:
  void find(double t);
  void interpolate(double t, StepState<double>& x);
  bool expand(StepState<double>& x);

  const Trajectory& trajectory_;
  std::unique_ptr<Formulation<double>> formulation_;
  std::size_t k_ = 0;          // the step last found
  StepState<double> x0_, x1_;  // its ends
  CoordinateSelection chosen_;
  std::vector<double> y_, ydot_, yddot_;
};

}  // namespace kinegrad

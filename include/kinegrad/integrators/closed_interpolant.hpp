// The state inside an implicit step, on the constraints as well as its ends are (docs/theory/integrators.md).
// Hermite's cubics through (y, ẏ) and (ẏ, ÿ) of both ends give y_H, ẏ_H and the rate ÿ_H of the latter; the state
// is then that of a stage which would not move if they satisfied the equations:
//
//   y = y_H + c_q(ÿ − ÿ_H)      ẏ = ẏ_H + c_v(ÿ − ÿ_H)      r(t, y, ẏ, ÿ) = 0                    [DO-1]
//
// c_v = γh, c_q = c_v². So the accelerations belong to the state, also where forces are stiff, and constraints on
// positions hold. Its error is that of Hermite's cubics, O(h⁴).
#pragma once

#include "kinegrad/integrators/stage_newton.hpp"

namespace kinegrad {

template <Scalar T>
class ClosedInterpolant {
 public:
  /// The formulation must outlive the object. `normalises_accelerations`: Euler parameters as the steps have them.
  ClosedInterpolant(Formulation<T>& formulation, const IntegratorOptions& options,
                    bool normalises_accelerations);

  /// At t₀ + θh; `x` holds Hermite's cubics of all coordinates, then the state.
  StepReport close(const StepState<T>& x0, const StepState<T>& x1, double theta, StepState<T>& x);

 private:
  struct Integrated {
    VecXT<T> y, ydot, yddot;
  };
  void reduce(const StepState<T>& x, Integrated& out);

  Formulation<T>& formulation_;
  bool exact_, normalises_accelerations_;
  StageNewton<T> newton_;
  ImplicitStage<T> stage_;
  Integrated start_, end_;
  VecXT<T> yddot_;
};

}  // namespace kinegrad

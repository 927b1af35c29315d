// Newton's method of a stage of an implicit step (docs/theory/integrators.md). A stage is what an implicit
// method solves at one instant: with predictors ŷ, ẏ̂ and the accelerations ÿ as the unknown,
//
//   y = ŷ + c_q ÿ      ẏ = ẏ̂ + c_v ÿ      r(t, y, ẏ, ÿ) = 0                                     [N-4]
//
// A step of the family of Newmark is one stage, a step of an ESDIRK method several.
//
// Where whole corrections do not converge (friction, the neighbourhood of singular positions), Newton's
// method is damped: a correction Δ of (ÿ, λ) is shortened to sΔ until the simplified correction there,
// found with the same matrix, is smaller [GA-5]:
//
//   ‖Δ̄(ÿ + sΔ)‖ ≤ (1 − s/4)‖Δ‖,    s = 1, ½, ¼, …
#pragma once

#include "kinegrad/formulations/formulation.hpp"
#include "kinegrad/integrators/options.hpp"
#include "kinegrad/integrators/step_map.hpp"

namespace kinegrad {

template <Scalar T>
struct ImplicitStage {
  double t = 0;
  NewtonCoefficients newton;
  VecXT<T> y, ydot;  ///< the predictors ŷ and ẏ̂
  /// Corrections of speeds are judged beside those of coordinates: a step with several stages adds up
  /// their accelerations, and its estimate of the error reads them.
  bool judges_speeds = false;

  void resize(Eigen::Index n) {
    y.resize(n);
    ydot.resize(n);
  }
};

template <Scalar T>
class StageNewton {
 public:
  /// The formulation must outlive the object.
  StageNewton(Formulation<T>& formulation, const IntegratorOptions& options);

  /// For n integrated coordinates.
  void size_for(Eigen::Index n);
  /// ÿ that Newton's method begins with where a start asks for other speeds than those of its guess: at rest,
  /// or the given ẏ₀.
  static void guess(NewtonStart start, const ImplicitStage<T>& stage, const VecXT<T>& ydot0,
                    VecXT<T>& yddot);
  /// From the guesses ÿ and x (dependent coordinates, accelerations, λ) to the solution: ÿ and q, v, a, λ of x.
  StepReport solve(const ImplicitStage<T>& stage, NewtonStart start, VecXT<T>& yddot,
                   StepState<T>& x);

 private:
  StepStatus evaluate(const ImplicitStage<T>& stage, const VecXT<T>& yddot, StepState<T>& x);
  StepReport iterate(const ImplicitStage<T>& stage, VecXT<T>& yddot, StepState<T>& x);
  StepReport iterate_damped(const ImplicitStage<T>& stage, VecXT<T>& yddot, StepState<T>& x);
  bool shorten(const ImplicitStage<T>& stage, const NewtonCoefficients& newton, VecXT<T>& yddot,
               StepState<T>& x, double& part);

  Formulation<T>& formulation_;
  IntegratorOptions options_;
  VecXT<T> y_, ydot_, delta_;
  VecXT<T> base_, lambda_, lambda_step_, trial_, trial_lambda_;  // of the line search
};

}  // namespace kinegrad

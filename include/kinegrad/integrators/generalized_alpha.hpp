// The family of Newmark: trapezoidal rule, Newmark, HHT, generalized-α (docs/theory/integrators.md).
//
// The equations of motion hold at the end of the step with the accelerations a; the method advances
// by an algorithmic acceleration w that lags behind them (Arnold and Brüls 2007):
//
//   q₁ = q₀ + h v₀ + h²((½ − β) w₀ + β w₁)        v₁ = v₀ + h((1 − γ) w₀ + γ w₁)              [GA-1]
//   (1 − α_m) w₁ + α_m w₀ = (1 − α_f) a₁ + α_f a₀                                            [GA-2]
//   r(t₁, q₁, v₁, a₁) = 0                                                                    [GA-3]
//
// Newmark has α_m = α_f = 0, so w = a; the trapezoidal rule β = ¼, γ = ½; HHT α_m = 0. Unknown: a₁,
// with ∂q₁/∂a₁ = h²β̂ and ∂v₁/∂a₁ = hγ̂: a step is one stage [N-4] whose predictors are [SD-2]. Euler
// parameters are kept at unit length by [FO-1] and their speeds and accelerations are set consistent after
// the step [GA-4].
//
// Where steps are adaptive, their error is what speeds and coordinates differ by from the integrals of the
// polynomial P through the accelerations of this step and of the one before [GA-6]:
//
//   e_v = v₁ − v₀ − ∫P dt        e_q = q₁ − q₀ − h v₀ − ∬P dt²
#pragma once

#include <vector>

#include "kinegrad/integrators/closed_interpolant.hpp"
#include "kinegrad/integrators/newmark_constants.hpp"

namespace kinegrad {

template <Scalar T>
class GeneralizedAlpha final : public StepMap<T> {
 public:
  GeneralizedAlpha(const NewmarkConstants& constants, Formulation<T>& formulation,
                   const IntegratorOptions& options);

  std::string_view name() const override { return constants_.name; }
  int order() const override;
  bool adaptive() const override { return options_.steps == StepSizes::kAdaptive; }
  int error_order() const override { return order() + 1; }
  StepReport start(StepState<T>& x) override;
  bool implicit() const override { return true; }
  StepReport step(const StepState<T>& x0, double h, StepState<T>& x1,
                  NewtonStart newton = NewtonStart::kPlain) override;
  StepReport interpolate(const StepState<T>& x0, const StepState<T>& x1, double theta,
                         StepState<T>& out) const override;
  double history_error(const StepState<T>* earlier, const StepState<T>& x0,
                       const StepState<T>& x1) const override;
  void history_quadrature(const StepState<T>& earlier, const StepState<T>& x0,
                          const StepState<T>& x1,
                          std::vector<QuadratureNode<T>>& nodes) const override;
  const StepState<T>* before() const override { return &before_; }

 private:
  void size_for(int n);
  void predict(double t, double h);
  void guess(NewtonStart newton, const StepState<T>& x0, double h, StepState<T>& x1);

  NewmarkConstants constants_;
  Formulation<T>& formulation_;
  IntegratorOptions options_;
  bool
      position_level_;  // constraints hold at positions: speeds and accelerations are of lower order
  StageNewton<T> newton_;
  ImplicitStage<T> stage_;
  struct Integrated {  // y of [FO-2], ẏ, ÿ and the algorithmic acceleration
    VecXT<T> y, ydot, yddot, own;
  };
  Integrated y0_;
  VecXT<T> yddot_, own_, y_, ydot_;
  StepState<T> before_;
  mutable ClosedInterpolant<T> inside_;
};

}  // namespace kinegrad

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
// with ∂q₁/∂a₁ = h²β̂ and ∂v₁/∂a₁ = hγ̂. Euler parameters are kept at unit length by [FO-1] and their
// speeds and accelerations are set consistent after the step [GA-4].
//
// Where whole corrections do not converge (friction, the neighbourhood of singular positions), Newton's
// method is damped: a correction Δ of (ÿ₁, λ₁) is shortened to sΔ until the simplified correction there,
// found with the same matrix, is smaller [GA-5]:
//
//   ‖Δ̄(ÿ₁ + sΔ)‖ ≤ (1 − s/4)‖Δ‖,    s = 1, ½, ¼, …
#pragma once

#include <vector>

#include "kinegrad/formulations/formulation.hpp"
#include "kinegrad/integrators/options.hpp"
#include "kinegrad/integrators/step_map.hpp"

namespace kinegrad {

/// α_m, α_f, β, γ of a method.
struct NewmarkConstants {
  std::string_view name;
  double alpha_m = 0, alpha_f = 0, beta = 0.25, gamma = 0.5;
};
NewmarkConstants trapezoidal_constants();
NewmarkConstants newmark_constants(const IntegratorOptions& options);
NewmarkConstants hht_constants(const IntegratorOptions& options);
NewmarkConstants generalized_alpha_constants(const IntegratorOptions& options);

template <Scalar T>
class GeneralizedAlpha final : public StepMap<T> {
 public:
  GeneralizedAlpha(const NewmarkConstants& constants, Formulation<T>& formulation,
                   const IntegratorOptions& options);

  std::string_view name() const override { return constants_.name; }
  int order() const override;
  StepReport start(StepState<T>& x) override;
  bool implicit() const override { return true; }
  StepReport step(const StepState<T>& x0, double h, StepState<T>& x1,
                  NewtonStart newton = NewtonStart::kPlain) override;
  const StepState<T>* before() const override { return &before_; }

 private:
  void size_for(int n);
  void advance(double h);
  void guess(NewtonStart newton, const StepState<T>& x0, double h, StepState<T>& x1);
  StepStatus evaluate(double t, StepState<T>& x1);
  NewtonCoefficients coefficients(double h) const;
  StepReport iterate(double t, double h, StepState<T>& x1);
  StepReport iterate_damped(double t, double h, StepState<T>& x1);
  bool shorten(double t, double h, const NewtonCoefficients& newton, StepState<T>& x1,
               double& part);

  NewmarkConstants constants_;
  Formulation<T>& formulation_;
  IntegratorOptions options_;
  struct Integrated {  // y of [FO-2], ẏ, ÿ and the algorithmic acceleration
    VecXT<T> y, ydot, yddot, own;
  };
  Integrated y0_, y1_;
  VecXT<T> delta_, y_, ydot_;
  VecXT<T> base_, lambda_, lambda_step_, trial_, trial_lambda_;  // of the line search
  StepState<T> before_;
};

}  // namespace kinegrad

// Diagonally implicit Runge-Kutta methods with an explicit first stage for q̇ = v, v̇ = a(t, q, v), any tableau
// (docs/theory/integrators.md). The first stage is the state the step begins with; every other one has the
// unknown ÿ_i alone, with c_v = hγ and c_q = (hγ)²:
//
//   ẏ̂_i = ẏ₀ + h Σ_{j<i} a_ij ÿ_j      ŷ_i = y₀ + h Σ_{j<i} a_ij ẏ_j + hγ ẏ̂_i
//   y_i = ŷ_i + (hγ)² ÿ_i              ẏ_i = ẏ̂_i + hγ ÿ_i              r(t_i, y_i, ẏ_i, ÿ_i) = 0     [DRK-1]
//
// The last stage is the end of the step, so that stiff forces and constraints hold there. Normalisations of Euler
// parameters are equations of accelerations, as in explicit methods: they cost no order.
#pragma once

#include <vector>

#include "kinegrad/integrators/closed_interpolant.hpp"
#include "kinegrad/integrators/tableau.hpp"

namespace kinegrad {

template <Scalar T>
class Esdirk final : public StepMap<T> {
 public:
  /// The tableau must outlive the object.
  Esdirk(const Tableau& tableau, Formulation<T>& formulation, const IntegratorOptions& options);

  std::string_view name() const override { return tableau_.name; }
  int order() const override { return tableau_.order; }
  bool adaptive() const override { return options_.steps != StepSizes::kFixed; }
  bool implicit() const override { return true; }
  StepReport start(StepState<T>& x) override;
  StepReport step(const StepState<T>& x0, double h, StepState<T>& x1,
                  NewtonStart newton = NewtonStart::kPlain) override;
  StepReport interpolate(const StepState<T>& x0, const StepState<T>& x1, double theta,
                         StepState<T>& out) const override;
  void quadrature(const StepState<T>& x0, const StepState<T>& x1,
                  std::vector<QuadratureNode<T>>& nodes) const override;
  void history_quadrature(const StepState<T>& earlier, const StepState<T>& x0,
                          const StepState<T>& x1,
                          std::vector<QuadratureNode<T>>& nodes) const override;
  const StepState<T>* before() const override { return &before_; }
  std::span<const StepState<T>> stages() const override;

 private:
  void size_for(int n);
  void predict(std::size_t stage);
  void guess(const StepState<T>& x0, std::size_t stage, NewtonStart newton);
  StepReport solve(std::size_t stage, const StepState<T>& x0, NewtonStart newton);

  const Tableau& tableau_;
  Formulation<T>& formulation_;
  IntegratorOptions options_;
  bool
      position_level_;  // constraints hold at positions: speeds and accelerations are of lower order
  StageNewton<T> newton_;
  ImplicitStage<T> stage_;
  VecXT<T> y0_, y_, yddot_;
  std::vector<VecXT<T>> k_q_, k_v_;   // of the stages: ẏ and ÿ [FO-2]
  std::vector<StepState<T>> stages_;  // the first is x₀ and not kept
  StepState<T> before_;
  double h_ = 0;
  mutable ClosedInterpolant<T> inside_;
};

}  // namespace kinegrad

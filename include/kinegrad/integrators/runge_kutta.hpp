// Explicit Runge-Kutta methods for q̇ = v, v̇ = a(t, q, v), any tableau (docs/theory/integrators.md).
#pragma once

#include <vector>

#include "kinegrad/formulations/formulation.hpp"
#include "kinegrad/integrators/options.hpp"
#include "kinegrad/integrators/step_map.hpp"
#include "kinegrad/integrators/tableau.hpp"

namespace kinegrad {

template <Scalar T>
class RungeKutta final : public StepMap<T> {
 public:
  RungeKutta(const Tableau& tableau, Formulation<T>& formulation, const IntegratorOptions& options);

  std::string_view name() const override { return tableau_.name; }
  int order() const override { return tableau_.order; }
  bool adaptive() const override {
    return !tableau_.b_hat.empty() && options_.steps != StepSizes::kFixed;
  }
  StepReport start(StepState<T>& x) override;
  StepReport step(const StepState<T>& x0, double h, StepState<T>& x1,
                  NewtonStart newton = NewtonStart::kPlain) override;
  StepReport interpolate(const StepState<T>& x0, const StepState<T>& x1, double theta,
                         StepState<T>& out) const override;
  void quadrature(const StepState<T>& x0, const StepState<T>& x1,
                  std::vector<QuadratureNode<T>>& nodes) const override;
  std::span<const StepState<T>> stages() const override;

 private:
  void size_for(int n);
  StepReport evaluate(double t, StepState<T>& x) const;
  StepReport expand(double t, const VecXT<T>& y, const VecXT<T>& ydot, StepState<T>& x) const;
  void guess(const StepState<T>& x0, double h, std::size_t stage);

  const Tableau& tableau_;
  Formulation<T>& formulation_;
  IntegratorOptions options_;
  std::vector<VecXT<T>> k_q_, k_v_;  // stages: rates of y and of ẏ [FO-2]
  VecXT<T> y0_, ydot0_, y1_, ydot1_;
  mutable VecXT<T> y_, ydot_;
  std::vector<StepState<T>> stages_;  // the first is x₀ and not kept
  double h_ = 0;
};

}  // namespace kinegrad

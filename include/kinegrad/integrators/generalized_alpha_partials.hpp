// Derivatives of a step of the family of Newmark [GA-1] … [GA-4] (docs/theory/step_derivatives.md).
// With s₁, s₀, s_m the coefficients of w₁ = s₁ a* + s₀ a₀ − s_m w₀, the predictors are            [SD-2]
//
//   ŷ = q₀ + h v₀ + h²(½ − β − β s_m) w₀ + h²β s₀ a₀      ẏ̂ = v₀ + h(1 − γ − γ s_m) w₀ + hγ s₀ a₀
#pragma once

#include "kinegrad/integrators/generalized_alpha.hpp"
#include "kinegrad/integrators/reduction_partials.hpp"

namespace kinegrad {

class GeneralizedAlphaPartials final : public StepPartials {
 public:
  GeneralizedAlphaPartials(const NewmarkConstants& constants, const StageRule& rule,
                           const SystemPartialsFactory& make_system);

  bool start_tangent(const StepState<double>& x0, const CoordinateSelection* selection,
                     const DesignJacobian& design, StateTangent& x) override;
  bool start_adjoint(const StepState<double>& x0, const CoordinateSelection* selection,
                     StateCotangent& x, std::span<double> p) override;
  bool tangent(const StepRecord& record, const DesignJacobian& design, StateTangent& x,
               const VisitTangent& visit) override;
  bool linearize(const StepRecord& record) override;
  void adjoint(StateCotangent& x, std::span<double> p, const VisitCotangent& visit) override;
  SystemPartials* at_end() override { return at_end_; }

 private:
  struct Predictor {  // coefficients of [SD-2]
    double q_w, q_a, v_w, v_a;
  };
  Predictor predictor() const;
  bool lags() const { return constants_.alpha_m != 0 || constants_.alpha_f != 0; }
  void lift_tangent(const StepRecord& record, const DesignJacobian& design, StateTangent& x);
  void lift_adjoint(StateCotangent& x, std::span<double> p);

  NewmarkConstants constants_;
  double s1_, s0_, sm_;
  std::unique_ptr<SystemPartials> stage_system_, finish_system_;
  bool independent_, projects_;
  std::unique_ptr<SolvedStage> stage_;
  FinishPartials finish_;
  ReductionPartials reduction_;
  double h_ = 0;
  const StepState<double>* x1_ = nullptr;
  SystemPartials* at_end_ = nullptr;
  MatX dy_, dydot_, dw_;
  VecX y_, ydot_, w_, w_integrated_;
  IntegratedCotangent end_, start_;  // of what is integrated of x₁ and x₀
};

}  // namespace kinegrad

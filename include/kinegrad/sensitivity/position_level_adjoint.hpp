// Adjoint of constraints at position level, with projections of v and a (index3, ali3p;
// docs/theory/continuous_adjoint.md). Multipliers μ₁ of q̇ = v, μ₂ of the motion, μ_Φ of Φ, and of the
// projections μ_v, ν_v and μ_a, ν_a, with u = M(μ₂ − μ_a) what v' is multiplied by:
//
//   M μ_a + Φ_qᵀν_a = g_aᵀ,  Φ_q μ_a = g_λᵀ           M μ_v + Φ_qᵀν_v = g_vᵀ − Φ̈_vᵀν_a,  Φ_q μ_v = 0
//   u̇ = f_vᵀμ₂ − M μ_v − μ₁                             μ̇₁ = f_qᵀμ₂ + Φ_qᵀμ_Φ + Φ̇_qᵀν_v + Φ̈_qᵀν_a − g_qᵀ
//   Φ_q μ₂ = g_λᵀ                                                                                [CA-6]
//
//   at t_F:  u = v̄ + Φ_qᵀη,  μ₁ = q̄ + Φ̇_qᵀη + Φ_qᵀη₂  with  Φ_q M⁻¹u = 0 and its rate 0        [CA-7]
//   ∇ψ = ηᵀΦ̇_p + η₂ᵀΦ_p at t_F + μ₁·q' + u·v' at the start
//        + ∫ g_p − μ₂ᵀf_p − μ_ΦᵀΦ_p − ν_vᵀΦ̇_p − ν_aᵀΦ̈_p dt
//
// CAUTION: A. López Varela's terminal condition (5.88) has no η₂, without which g of accelerations or
// multipliers is wrong, and (5.89) has the sign of the start's term reversed. Written for u, neither
// Ṁ nor rates of μ_a are needed, except for η₂.
#pragma once

#include "kinegrad/formulations/finish_partials.hpp"
#include "kinegrad/sensitivity/adjoint_system.hpp"

namespace kinegrad {

class PositionLevelAdjoint final : public AdjointSystem {
 public:
  PositionLevelAdjoint(const SystemPartialsFactory& make_system, const StageRule& rule);

  /// μ_Φ(t_F) follows from a third derivative of the constraints; steps of Euler do without.
  bool has_rate() const override { return false; }
  bool linearize(const MotionPoint& x, double c) override;
  bool end(const StateCotangent& terminal, const AdjointSource& g, AdjointState& mu,
           std::span<double> p) override;
  void rate(const AdjointState&, const AdjointSource&, AdjointState&, std::span<double>) override {}
  void solve(const AdjointSource& g, AdjointState& mu, std::span<double> p) override;
  void change(AdjointState&, std::span<double>) override {}

 private:
  void project(const AdjointSource& g, std::span<double> p);
  bool factorize_mass();
  void hold(const VecX& eta, bool position, AdjointState& mu, std::span<double> p);
  VecX mass_rate_times(const VecX& y);

  std::unique_ptr<SystemPartials> system_, finish_system_, end_system_;
  StagePartials stage_;
  FinishPartials finish_;
  StageRows rows_;
  int n_, m_;
  const MotionPoint* x_ = nullptr;
  double c_ = 0;
  StateCotangent bar_;
  StageMatrix mass_;  // [M Φ_qᵀ; Φ_q 0]
  MatX f_q_, f_v_;
  PatternMatrix M_;
  std::vector<double> p_;
};

}  // namespace kinegrad

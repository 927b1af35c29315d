// Adjoint of constraints at acceleration level, first approach (docs/theory/continuous_adjoint.md):
// g_a is not substituted, its term is integrated by parts. With M μ₂ + Φ_qᵀμ_Φ = w and Φ_q μ₂ = g_λᵀ,
//
//   ẇ = f_vᵀμ₂ + Φ̈_vᵀμ_Φ − μ₁ − g_vᵀ + ġ_aᵀ,   μ̇₁ = f_qᵀμ₂ + Φ̈_qᵀμ_Φ − g_qᵀ                    [CA-5]
//   w = g_aᵀ at the end,      ∇ψ = … + μ₁·q' + (w − g_aᵀ)·v' at the start
//
// which is [CA-4] for w = μ_v + g_aᵀ. ġ_a needs the jerk and is taken by differences. CAUTION: A. López
// Varela (D.10) prints Φ_ρ where Φ̈_ρ is meant, and Φ̇ for Φ̈ in (D.5)-(D.7).
#pragma once

#include "kinegrad/sensitivity/state_space_adjoint.hpp"

namespace kinegrad {

class IndexOneAdjoint final : public AdjointSystem {
 public:
  IndexOneAdjoint(const SystemPartialsFactory& make_system, const StageRule& rule)
      : state_(make_system, rule) {}

  bool wants_a_rate() const override { return true; }
  bool has_rate() const override { return true; }
  bool linearize(const MotionPoint& x, double c) override { return state_.linearize(x, c); }
  bool end(const StateCotangent& terminal, const AdjointSource& g, AdjointState& mu,
           std::span<double> p) override;
  void rate(const AdjointState& mu, const AdjointSource& g, AdjointState& out,
            std::span<double> p) override;
  void solve(const AdjointSource& g, AdjointState& mu, std::span<double> p) override;
  void change(AdjointState&, std::span<double>) override {}
  void start(const AdjointSource& g, AdjointState& mu, std::span<double> p) override;

 private:
  const AdjointSource& by_parts(const AdjointSource& g);

  StateSpaceAdjoint state_;
  AdjointSource parts_;
};

}  // namespace kinegrad

// Adjoint of ẋ = F(x, p) with x = (q, v), all coordinates or the independent ones: a and λ are those
// that the formulation solves for, and the transposed stage is the product with F_xᵀ and F_pᵀ
// (docs/theory/continuous_adjoint.md):
//
//   −μ̇ = F_xᵀ(μ + g_ẋᵀ) + λ_xᵀg_λᵀ + g_xᵀ,      p̄ = ∫ F_pᵀ(μ + g_ẋᵀ) + λ_pᵀg_λᵀ + g_pᵀ dt          [CA-4]
//
// No matrix R is differentiated and no jerk is needed. CAUTION: A. López Varela (5.68a) prints a minus
// before the term of the start; it is a plus.
#pragma once

#include "kinegrad/sensitivity/adjoint_system.hpp"

namespace kinegrad {

class StateSpaceAdjoint final : public AdjointSystem {
 public:
  StateSpaceAdjoint(std::unique_ptr<SystemPartials> system, const StageRule& rule);

  bool has_rate() const override { return true; }
  bool linearize(const MotionPoint& x, double c) override;
  bool end(const StateCotangent& terminal, const AdjointSource& g, AdjointState& mu,
           std::span<double> p) override;
  void rate(const AdjointState& mu, const AdjointSource& g, AdjointState& out,
            std::span<double> p) override;
  void solve(const AdjointSource& g, AdjointState& mu, std::span<double> p) override;
  void change(AdjointState& mu, std::span<double> p) override;

 private:
  void pull(const StateCotangent& bar, AdjointState& out, std::span<double> p);
  void solve_rolling(AdjointState& mu, std::span<double> p);

  std::unique_ptr<SystemPartials> system_;
  StagePartials stage_;
  double c_ = 0;
  /// Coordinates that are integrated though their speeds depend on others.
  std::vector<int> rolling_;
  StateCotangent bar_, moved_;
  AdjointState pulled_;
  std::vector<double> p_;
};

}  // namespace kinegrad

// Adjoint of ẋ = F(x, p) with x = (q, v), all coordinates or the independent ones: a and λ are those
// that the formulation solves for, and the transposed stage is the product with F_xᵀ and F_pᵀ
// (docs/theory/continuous_adjoint.md):
//
//   −μ̇ = F_xᵀ(μ + g_ẋᵀ) + λ_xᵀg_λᵀ + g_xᵀ,      p̄ = ∫ F_pᵀ(μ + g_ẋᵀ) + λ_pᵀg_λᵀ + g_pᵀ dt          [CA-4]
//
// Where points are named, x = (y, ẏ), and y' = f_q q' + f_p ρ' at the start [SD-3].
// No matrix R is differentiated and no jerk is needed. CAUTION: A. López Varela (5.68a) prints a minus
// before the term of the start; it is a plus.
#pragma once

#include <optional>

#include "kinegrad/formulations/named_motion.hpp"
#include "kinegrad/sensitivity/adjoint_system.hpp"

namespace kinegrad {

class StateSpaceAdjoint final : public AdjointSystem {
 public:
  StateSpaceAdjoint(const SystemPartialsFactory& make_system, const StageRule& rule);

  bool has_rate() const override { return true; }
  bool linearize(const MotionPoint& x, double c) override;
  bool end(const StateCotangent& terminal, const AdjointSource& g, AdjointState& mu,
           std::span<double> p) override;
  void rate(const AdjointState& mu, const AdjointSource& g, AdjointState& out,
            std::span<double> p) override;
  void solve(const AdjointSource& g, AdjointState& mu, std::span<double> p) override;
  void change(AdjointState& mu, std::span<double> p) override;
  void start(const AdjointSource& g, AdjointState& mu, std::span<double> p) override;

 private:
  void pull(StateCotangent& bar, AdjointState& out, std::span<double> p);
  void take_state(const AdjointState& mu);
  void solve_rolling(AdjointState& mu, std::span<double> p);

  std::unique_ptr<SystemPartials> system_;
  std::unique_ptr<SolvedStage> stage_;
  std::optional<NamedMotion> named_;  // for the start
  StagePoint x_;
  double c_ = 0;
  /// Coordinates that are integrated though their speeds depend on others.
  std::vector<int> rolling_;
  StateCotangent bar_, moved_;
  IntegratedCotangent of_step_;  // of y, ẏ and ÿ
  AdjointState pulled_;
  std::vector<double> p_;
};

}  // namespace kinegrad

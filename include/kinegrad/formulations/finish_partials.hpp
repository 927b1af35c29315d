// Derivatives of what ends an implicit step (docs/theory/step_derivatives.md): from the state * that
// Newton's method found to the one that crosses the step. Projections solve, with the normalisations
// among the rows,
//
//   M(v − v*) + Φ_qᵀσ = 0,  Φ̇(q, v) = Eσ           M(a − a*) + Φ_qᵀκ = 0,  Φ̈(q, v, a) = Eκ     [ST-4]
//
// and λ = λ* + κ. Where forces read reactions, a* and λ* are forgotten, and a, λ found anew at the projected speeds,
//
//   f(t, q, v, a, λ) = 0,  Φ̈(q, v, a) = 0: a stage with q and v given                                [ST-12]
//
// Where nothing is projected the Euler parameters p are made consistent,
//
//   v = v* − p(p·v*)/p·p            a = a* − p(p·a* + v·v)/p·p                                  [ST-5]
#pragma once

#include <optional>

#include "kinegrad/formulations/stage_partials.hpp"

namespace kinegrad {

class FinishPartials {
 public:
  /// The system must outlive the object.
  FinishPartials(SystemPartials& system, const StageRule& rule);

  /// `before` has v*, a*, λ* and `after` what became of them, at one q; `stage` was linearized at
  /// `before`.
  bool linearize(const StagePoint& before, const StagePoint& after, const SolvedStage& stage);
  void take_parameters(const DesignJacobian& design);
  /// x: derivatives of the state *, then of the state after.
  void tangent(StateTangent& x);
  /// x: cotangents of the state after, then of the state *; p̄ is added to.
  void adjoint(StateCotangent& x, std::span<double> p);

 private:
  void anew_adjoint(StateCotangent& x, std::span<double> p);
  struct Problem {  // M u + Φ_qᵀσ
    VecX u, multipliers;
    PatternMatrix f_q;
    MatX f_p;
  };
  void parameters_of(Problem& problem, const DesignJacobian& design);
  void solve_tangent(const Problem& problem, MatX& x);
  void pull(const Problem& problem, VecX& x_bar, std::span<const double> multipliers_bar,
            VecX& q_bar, std::span<double> p);
  void normalise_tangent(StateTangent& x) const;
  void normalise_adjoint(StateCotangent& x) const;

  SystemPartials& system_;
  StageRule rule_;
  int n_, m_;
  StageRows rows_;
  StagePoint before_, after_;
  StageMatrix matrix_;
  std::optional<StagePartials> anew_;  // [ST-12]
  const PatternMatrix* M_ = nullptr;
  MatX right_, dq_;
  LevelTangent level_p_;
  Problem velocity_, acceleration_;
  VecX z_, sink_;
  std::vector<double> w_, phi_dot_, phi_ddot_;
};

}  // namespace kinegrad

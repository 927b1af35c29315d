// Derivatives of where a run starts (docs/theory/step_derivatives.md). The file's values q̂(p), v̂(p)
// are changed in the coordinates S so that the rows Ψ hold (constraints, normalisations, places of
// points); with J = Ψ_q in those columns and J⁺ the change of least size,
//
//   dq = dq̂ − E_S J⁺(Ψ_q dq̂ + Ψ_p dp)         dv = dv̂ − E_S J⁺(Ψ̇_q dq + Ψ_q dv̂ + Ψ̇_p dp)      [KP-5]
//
// and rest in an equilibrium solves f(q, 0, 0) + Φ_qᵀλ = 0 with the rows of positions,
//
//   [ f_q  Φ_qᵀ ; Φ_q  0 ] [dq; dλ] = −[ f_p dp ; Φ_p dp ],   dv = 0.                           [KP-6]
#pragma once

#include <Eigen/QR>

#include "kinegrad/formulations/stage_partials.hpp"
#include "kinegrad/simulation/run_start.hpp"

namespace kinegrad {

class StartPartials {
 public:
  /// Both must outlive the object.
  StartPartials(const Model& model, SystemPartials& system);

  /// At a start x₀ found with those sets; `rests`: in an equilibrium.
  bool linearize(const StepState<double>& x0, const StartSets& sets, bool rests);
  /// dq and dv of the start.
  void tangent(const DesignJacobian& design, StateTangent& x);
  /// From q̄ and v̄ of the start to p̄, which is added to.
  void adjoint(const StateCotangent& x, std::span<double> p);

 private:
  enum class Level { kPosition, kVelocity };
  struct Problem {
    std::vector<int> columns, rows;
    MatX J, by_q;  // Ψ_q (all columns), and what the level depends on positions by
    Eigen::CompleteOrthogonalDecomposition<MatX> factor;
  };
  void take(Problem& problem, Level level);
  VecX solve_transposed(const Problem& problem, const VecX& x_bar) const;
  void pull_rows(const Problem& problem, Level level, const VecX& s, std::span<double> p);
  bool linearize_rest();
  void rest_tangent(const DesignJacobian& design, StateTangent& x);
  void rest_adjoint(const StateCotangent& x, std::span<double> p);
  void parameter_rows(const Problem& problem, Level level, const DesignJacobian& design, MatX& out);

  const Model& model_;
  SystemPartials& system_;
  const StepState<double>* x0_ = nullptr;
  bool rests_ = false;
  Problem position_, velocity_;
  RowJacobians J_, targets_;
  StageRows rows_;
  StageMatrix matrix_;
  VecX lambda_, zero_, z_;
  std::vector<double> p_bar_, w_, phi_;
};

}  // namespace kinegrad

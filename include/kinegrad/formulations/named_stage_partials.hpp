// Derivatives of a solved stage of Matrix R whose independent coordinates the model names, points among
// them (docs/theory/step_derivatives.md). With the pivot rows and the named coordinates one above the
// other, K = [Φ_R; f], K_q = K̇_v = K̈_a = G = [J_R; B], and G⁻¹ = [S R], a stage has found ÿ and λ with
//
//   K = [0; ŷ + c_q ÿ],   K̇ = [0; ẏ̂ + c_v ÿ],   K̈ = [0; ÿ],   r + Φ_qᵀλ + Σ p η = 0              [ST-8]
//
// so that, with q_y, v_y, a_y the derivatives of the state along ÿ and b those of the equations at fixed ÿ,
//
//   RᵀN dÿ = −Rᵀb,   dλ_R = −Sᵀ(b + N dÿ),        N = f_q q_y + f_v v_y + f_a a_y                  [ST-9]
//
// and backwards the same matrices transposed                                                    [ST-10].
// G is factorised once, a matrix as large as ÿ besides; no derivative of R is formed.
#pragma once

#include <vector>

#include "kinegrad/formulations/solved_stage.hpp"
#include "kinegrad/formulations/stacked_rows.hpp"
#include "kinegrad/math/small_lu.hpp"

namespace kinegrad {

class NamedStagePartials final : public SolvedStage {
 public:
  /// The system, which must outlive the object like the names, has their rows after the constraints'.
  NamedStagePartials(SystemPartials& system, std::span<const IndependentCoordinate> named);

  int integrated() const override { return d_; }
  /// @pre there is a selection: its pivot rows
  bool linearize(const StagePoint& x, double c_q, double c_v,
                 const CoordinateSelection* selection) override;
  void take_parameters(const DesignJacobian& design) override;
  void tangent(const MatX& dy, const MatX& dydot, StateTangent& x) override;
  Rates rates(const StateTangent&) const override { return {ydot_, yddot_}; }
  void adjoint(StateCotangent& x, const IntegratedCotangent& integrated, std::span<double> y,
               std::span<double> ydot, std::span<double> p) override;
  void tangent_at(StateTangent& x) override;
  void adjoint_at(StateCotangent& x, std::span<double> p) override;
  void linearize_lift(const StagePoint& x) override;
  void take_lift_parameters(const DesignJacobian& design) override;
  void lift_tangent(const StateTangent& x, const MatX& dw_integrated, MatX& dw) override;
  void lift_adjoint(StateCotangent& x, const VecX& w, VecX& w_integrated,
                    std::span<double> p) override;
  const PatternMatrix& mass() const override { return f_a_; }
  const StageRows& rows() const override { return rows_; }

 private:
  void take_system();
  void stack(const CoordinateSelection& selection);
  bool factorize();
  void take_columns();
  void solve(MatX& X) const;
  void solve_accelerations(StateTangent& x);
  void pull_accelerations(const StateCotangent& x);
  void pull_parameters(std::span<double> p);

  SystemPartials& system_;
  std::span<const IndependentCoordinate> named_;
  int n_, d_;
  int m_;  // multipliers
  int l_;  // pivot rows
  StageRows rows_, lifted_;
  StackedRows K_, lifted_K_;
  std::vector<int> pivot_row_;
  StagePoint x_;
  double c_q_ = 0, c_v_ = 0;
  PatternMatrix f_q_, f_v_, f_a_;
  SmallLu<double> G_, A_;  // A = RᵀN
  MatX R_, q_y_, v_y_, a_y_, N_, work_;
  MatX f_p_;
  LevelTangent levels_;
  MatX dq_, dv_, da_, b_, ydot_, yddot_;
  VecX y_bar_;                                     // of ÿ
  VecX mu_;                                        // minus cotangents of f
  VecX q_bar_, v_bar_;                             // at fixed ÿ
  VecX of_places_, of_speeds_, of_accelerations_;  // minus cotangents of K, K̇, K̈
  std::vector<double> lambda_, w_, phi_, phi_dot_, phi_ddot_;
};

}  // namespace kinegrad

// Derivatives of one solved stage of any formulation (docs/theory/step_derivatives.md).
//
// A stage gets predictors ŷ, ẏ̂ of the coordinates it integrates, and finds a, λ with [ST-1] and
//
//   q = ŷ + c_q a,  v = ẏ̂ + c_v a                        or, with independent coordinates,      [ST-2]
//   q: Φ = 0, q_I = ŷ + c_q a_I,   v: Φ̇ = 0, v_F = ẏ̂ + c_v a_F
//
// so that, with f = r + Φ_qᵀλ + pη and L = ℓ_a + ℓ_v v_a + ℓ_q q_a,
//
//   [ f_a + f_v v_a + f_q q_a   Φ_qᵀ ] [da]       [ f_q dq̂ + f_v dv̂ + f_p dp ]
//   [ L                          −E  ] [dλ]  =  − [ ℓ_q dq̂ + ℓ_v dv̂ + ℓ_p dp ]               [ST-3]
//
// One factorisation serves all parameters forwards, and its transpose all objectives backwards.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kinegrad/formulations/solved_stage.hpp"
#include "kinegrad/formulations/stage_matrix.hpp"
#include "kinegrad/math/row_span.hpp"
#include "kinegrad/math/small_lu.hpp"

namespace kinegrad {

/// Rows of the constraints, then of the normalisations, at one state.
class StageRows {
 public:
  explicit StageRows(const SystemPartials& system);
  /// From now on sparse; the pattern counts the normalisations.
  void set_pattern(const SparseRows<double>& pattern);
  void take(SystemPartials& system, const StagePoint& x, RowLevels levels = RowLevels::kAll);
  int rows() const { return rows_; }
  /// What remains of the terms of each row of Φ_q [RK-1].
  std::span<const double> remaining() const { return remaining_; }
  RowJacobiansOf<PatternMatrix> J;

 private:
  void take_whole(SystemPartials& system, RowLevels levels);

  std::vector<int> euler_;
  int m_ = 0, rows_ = 0;
  std::vector<double> remaining_;
  RowJacobians part_;
};

/// η of a set of Euler parameters: what is left of f along p, at the state that was linearized.
double normalisation_force(const SystemPartials& system, std::span<const double> q, int first);

/// The rows of those numbers; those that are not there are zero.
void pick_rows(std::span<const int> which, const MatX& rows, MatX& some);

/// ℓ = phi Φ + phi_dot Φ̇ + phi_ddot Φ̈ − softness λ of an equation [ST-1].
struct StageLevel {
  double phi = 0, phi_dot = 0, phi_ddot = 0, softness = 0;
  bool of_place() const { return phi_dot == 0 && phi_ddot == 0; }
};

/// y is q, with full vectors for independent coordinates too.
class StagePartials final : public SolvedStage {
 public:
  /// The system must outlive the object.
  StagePartials(SystemPartials& system, const StageRule& rule);

  int integrated() const override { return n_; }
  bool linearize(const StagePoint& x, double c_q, double c_v,
                 const CoordinateSelection* selection) override;
  void take_parameters(const DesignJacobian& design) override;
  void tangent(const MatX& dy, const MatX& dydot, StateTangent& out) override;
  Rates rates(const StateTangent& x) const override { return {x.v, x.a}; }
  void adjoint(StateCotangent& x, const IntegratedCotangent& integrated, std::span<double> y,
               std::span<double> ydot, std::span<double> p) override;
  /// Without others than those of the state, which stays.
  void adjoint(const StateCotangent& x, std::span<double> y, std::span<double> ydot,
               std::span<double> p);
  void tangent_at(StateTangent& x) override;
  void adjoint_at(StateCotangent& x, std::span<double> p) override;
  const PatternMatrix& mass() const override { return system_.reads_reactions() ? M_ : f_a_; }
  const StageRows& rows() const override { return rows_; }
  void linearize_lift(const StagePoint& x) override;
  void take_lift_parameters(const DesignJacobian& design) override;
  void lift_tangent(const StateTangent& x, const MatX& dw_integrated, MatX& dw) override;
  void lift_adjoint(StateCotangent& x, const VecX& w, VecX& w_integrated,
                    std::span<double> p) override;

  // for Newton's method with the same matrix
  /// At which level implicit stages have the normalisations, as NewtonCoefficients say.
  void normalise_accelerations(bool at_acceleration_level) {
    rule_.normalises_accelerations = at_acceleration_level;
  }
  /// Equations beside those of motion: of all constraints and normalisations, or of the pivots.
  int equations() const { return static_cast<int>(z_.size()) - n_; }
  /// The constraint of such an equation; normalisations come after the constraints.
  int row_of(int equation) const {
    return independent_ ? selection_.pivot_row[static_cast<std::size_t>(equation)] : equation;
  }
  StageLevel level_of(int row) const;
  /// Whether its multiplier rests: the equation vanishes, or is left to the projections [B-6].
  bool rests(int equation) const {
    return !independent_ && !(remaining_[static_cast<std::size_t>(equation)] > 0);
  }
  /// z ← solution of [ST-3] for the right side z.
  void solve(std::span<double> z) { matrix_.solve(z); }
  int orientation() const { return matrix_.orientation(); }

 private:
  using Level = StageLevel;
  bool expand();
  double eta_of(int first) const { return normalisation_force(system_, x_.q, first); }
  void set_levels(int row, const Level& level, double s);
  bool assemble();
  bool assemble_independent();
  void take_remaining();
  void adjoint_full(const StateCotangent& x, std::span<double> y, std::span<double> ydot,
                    std::span<double> p);
  void adjoint_independent(const StateCotangent& x, std::span<double> y, std::span<double> ydot,
                           std::span<double> p);
  void pivots_of(const MatX& rows, MatX& some) const {
    pick_rows(selection_.pivot_row, rows, some);
  }

  SystemPartials& system_;
  StageRule rule_;
  int n_, m_;
  StageRows rows_, lifted_;
  CoordinateSelection selection_;
  bool independent_ = false;
  bool only_places_ = false;  // the rows are Φ: ℓ_v = 0
  StagePoint x_;
  double c_q_ = 0, c_v_ = 0;
  std::vector<Level> levels_;  // by equation
  std::vector<double> remaining_;
  DependentOnSpeeds dependent_;  // that the step leaves out [B-6]
  VecX one_ = VecX::Ones(1);
  PatternMatrix f_q_, f_v_, f_a_, M_;  // M where f_a is not
  PatternMatrix L_q_, L_v_, L_;        // by equation
  MatX P_q_, P_v_, S_q_, S_v_;         // of [ST-2] with independent coordinates
  MatX q_a_, v_a_;
  SmallLu<double> position_lu_, velocity_lu_;
  StageMatrix matrix_;
  MatX f_p_, level_p_;  // level_p_: ℓ_p by equation, where coordinates are not independent
  LevelTangent Phi_p_, lift_p_;
  MatX dq_, dv_, right_, L_some_, lift_right_;
  MatX Jdot_;  // of the pivots
  VecX pivots_;
  VecX z_, q_bar_, v_bar_, s_q_, s_v_;
  std::vector<double> w_, phi_, phi_dot_, phi_ddot_, a_bar_, unit_row_;
};

}  // namespace kinegrad

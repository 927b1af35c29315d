// Derivatives of where a run starts (docs/theory/step_derivatives.md). The file's values q̂(p), v̂(p)
// are changed in the coordinates S so that the rows Ψ hold (constraints, normalisations, places of
// points); with J = Ψ_q in those columns and J⁺ the change of least size,
//
//   dq = dq̂ − E_S J⁺(Ψ_q dq̂ + Ψ_p dp)         dv = dv̂ − E_S J⁺(Ψ̇_q dq + Ψ_q dv̂ + Ψ̇_p dp)      [KP-5]
//
// where that determines them, or where q̂ and v̂ meet the rows; the nearest ones [KP-7], [KP-8] have
// x = x̂ + E_S δ, with K = (Jᵀμ)_q in the rows S,
//
//   [ I + K_S  Jᵀ ; J  0 ] [δ; dμ] = −[ K dq̂ + (Jᵀμ)_p dp ; Ψ_q dq̂ + Ψ_p dp ]                   [KP-9]
//   [ I        Jᵀ ; J  0 ] [δ; dν] = −[ K dq + (Jᵀν)_p dp ; Ψ̇_q dq + Ψ_q dv̂ + Ψ̇_p dp ]
//
// An equilibrium y of [KP-3] and [KP-17], found from the assembled start ŷ and released with speeds [KP-2], changes by
//
//   [ K  Jᵀ ; J  0 ] [dy; dλ] = −[ r_p dp + (Φ_qᵀλ)_p dp ; Φ_p dp, 0, −dŷ_H ]                    [KP-6]
//
// with dŷ of [KP-5] at the assembled start, and dv of [KP-5] or [KP-9] at the equilibrium.
#pragma once

#include <Eigen/LU>

#include "kinegrad/formulations/stage_partials.hpp"
#include "kinegrad/simulation/initial_state.hpp"
#include "kinegrad/simulation/run_start.hpp"
#include "kinegrad/simulation/start_rank.hpp"

namespace kinegrad {

class RestEquations;
class RestLinearization;

class StartPartials {
 public:
  virtual ~StartPartials() = default;
  /// At a start x₀ found with those sets; `rests`: in an equilibrium.
  virtual bool linearize(const StepState<double>& x0, const StartSets& sets, bool rests) = 0;
  /// The forces along a coordinate that an equilibrium holds, because nothing else does, must stay in balance: the first
  /// column of the design along which they do not, and the coordinate.
  struct LostBalance {
    int column = -1, coordinate = -1;
  };
  virtual LostBalance lost_balance(const DesignJacobian& design) = 0;
  /// dq and dv of the start.
  virtual void tangent(const DesignJacobian& design, StateTangent& x) = 0;
  /// From q̄ and v̄ of the start to p̄, which is added to.
  virtual void adjoint(const StateCotangent& x, std::span<double> p) = 0;
};

/// The derivatives of where a run at p starts; model and p must outlive them. `constants` of the model at
/// p, if there are any, are shared.
std::unique_ptr<StartPartials> make_start_partials(const Model& model, const RunOptions& run,
                                                   std::span<const double> p,
                                                   std::span<const char> active,
                                                   const LoadedTree<double>* constants = nullptr);

/// In joint coordinates.
class JointStartPartials final : public StartPartials {
 public:
  /// Model and p must outlive the object. p: of the model, needed at equilibria alone. `parameters`: entries of p that
  /// designs may have, those of a model in other coordinates, which come after the model's own, included.
  JointStartPartials(const Model& model, std::unique_ptr<SystemPartials> system,
                     std::span<const double> p = {}, std::size_t parameters = 0);
  ~JointStartPartials() override;

  bool linearize(const StepState<double>& x0, const StartSets& sets, bool rests) override;
  LostBalance lost_balance(const DesignJacobian& design) override;
  void tangent(const DesignJacobian& design, StateTangent& x) override;
  void adjoint(const StateCotangent& x, std::span<double> p) override;

 private:
  enum class Level { kPosition, kVelocity };
  struct Problem {
    VecX q, v;  // where it is linearised
    std::vector<int> columns, rows;
    MatX J, by_q;        // Ψ_q (all columns), and what the level depends on positions by
    VecX inverse_scale;  // 1/s of the equations
    PartSolver solver;   // of the equations divided by their scales
    VecX multipliers;    // of the nearest; empty: [KP-5]
    MatX K;
    Eigen::PartialPivLU<MatX> nearest;
    bool is_nearest() const { return multipliers.size() > 0; }
  };
  /// Cotangents of the columns, all others zero, and of the rows.
  struct Solved {
    VecX w, s;
  };
  void choose(Problem& problem, const VecX& q, const VecX& v, const std::vector<double>& scales);
  bool take(Problem& problem, Level level);
  bool take_nearest(Problem& problem, Level level);
  void at(const Problem& problem);
  Solved solve_transposed(const Problem& problem, const VecX& x_bar) const;
  void correct(const Problem& problem, const MatX& top, const MatX& right, MatX& dx) const;
  void pull_rows(const Problem& problem, Level level, const VecX& s, VecX& q, std::span<double> p);
  void pull_forces(const Problem& problem, const VecX& w, VecX& q, std::span<double> p);
  void parameter_forces(const Problem& problem, const DesignJacobian& design, MatX& out);
  void parameter_rows(const Problem& problem, Level level, const DesignJacobian& design, MatX& out);
  void position_tangent(const DesignJacobian& design, MatX& dq);
  void velocity_tangent(const DesignJacobian& design, const MatX& dq, MatX& dv);
  void velocity_adjoint(VecX& q, VecX& v, std::span<double> p);
  void position_adjoint(VecX& q, std::span<double> p);
  bool linearize_rest(const StepState<double>& x0, const StartSets& sets);
  void at_rest();
  bool holds_coordinates() const;
  /// g and b of [KP-6] along the columns of a design, and dq of the auxiliary angles.
  struct RestChange {
    MatX g, b, angles;
  };
  RestChange rest_change(const DesignJacobian& design);
  void rest_tangent(const DesignJacobian& design, StateTangent& x);
  void rest_adjoint(const StateCotangent& x, std::span<double> p);

  const Model& model_;
  std::unique_ptr<SystemPartials> owner_;
  SystemPartials& system_;
  std::span<const double> p_;
  bool rests_ = false;
  Problem position_, velocity_;
  RowJacobians targets_;
  StageRows rows_;
  RestRecord record_;
  std::vector<char> state_;  // by coordinate
  VecX rest_q_, rest_v_, rest_lambda_;
  MatX by_angle_;
  std::unique_ptr<RestLinearization> rest_;
  VecX zero_;
  std::vector<double> p_bar_;
};

/// In other coordinates: of the start that was found in joint coordinates, then of the change [GC-4].
class ChangedStartPartials final : public StartPartials {
 public:
  /// Model and p must outlive the object.
  ChangedStartPartials(const Model& model, const RunOptions& run, std::span<const double> p,
                       std::unique_ptr<StartPartials> joints);

  bool linearize(const StepState<double>& x0, const StartSets& sets, bool rests) override;
  LostBalance lost_balance(const DesignJacobian& design) override {
    return joints_->lost_balance(design);
  }
  void tangent(const DesignJacobian& design, StateTangent& x) override;
  void adjoint(const StateCotangent& x, std::span<double> p) override;

 private:
  const Model& model_;
  std::span<const double> p_;
  RunStart<double> start_;
  std::unique_ptr<StartPartials> joints_;
  FromJointPartials change_;
  FromJointCoordinates<Complex> along_;
  StateCotangent found_bar_;
  StateTangent found_;
  int multipliers_ = 0;
};

}  // namespace kinegrad

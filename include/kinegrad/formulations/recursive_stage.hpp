// Derivatives of a stage whose q and v are given, without a matrix of the size of the tree
// (docs/theory/step_derivatives.md). Without constraint equations the adjoint is the pull-back [DA-3]. With
// them [ST-3] has f_a = M and L = Φ_q: it is the saddle-point system [FR-2], symmetric, that the recursion
// solves with M⁻¹ and m responses W,
//
//   [ M  P  Jᵀ ] [da]       [ f_q dq + f_v dv + f_p dp + η dp_e ]
//   [ Pᵀ       ] [dη]  =  − [ p̈ᵀdp_e + 2ṗᵀdṗ_e                 ]                              [ST-11]
//   [ J        ] [dλ]       [ ℓ_q dq + ℓ_v dv + ℓ_p dp          ]
//
// P: the Euler parameters p_e of every set in a column, whose normalisations complete M [D-9]. Backwards, with μ, ν
// and p̄_η its solution for ā and λ̄, follows one pull-back [CP-1]. O(n m) + O(m³) for an objective, the
// products along a direction of the state [TG-10] included.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kinegrad/formulations/recursive_saddle.hpp"
#include "kinegrad/formulations/solved_stage.hpp"

namespace kinegrad {

class RecursiveStage {
 public:
  /// The system must outlive the object. Without constraint equations any system will do for adjoints.
  RecursiveStage(SystemPartials& system, const StageRule& rule);

  /// At a solved stage, which must stay where it is until the next. False if there is no derivative.
  bool linearize(const StagePoint& x);
  /// From cotangents of the state to those of q, v and p, which are added to.
  void adjoint(const StateCotangent& x, std::span<double> q, std::span<double> v,
               std::span<double> p);

  /// Whether the system has derivatives along directions.
  bool has_tangents() const { return recursion_ != nullptr; }
  /// Those with respect to the parameters; before tangent(). @pre has_tangents()
  void take_parameters(const DesignJacobian& design);
  /// da and dλ of x from its dq and dv.
  void tangent(StateTangent& x);

 private:
  std::span<const int> sets() const { return system_.euler_sets(); }
  double eta(int first) const;
  void solve_mass(const VecX& b, VecX& x);
  void adjoint_constrained(const StateCotangent& x, std::span<double> q, std::span<double> v,
                           std::span<double> p);
  void pull_normalisations(const StateCotangent& x, std::span<double> q, std::span<double> v);
  double level_change(int row, Eigen::Index column) const;

  SystemPartials& system_;
  TreeRecursion* recursion_;
  StageRule rule_;
  int n_, m_;
  StagePoint x_;
  std::optional<RecursiveSaddle<double>> saddle_;
  VecX b_, mu_, nu_;
  std::vector<double> normalisation_;  // φ of [D-9], by set
  std::vector<double> w_, phi_, phi_dot_, phi_ddot_, ignored_;
  MatX f_p_, f_x_;
  LevelTangent level_p_, level_x_;
};

}  // namespace kinegrad

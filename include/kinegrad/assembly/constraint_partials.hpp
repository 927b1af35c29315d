// Partial derivatives of the constraints on a tree and of their forces (docs/theory/constraints.md,
// [CP]).
//
// Everything a gradient asks of the rows is a sum over them, contracted with given numbers,
//
//   φ₀·Φ + φ₁·Φ̇ + φ₂·Φ̈  +  w·Φ_qᵀλ                                                          [CP-1]
//
// whose derivatives with respect to q, v, a and p are wanted. The products of world vectors hand the
// cotangents φ on to positions, velocities and accelerations of the vectors,                  [CP-2]
//
//   Ā += φ₀(·⊙B) + φ₁(·⊙Ḃ) + φ₂(·⊙B̈),   Ǡ += φ₁(·⊙B) + 2φ₂(·⊙Ḃ),   Ǟ += φ₂(·⊙B)       (B alike)
//
// and the last term is the power of the forces F = λg on the vectors in the motion W = Σ S w: a force
// like an applied one [DP-5], with                                                            [CP-3]
//
//   Ā += λ(·⊙Ḃ_w),   B̄ += λ(Ȧ_w⊙·)        Ȧ_w, Ḃ_w: rates in the motion W
//
// Expressions go backwards through their tape: φ₀, φ₁, φ₂ enter at E, Ė, Ë, and λẋ_w at the slopes.
// The sweep of TreePartials does the rest.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/assembly/tree_constraints.hpp"
#include "kinegrad/assembly/tree_partials.hpp"

namespace kinegrad {

/// Cotangents of the levels, one per row each; those of Φ one per holonomic row. Empty: none.
struct LevelCotangent {
  std::span<const double> Phi, Phi_dot, Phi_ddot;
};

/// Jacobians of the rows, full matrices: Φ̇_v = Φ̈_a = Φ_q.
struct RowJacobians {
  MatX Phi_q;                 ///< of nonholonomic rows ∂Φ̇/∂v
  MatX Phidot_q;              ///< ∂Φ̇/∂q
  MatX Phiddot_q, Phiddot_v;  ///< ∂Φ̈/∂q, ∂Φ̈/∂v
};

/// Which of them are wanted: Φ_q, Φ̇_q too, all. Those that are not are zero.
enum class RowLevels { kPlaces, kRates, kAll };

class ConstraintPartials {
 public:
  /// Both must outlive the object and belong to one TreeDynamics.
  ConstraintPartials(const TreeConstraints<double>& constraints, TreePartials& partials);

  /// Adds the forces λg of the rows to those of the bodies. Call after linearize() of the tree's
  /// partials, at the state of the last motion() of the constraints.
  void apply(std::span<const double> lambda);
  /// Adds (Φ_qᵀλ)_q to r_q, whose part from the bodies' forces matrices() has put there.
  void add_matrix(MatX& r_q);
  /// The Jacobians of the rows at this state.
  void jacobians(RowJacobians& out, RowLevels levels = RowLevels::kAll);
  /// Adds [CP-1] to a pull-back between open() and close(); `w` as given to them.
  void gather(const LevelCotangent& bar, std::span<const double> w, const ResidualCotangent& out);

  /// Takes the multipliers for gather_fixed_motion(), at the state of the last motion().
  void take(std::span<const double> lambda);
  /// Adds the power of the rows' forces λg in the motions W of the tree's partials, which are fixed in
  /// the world: of one constraint, or of all (-1) [SG-2].
  void gather_fixed_motion(int constraint, std::span<double> lambda_bar,
                           const ResidualCotangent& out);

 private:
  friend class ConstraintTangents;
  using Term = TreeConstraints<double>::Term;
  using Pair = TreeConstraints<double>::Pair;
  using Row = TreeConstraints<double>::Row;

  VectorState state_of(int slot) const;
  void add(int weight, const Pair& pair, const Vec3& bar, Vec3 VectorCotangent::*level);
  void pull_terms(const Row& row, double phi, double phi_dot, double phi_ddot);
  void pull_power(const Row& row, double lambda);
  Vec3 rate_of(const Pair& pair) const;
  void seed_expression(const Row& row, double phi, double phi_dot, double phi_ddot);
  void seed_slopes(const Row& row, double lambda, std::span<const double> w);
  void pull_tape(std::span<double> q, std::span<double> v, std::span<double> a,
                 std::span<double> p);
  void climb(const VectorState& s, const VectorCotangent& bar, Eigen::Index row, MatX& by_q,
             MatX* by_v) const;
  void row_jacobian(std::size_t i, bool second, MatX& by_q, MatX* by_v);
  void clear_bars();
  void pull_fixed_motion(std::size_t row, std::span<double> lambda_bar);
  void hand_on(bool forces, const ResidualCotangent& out);
  void vector_jacobian(const VectorState& s, double sign, Eigen::Matrix3Xd& J) const;
  void pair_jacobian(const Pair& pair, Eigen::Matrix3Xd& J) const;
  void add_products(const Row& row, double lambda, MatX& r_q);
  void add_slopes(const Row& row, double lambda, MatX& r_q);
  void add_lever(const VectorState& s, const Vec3& force, MatX& r_q);

  const TreeConstraints<double>& c_;
  TreePartials& partials_;
  const Model& model_;
  std::vector<double> lambda_;
  std::vector<Vec3> force_;            // by slot
  std::vector<VectorCotangent> bars_;  // by weight
  std::vector<VectorCotangent> slot_bars_;
  std::vector<double> bar_outputs_, bar_registers_, bar_inputs_;
  bool expressions_ = false;
  Eigen::Matrix3Xd J_A_, J_B_, J_C_;
  VecX row_q_, row_v_, row_a_;
};

}  // namespace kinegrad

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
// The sweep of the pull-back [DP-4] does the rest.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/assembly/tree_constraints.hpp"
#include "kinegrad/math/pattern_builder.hpp"
#include "kinegrad/tree/residual_pullback.hpp"

namespace kinegrad {

/// Cotangents of the levels, one per row each; those of Φ one per holonomic row. Empty: none.
struct LevelCotangent {
  std::span<const double> Phi, Phi_dot, Phi_ddot;
};

/// Jacobians of the rows: Φ̇_v = Φ̈_a = Φ_q.
template <typename Matrix>
struct RowJacobiansOf {
  Matrix Phi_q;                 ///< of nonholonomic rows ∂Φ̇/∂v
  Matrix Phidot_q;              ///< ∂Φ̇/∂q
  Matrix Phiddot_q, Phiddot_v;  ///< ∂Φ̈/∂q, ∂Φ̈/∂v
};
using RowJacobians = RowJacobiansOf<MatX>;
/// Matrices of somebody else, with at least the pattern of add_pattern(); rows beyond those of the
/// constraints are zero.
using SparseRowJacobians = RowJacobiansOf<SparseRows<double>&>;

/// Which of them are wanted: Φ_q, all but Φ_q, all. Those that are not are zero.
enum class RowLevels { kPlaces, kMotion, kAll };

class ConstraintPartials {
 public:
  /// Both must outlive the object and belong to one motion.
  ConstraintPartials(const TreeConstraints<double>& constraints, LinearizedTree& tree);

  /// Adds the forces λg of the rows to those of the bodies. The tree is
  /// linearised at the state of the constraints.
  void apply(std::span<const double> lambda);
  /// Adds (Φ_qᵀλ)_q to r_q, whose part from the bodies' forces residual_matrices() has put there.
  template <typename Matrix>
  void add_matrix(Matrix& r_q);
  /// The Jacobians of the rows at this state.
  template <typename Jacobians>
  void jacobians(Jacobians& out, RowLevels levels = RowLevels::kAll);
  /// Adds the entries that the Jacobians of the rows can have, and those of (Φ_qᵀλ)_q: coordinates that
  /// one product or expression of a row depends on.
  void add_pattern(PatternBuilder& rows, PatternBuilder& equations) const;
  /// Adds [CP-1] to a pull-back that has begun; `w` as given to them.
  void gather(const LevelCotangent& bar, std::span<const double> w, const ResidualCotangent& out);

  /// Takes the multipliers for gather_fixed_motion(), at the state of the constraints.
  void take(std::span<const double> lambda);
  /// Adds the power of the rows' forces λg in the motions W of the pull-back, which are fixed in
  /// the world: of one constraint, or of all (-1) [SG-2].
  void gather_fixed_motion(int constraint, std::span<double> lambda_bar,
                           const ResidualCotangent& out);

  const TreeConstraints<double>& constraints() const { return c_; }
  const LinearizedTree& tree() const { return L_; }
  /// The multipliers, and the forces that they put on the vectors by slot.
  std::span<const double> lambda() const { return lambda_; }
  std::span<const Vec3> forces() const { return force_; }
  VectorState state_of(int slot) const;

 private:
  using Term = ConstraintLayout::Term;
  using Pair = ConstraintLayout::Pair;
  using Row = ConstraintLayout::Row;
  using Slot = ConstraintVectors<double>::Slot;

  const Slot& slot(int s) const { return x_.slots[static_cast<std::size_t>(s)]; }
  /// A vector from the common point, or a direction.
  Triple<double> arm_of(const Slot& s) const {
    return s.is_point ? Triple<double>(s.x) - Triple<double>(L_.at.x0) : Triple<double>(s.x);
  }
  /// ∂x/∂q_c of a vector that coordinate c moves.
  Triple<double> slope_of(const Slot& s, const Triple<double>& arm, int c) const {
    const Halves<double> S(L_.at.S.col(c));
    return s.is_point ? S.v + cross(S.w, arm) : cross(S.w, arm);
  }
  void add(int weight, const Pair& pair, const Vec3& bar, Vec3 VectorCotangent::*level);
  void pull_terms(const Row& row, double phi, double phi_dot, double phi_ddot);
  void pull_power(const Row& row, double lambda);
  Vec3 rate_of(const Pair& pair) const;
  void seed_expression(const Row& row, double phi, double phi_dot, double phi_ddot);
  void seed_slopes(const Row& row, double lambda, std::span<const double> w);
  void pull_tape(std::span<double> q, std::span<double> v, std::span<double> a,
                 std::span<double> p);
  template <typename Matrix>
  void climb(const VectorState& s, const VectorCotangent& bar, int row, Matrix& by_q,
             Matrix* by_v) const;
  template <typename Jacobians>
  void term_jacobians(std::size_t i, Jacobians& out);
  template <typename Matrix>
  void expression_jacobian(std::size_t i, bool second, Matrix& by_q, Matrix* by_v);
  void list_columns();
  std::vector<int> columns_of(const Pair& pair) const;
  std::vector<int> expression_columns(std::size_t row) const;
  void clear_bars();
  void pull_fixed_motion(std::size_t row, std::span<double> lambda_bar);
  void hand_on(bool forces, const ResidualCotangent& out);
  void vector_jacobian(const Slot& s, double sign, Eigen::Matrix3Xd& J) const;
  void pair_jacobian(const Pair& pair, std::span<const int> columns, Eigen::Matrix3Xd& J) const;
  template <typename Matrix>
  void add_products(const Row& row, double lambda, Matrix& r_q);
  void slope_gradient(int output, double lambda, std::span<const int> columns);
  template <typename Matrix>
  void add_slopes(std::size_t row, double lambda, Matrix& r_q);
  template <typename Matrix>
  void add_lever(const Slot& s, const Vec3& force, Matrix& r_q);

  const TreeConstraints<double>& c_;
  const ConstraintLayout& e_;
  const ConstraintVectors<double>& x_;
  LinearizedTree& L_;
  const Model& model_;
  std::vector<double> lambda_;
  std::vector<Vec3> force_;            // by slot
  std::vector<VectorCotangent> bars_;  // by weight
  std::vector<VectorCotangent> slot_bars_;
  std::vector<double> bar_outputs_, bar_registers_, bar_inputs_;
  bool expressions_ = false;
  struct TermColumns {  // coordinates that the two vectors of a product depend on
    std::vector<int> A, B;
  };
  std::vector<TermColumns> term_columns_;             // by term, empty without a product
  std::vector<std::vector<int>> expression_columns_;  // by row, empty without an expression
  Eigen::Matrix3Xd J_A_, J_B_;
  VecX row_q_, row_v_, row_a_;
};

}  // namespace kinegrad

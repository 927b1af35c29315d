// The constraints of a model on its tree: Φ, Φ̇, Φ̈ and Φ_q in joint coordinates
// (docs/theory/constraints.md).
//
// A row Φ = Σ s A⊙B + E sees the motion through world vectors x (points, directions) and through
// coordinates. With g = ∂Φ/∂x, the row of the Jacobian is gathered by climbing from the body that
// carries x to the ground: a column [w; u] at o moves a point by u + w×(r − o) and a direction by
// w×e, so                                                                                    [C-2]
//
//   Φ_q = Σ gᵀ(u + w×(r − o))   (points)   + wᵀ(e×g)   (directions)   + ∂E/∂q
//
// What a column moves a point by is found once for all equations that read it.
//
// and the products give their own time derivatives                                           [C-3]
//
//   Φ̇ = Σ s (Ȧ⊙B + A⊙Ḃ) + Ė      Φ̈ = Σ s (Ä⊙B + 2Ȧ⊙Ḃ + A⊙B̈) + Ë
//
// The terms of an entry of Φ_q are of the size Σ|∂x/∂q||g| + |∂E/∂q|, products and paths of E added by
// their absolute values; an equation of which nothing but rounding remains has a row of zeros  [RK-4].
#pragma once

#include <span>
#include <vector>

#include "kinegrad/assembly/constraint_layout.hpp"
#include "kinegrad/math/sized.hpp"
#include "kinegrad/math/sparse_rows.hpp"
#include "kinegrad/math/triple.hpp"
#include "kinegrad/tree/tree_motion.hpp"

namespace kinegrad {

/// T = double or Complex. Nothing is allocated after construction.
template <Scalar T>
class TreeConstraints {
 public:
  /// On a tree, which must outlive the object.
  explicit TreeConstraints(const TreeParameters<T>& tree);
  /// Other rows of the model, the first `holonomic` of them of positions.
  TreeConstraints(const TreeParameters<T>& tree, const std::vector<ConstraintRow>& rows,
                  int holonomic);

  int rows() const { return static_cast<int>(e_.rows.size()); }
  int holonomic() const { return holonomic_; }

  /// Takes over the parameters of the tree.
  void update_parameters();

  using Motion = TreeMotion<T>;
  /// Φ and Φ_q of placed bodies.
  void positions(const Motion& at, T t, std::span<const T> q);
  /// All levels of bodies that are moved and accelerated with q, v, a.
  void motion(const Motion& at, T t, std::span<const T> q, std::span<const T> v,
              std::span<const T> a);
  /// Φ, Φ̇ and Φ̈; Phi_q(at) computes the Jacobian if it is wanted.
  void levels(const Motion& at, T t, std::span<const T> q, std::span<const T> v,
              std::span<const T> a);
  /// Φ̇ and Φ̈ of other speeds and accelerations at the same configuration.
  void rates(const Motion& at, T t, std::span<const T> q, std::span<const T> v,
             std::span<const T> a);

  /// What the equations are made of, their vectors at this state, and the pattern of Φ_q.
  const ConstraintLayout& layout() const { return e_; }
  const ConstraintVectors<T>& vectors() const { return x_; }
  const SparseRows<T>& pattern() const { return Phi_q_; }

  /// Holonomic rows only.
  const VecXT<T>& Phi() const { return Phi_; }
  const VecXT<T>& Phi_dot() const { return Phi_dot_; }
  const VecXT<T>& Phi_ddot() const { return Phi_ddot_; }
  /// Φ_q of the bodies whose levels these are.
  const SparseRows<T>& Phi_q(const Motion& at) const {
    if (!gathered_) gather(at);
    return Phi_q_;
  }

  /// What remains of an equation's terms in Φ_q [RK-1]; 1: a clear part, 0: the row is zero.
  double remaining(const Motion& at, int row) const {
    if (!gathered_) gather(at);
    return remaining_[static_cast<std::size_t>(row)];
  }
  /// The sizes of the terms of a row of Φ_q, entry by entry, and what may remain of them where the
  /// equation vanishes.
  struct TermSizes {
    std::span<const double> sizes;
    double least_remaining = 0;
  };
  TermSizes term_sizes(const Motion& at, int row) const;

  /// The force Φ_xᵀλ of the rows of one constraint on a body, at the point `at`: [n; f].
  Twist<T> wrench(int constraint, int body, std::span<const T> lambda, const Vec3T<T>& at) const;
  /// W_k += the forces of all rows on the body of node k, at the world origin.
  void add_wrenches(std::span<const T> lambda, std::span<Twist<T>> W) const;

 private:
  using Slot = typename ConstraintVectors<T>::Slot;
  using World = typename ConstraintVectors<T>::World;
  using Pair = ConstraintLayout::Pair;
  using Term = ConstraintLayout::Term;
  using Row = ConstraintLayout::Row;

  int slot_of(int vector);
  int weight_of(const Row& row, int slot);
  void build_row(const ConstraintRow& source, Row& row);
  void build_pattern();
  void build_moves();
  void place_slots(const Motion& at, bool moving);
  void read_inputs(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                   bool moving);
  World world(const Pair& pair) const { return x_.world(pair); }
  void add_weight(int weight, const Pair& pair, const Vec3T<T>& g);
  void evaluate_terms(std::size_t i);
  void evaluate_component(const Term& term, Eigen::Index i);
  void evaluate_rates(std::size_t i);
  void move_points(const Motion& at) const;
  void gather(const Motion& at) const;
  void judge(const Motion& at) const;
  double judge_row(const Motion& at, int row) const;
  void add_product_sizes(const Row& row) const;
  void add_expression_sizes(std::size_t row) const;
  double* size_of_input(std::size_t row, std::size_t input) const;
  std::span<T> entries(int row) const;

  const TreeParameters<T>& tree_;
  const Model& model_;
  int holonomic_ = 0;
  ConstraintLayout e_;
  ConstraintVectors<T> x_;
  mutable std::vector<Triple<T>> moved_;  // by move
  VecXT<T> Phi_, Phi_dot_, Phi_ddot_;
  mutable SparseRows<T> Phi_q_;
  mutable bool gathered_ = true;
  // [RK]: sizes of terms by entry, now and where they were first asked for; by row what remains
  mutable std::vector<double> term_sizes_, first_sizes_, remaining_;
  mutable bool first_known_ = false;
  mutable std::vector<double> weight_sizes_;
  mutable std::vector<Sized> sized_inputs_, sized_registers_, sized_outputs_;
};

}  // namespace kinegrad

// What the rows of a tree's constraints depend on by coordinates, as matrices.
#include <algorithm>
#include <type_traits>

#include "assembly/constraint_products.hpp"
#include "kinegrad/assembly/constraint_partials.hpp"

namespace kinegrad {

using la::cross;
using la::dot;
using Product = ConstraintTerm::Product;

namespace {

std::span<double> whole(VecX& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

}  // namespace

/// One vector's part of a row of Jacobians [DP-7]: q̄ = S̈·y + Ṡ·z + S·g, v̄ = 2Ṡ·y + S·z. Without v̄
/// it is a first rate, and y is zero.
template <typename Matrix>
void ConstraintPartials::climb(const VectorState& s, const VectorCotangent& bar, int row,
                               Matrix& by_q, Matrix* by_v) const {
  const VectorSums sum = vector_sums(s, L_.at.x0, bar);
  L_.tree.each_column(s.node, [&](int c) {
    const Halves<double> S(L_.at.S.col(c)), Sdot(L_.at.Sdot.col(c));
    by_q(row, c) += power(Sdot, sum.z) + power(S, sum.g);
    if (!by_v) return;
    by_q(row, c) += power(Halves<double>(L_.at.Sddot.col(c)), sum.y);
    (*by_v)(row, c) += 2 * power(Sdot, sum.y) + power(S, sum.z);
  });
}

/// All levels of the products of a row in one climb: of a product, Φ̈_v = 2Φ̇_q [CP-4].
template <typename Jacobians>
void ConstraintPartials::term_jacobians(std::size_t i, Jacobians& out) {
  const Row& row = e_.rows[i];
  const auto index = static_cast<int>(i);
  for (int w = row.first_weight; w < row.first_weight + row.weights; ++w) {
    bars_[static_cast<std::size_t>(w)] = {};
  }
  pull_terms(row, 0, 0, 1);
  for (int w = row.first_weight; w < row.first_weight + row.weights; ++w) {
    const auto k = static_cast<std::size_t>(w);
    const int slot = e_.weights[k].slot, node = this->slot(slot).node;
    if (node < 0) continue;
    const VectorSums sum = vector_sums(state_of(slot), L_.at.x0, bars_[k]);
    L_.tree.each_column(node, [&](int c) {
      const Halves<double> S(L_.at.S.col(c)), Sdot(L_.at.Sdot.col(c)), Sddot(L_.at.Sddot.col(c));
      const double rate = power(Sdot, sum.y) + 0.5 * power(S, sum.z);
      out.Phidot_q(index, c) += rate;
      out.Phiddot_v(index, c) += 2 * rate;
      out.Phiddot_q(index, c) += power(Sddot, sum.y) + power(Sdot, sum.z) + power(S, sum.g);
    });
  }
}

template <typename Matrix>
void ConstraintPartials::expression_jacobian(std::size_t i, bool second, Matrix& by_q,
                                             Matrix* by_v) {
  const auto row = static_cast<int>(i);
  for (VectorCotangent& bar : slot_bars_) bar = {};
  std::fill(bar_outputs_.begin(), bar_outputs_.end(), 0.0);
  seed_expression(e_.rows[i], 0, second ? 0 : 1, second ? 1 : 0);
  for (const int c : expression_columns_[i]) row_q_(c) = row_v_(c) = 0;
  pull_tape(whole(row_q_), whole(row_v_), whole(row_a_), {});
  for (const int c : expression_columns_[i]) {
    by_q(row, c) += row_q_(c);
    if (by_v) (*by_v)(row, c) += row_v_(c);
  }
  for (std::size_t s = 0; s < slot_bars_.size(); ++s) {
    const VectorCotangent& bar = slot_bars_[s];
    if (bar.x.isZero(0) && bar.xdot.isZero(0) && bar.xddot.isZero(0)) continue;
    climb(state_of(static_cast<int>(s)), bar, row, by_q, by_v);
  }
}

template <typename Jacobians>
void ConstraintPartials::jacobians(Jacobians& out, RowLevels levels) {
  using Matrix = std::remove_reference_t<decltype(out.Phi_q)>;
  const auto m = static_cast<int>(e_.rows.size());
  const bool places = levels != RowLevels::kMotion, motion = levels != RowLevels::kPlaces;
  for (Matrix* J : {&out.Phi_q, &out.Phidot_q, &out.Phiddot_q, &out.Phiddot_v}) {
    clear(*J, m, model_.nq());
  }
  for (int i = 0; i < m; ++i) {
    if (places) c_.Phi_q(L_.motion).each(i, [&](int c, double x) { out.Phi_q(i, c) = x; });
    if (!motion) continue;
    const auto row = static_cast<std::size_t>(i);
    term_jacobians(row, out);
    if (e_.rows[row].expression < 0) continue;
    expression_jacobian<Matrix>(row, false, out.Phidot_q, nullptr);
    expression_jacobian(row, true, out.Phiddot_q, &out.Phiddot_v);
  }
}

void ConstraintPartials::vector_jacobian(const Slot& s, double sign, Eigen::Matrix3Xd& J) const {
  const Triple<double> arm = arm_of(s);
  L_.tree.each_column(s.node, [&](int c) {
    (Triple<double>(J.col(c)) + slope_of(s, arm, c) * sign).store(J.col(c));
  });
}

/// In the columns that the pair depends on; others are left as they are.
void ConstraintPartials::pair_jacobian(const Pair& pair, std::span<const int> columns,
                                       Eigen::Matrix3Xd& J) const {
  for (const int c : columns) J.col(c).setZero();
  vector_jacobian(slot(pair.plus), 1, J);
  if (pair.minus >= 0) vector_jacobian(slot(pair.minus), -1, J);
}

/// λ s (A_i⊙B_j + A_j⊙B_i) with the columns of both vectors' Jacobians.
template <typename Matrix>
void ConstraintPartials::add_products(const Row& row, double lambda, Matrix& r_q) {
  for (int k = row.first_term; k < row.first_term + row.terms; ++k) {
    const Term& term = e_.terms[static_cast<std::size_t>(k)];
    if (term.product == Product::kComponent) continue;
    const auto& [of_A, of_B] = term_columns_[static_cast<std::size_t>(k)];
    pair_jacobian(term.A, of_A, J_A_);
    pair_jacobian(term.B, of_B, J_B_);
    for (const int j : of_B) {
      const Vec3 B_j = before(term.product, term.axis, J_B_.col(j)) * (lambda * term.factor);
      for (const int i : of_A) {
        const double x = dot(J_A_.col(i), B_j);
        r_q(i, j) += x;
        r_q(j, i) += x;
      }
    }
  }
}

/// row_q_ = λ ∂(slope)/∂q, in the columns of its row.
void ConstraintPartials::slope_gradient(int output, double lambda, std::span<const int> columns) {
  for (VectorCotangent& bar : slot_bars_) bar = {};
  std::fill(bar_outputs_.begin(), bar_outputs_.end(), 0.0);
  bar_outputs_[static_cast<std::size_t>(output)] = lambda;
  for (const int c : columns) row_q_(c) = 0;
  pull_tape(whole(row_q_), whole(row_v_), whole(row_a_), {});
  for (std::size_t s = 0; s < slot_bars_.size(); ++s) {
    if (slot_bars_[s].x.isZero(0)) continue;
    const Slot& state = slot(static_cast<int>(s));
    L_.tree.each_column(state.node, [&](int c) { J_A_.col(c).setZero(); });
    vector_jacobian(state, 1, J_A_);
    L_.tree.each_column(state.node, [&](int c) { row_q_(c) += dot(J_A_.col(c), slot_bars_[s].x); });
  }
}

/// Slopes of expressions change, too: λ ∂x_k/∂q_i ∂(slope_k)/∂q_j.
template <typename Matrix>
void ConstraintPartials::add_slopes(std::size_t i, double lambda, Matrix& r_q) {
  const Row& row = e_.rows[i];
  const std::vector<int>& columns = expression_columns_[i];
  for (int k = row.first_slope; k < row.first_slope + row.slopes; ++k) {
    const auto& use = e_.slopes[static_cast<std::size_t>(k)];
    slope_gradient(use.output, lambda, columns);
    if (use.weight < 0) {
      const int r = c_.pattern().column[static_cast<std::size_t>(use.value)];
      for (const int c : columns) r_q(r, c) += row_q_(c);
      continue;
    }
    const Slot& state = slot(e_.weights[static_cast<std::size_t>(use.weight)].slot);
    L_.tree.each_column(state.node, [&](int c) { J_A_.col(c).setZero(); });
    vector_jacobian(state, 1, J_A_);
    L_.tree.each_column(state.node, [&](int r) {
      for (const int c : columns) r_q(r, c) += J_A_(use.component, r) * row_q_(c);
    });
  }
}

/// [DP-5] as a matrix: −(F × ∂x/∂q_i)·w_j.
template <typename Matrix>
void ConstraintPartials::add_lever(const Slot& s, const Vec3& force, Matrix& r_q) {
  const Triple<double> arm = arm_of(s), F(force);
  L_.tree.each_column(s.node, [&](int i) {
    const Triple<double> n = cross(F, slope_of(s, arm, i));
    L_.tree.each_column(
        s.node, [&](int j) { r_q(i, j) -= dot(n, Triple<double>(L_.at.S.col(j).head<3>())); });
  });
}

template <typename Matrix>
void ConstraintPartials::add_matrix(Matrix& r_q) {
  for (std::size_t s = 0; s < force_.size(); ++s) {
    if (!force_[s].isZero(0)) add_lever(slot(static_cast<int>(s)), force_[s], r_q);
  }
  for (std::size_t i = 0; i < e_.rows.size(); ++i) {
    add_products(e_.rows[i], lambda_[i], r_q);
    if (e_.rows[i].expression >= 0) add_slopes(i, lambda_[i], r_q);
  }
}

template void ConstraintPartials::add_matrix(MatX&);
template void ConstraintPartials::add_matrix(SparseRows<double>&);
template void ConstraintPartials::jacobians(RowJacobians&, RowLevels);
template void ConstraintPartials::jacobians(const SparseRowJacobians&, RowLevels);

}  // namespace kinegrad

// The equations of a tree in other coordinates q with z = G q + g: Φ_q = Φ_z G, and what remains of them
// [RK-1], terms of the size s_z|G|. Equations that bind what q shares vanish in q, not in z.
#pragma once

#include "kinegrad/assembly/tree_constraints.hpp"
#include "kinegrad/math/rank_rule.hpp"
#include "kinegrad/math/sparse_product.hpp"

namespace kinegrad {

template <Scalar T>
class MappedRows {
 public:
  /// `more` are columns that rows have besides, which apply() leaves zero.
  void analyse(const TreeConstraints<T>& tree, const SparseRows<T>& G,
               const std::vector<std::set<int>>& more) {
    product_.analyse(tree.pattern(), G, more, Phi_q_);
    first_sizes_.assign(Phi_q_.value.size(), 0.0);
    sizes_ = first_sizes_;
    remaining_.assign(static_cast<std::size_t>(tree.rows()), 1.0);
  }
  /// Parameters have changed.
  void forget() { first_known_ = false; }
  /// Equations of bodies that move as `at` says.
  void apply(const TreeConstraints<T>& tree, const TreeMotion<T>& at, const SparseRows<T>& G) {
    product_.apply(tree.Phi_q(at), G, Phi_q_);
    if (!first_known_) find_first(tree, at, G);
    for (int i = 0; i < tree.rows(); ++i) {
      if (has_terms(tree, i)) remaining_[index(i)] = judge(tree, at, G, i);
    }
  }
  SparseRows<T>& Phi_q() { return Phi_q_; }
  const SparseRows<T>& Phi_q() const { return Phi_q_; }
  /// 1 of rows that the tree does not have.
  double remaining(int row) const { return remaining_[index(row)]; }

 private:
  static bool has_terms(const TreeConstraints<T>& tree, int i) {
    return tree.pattern().start[index(i) + 1] > tree.pattern().start[index(i)];
  }
  template <typename U>
  std::span<U> row_of(std::vector<U>& values, int i) const {
    const int first = Phi_q_.start[index(i)], last = Phi_q_.start[index(i) + 1];
    return {values.data() + first, index(last - first)};
  }
  /// s_z|G| of one row; returns what may remain where it vanishes.
  double find_sizes(const TreeConstraints<T>& tree, const TreeMotion<T>& at,
                    const SparseRows<T>& G, int i) {
    const auto row = row_of(sizes_, i);
    std::fill(row.begin(), row.end(), 0.0);
    const auto [of_tree, least] = tree.term_sizes(at, i);
    const SparseRows<T>& J = tree.pattern();
    for (std::size_t k = 0; k < of_tree.size(); ++k) {
      const double size = of_tree[k];  // clang 14 captures no structured bindings
      G.each(J.column[index(J.start[index(i)]) + k], [&](int c, const T& g) {
        sizes_[Phi_q_.place(i, c)] += size * std::abs(real_part(g));  // holomorphic: a size
      });
    }
    return least;
  }
  void find_first(const TreeConstraints<T>& tree, const TreeMotion<T>& at,
                  const SparseRows<T>& G) {
    for (int i = 0; i < tree.rows(); ++i) {
      find_sizes(tree, at, G, i);
      rank::keep_sizes(row_of(sizes_, i), row_of(first_sizes_, i));
    }
    first_known_ = true;
  }
  double judge(const TreeConstraints<T>& tree, const TreeMotion<T>& at, const SparseRows<T>& G,
               int i) {
    const std::span<T> row = row_of(Phi_q_.value, i);
    double part = rank::remaining<T>(row, row_of(first_sizes_, i));
    if (part == 1) return part;
    double least = rank::kSurelyVanishes;
    if (part > least) {
      least = find_sizes(tree, at, G, i);
      part = rank::remaining<T>(row, row_of(sizes_, i));
    }
    if (part > least) return part;
    rank::clear_row(row);
    return 0;
  }

  RowsTimes<T> product_;
  SparseRows<T> Phi_q_;
  std::vector<double> sizes_, first_sizes_, remaining_;
  bool first_known_ = false;
};

}  // namespace kinegrad

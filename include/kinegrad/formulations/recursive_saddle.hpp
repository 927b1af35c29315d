// The saddle-point system of a tree and of few constraint equations, without its mass matrix: whoever can
// solve with M in O(n) solves the whole in O(n m²) (docs/theory/constrained.md),
//
//   | M  Jᵀ | |x|   |b|            W = M⁻¹Jᵀ,    (J W) y = J M⁻¹b − g
//   | J  0  | |y| = |g|            x = M⁻¹b − W y                                            [FR-2]
//
// The system is symmetric: its transpose, which adjoints solve, is itself. M is completed by the
// normalisations of Euler parameters [D-9]. Equations may depend on each other: a small E is added to J W
// and forgotten in passes [B-2].
#pragma once

#include <span>

#include "kinegrad/formulations/border.hpp"
#include "kinegrad/math/bordered_solver.hpp"

namespace kinegrad {

/// T = double or Complex. Nothing is allocated after construction and the first factorisation.
template <Scalar T>
class RecursiveSaddle {
 public:
  RecursiveSaddle(int n, int m);

  int equations() const { return static_cast<int>(W_.cols()); }
  /// W, J W + E and its factors; solve_mass(b, x) is x = M⁻¹b, remaining(i) is [RK-1] of an equation. False
  /// if there are none.
  template <typename SolveMass, typename Remaining>
  bool factorize(const SparseRows<T>& J, const SolveMass& solve_mass, const Remaining& remaining) {
    const auto n = static_cast<std::size_t>(right_.size());
    for (int i = 0; i < equations(); ++i) {
      right_.setConstant(T(0));
      J.add_row(i, T(1), {right_.data(), n});
      solve_mass(std::span<const T>(right_.data(), n), std::span<T>(W_.col(i).data(), n));
    }
    for (int i = 0; i < equations(); ++i) {
      for (int j = i; j < equations(); ++j) S_.at(i, j) = J.row_times(i, {W_.col(j).data(), n});
      E_(i) = S_.diagonal(i);
    }
    border::make_small(border::kSmall, E_, remaining);
    for (int i = 0; i < equations(); ++i) S_.diagonal(i) += E_(i);
    return rows_.factorize(S_, no_border_, no_E_);
  }
  /// y: J M⁻¹b − g in, the multipliers out; x: M⁻¹b in, the solution out.
  void solve(std::span<T> x, VecXT<T>& y);

  /// Of an equation of the system that is factorised and solved: the diagonal of J W, E, the right side, and by
  /// how much the last pass and the one before changed y.
  T diagonal(int i) const { return S_.diagonal(i) - E_(i); }
  T regularisation(int i) const { return E_(i); }
  T right_side(int i) const { return right_side_(i); }
  T last_change(int i) const { return y_(i) - before_(i); }
  T change_before(int i) const { return before_(i) - first_(i); }

 private:
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> W_;
  SparseUpper<T> S_;  // full
  SparseRows<T> no_border_;
  BorderedSolver<T> rows_;
  VecXT<T> right_, right_side_, E_, no_E_;
  VecXT<T> y_, before_, first_;  // of the last pass and of the two before
};

extern template class RecursiveSaddle<double>;
extern template class RecursiveSaddle<Complex>;

}  // namespace kinegrad

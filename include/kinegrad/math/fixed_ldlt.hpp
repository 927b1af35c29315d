// L D Lᵀ without pivoting of sparse saddle-point matrices [B-1] of some dozen unknowns, with everything that the pattern
// decides found once: the order of elimination, the fill, and where each product is subtracted [B-8].
//
// The order is that of least degree, with each row of the border after all unknowns that it binds: its pivot −E − J N⁻¹Jᵀ has
// then all of its terms, and no small E is ever divided by.                                                     [B-9]
#pragma once

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "kinegrad/base/index.hpp"
#include "kinegrad/math/scalar.hpp"

namespace kinegrad {

/// Order and fill of an elimination.
class FixedElimination {
 public:
  /// Entries as places (i, j) of either triangle; the unknowns from `inner` on are the border.
  void analyse(int size, int inner, std::span<const std::pair<int, int>> entries);

  /// So many numbers side by side: those of one column that fall on those of another.
  struct Run {
    int from = 0, to = 0, count = 0;
  };
  int size() const { return static_cast<int>(order.size()); }
  /// Where the entry (i, j) of the matrix is kept.
  int place(int i, int j) const;
  /// Products of an elimination.
  double products() const;

  std::vector<int> order;     ///< the unknowns as they are eliminated
  std::vector<int> position;  ///< of each unknown in it
  std::vector<int> start;     ///< by position: the diagonal, then what is below it
  std::vector<int> row;       ///< position of each entry
  std::vector<Run> updates;   ///< by entry below a diagonal, in ascending order
  std::vector<int> first_update;  ///< by entry
  std::vector<Run> rows;          ///< consecutive positions of a column: from its entries to these
  std::vector<int> first_rows;    ///< by position

 private:
  std::vector<std::vector<int>> find_fill(int inner, std::span<const std::pair<int, int>> entries);
  void store(const std::vector<std::vector<int>>& below);
};

template <typename T>
class FixedLdlt {
 public:
  void analyse(int size, int inner, std::span<const std::pair<int, int>> entries) {
    inner_ = inner;
    pattern_.analyse(size, inner, entries);
    K_.assign(pattern_.row.size(), T(0));
    least_.assign(index(size), 0.0);
    x_.assign(index(size), T(0));
  }
  int size() const { return pattern_.size(); }
  int place(int i, int j) const { return pattern_.place(i, j); }
  double products() const { return pattern_.products(); }

  /// The matrix, to be filled at its places.
  void clear() { std::fill(K_.begin(), K_.end(), T(0)); }
  T& value(int place) { return K_[index(place)]; }

  /// Inner pivots must be positive and keep a digit of their diagonal; those of the border must not vanish. False at the first that
  /// does not: lost().
  bool factorize() {
    constexpr double kLost = 1e-13;  // below this part of its diagonal a pivot has no digit left
    for (int p = 0; p < size(); ++p) {
      const bool inner = pattern_.order[index(p)] < inner_;
      least_[index(p)] = inner ? kLost * real_part(K_[index(pattern_.start[index(p)])]) : 0;
    }
    for (int p = 0; p < size(); ++p) {
      const int first = pattern_.start[index(p)], end = pattern_.start[index(p) + 1];
      const T pivot = K_[index(first)];
      lost_ = pattern_.order[index(p)];
      const double size = real_part(pivot);
      if (!((lost_ < inner_ ? size : std::abs(size)) > least_[index(p)])) return false;  // holomorphic: a size
      const T inverse = T(1) / pivot;
      K_[index(first)] = inverse;
      eliminate(first + 1, end, inverse);
    }
    lost_ = -1;
    return true;
  }
  /// The unknown whose pivot was lost when factorize() last failed, -1: none.
  int lost() const { return lost_; }

  /// x holds the right side, then the solution.
  void solve(std::span<T> x) const {
    const int n = size();
    T* const y = x_.data();
    for (int p = 0; p < n; ++p) y[p] = x[index(pattern_.order[index(p)])];
    for (int p = 0; p < n; ++p) {
      const T own = y[p];
      each_rows(p, [&](const T* L, T* to, int count) {
        for (int i = 0; i < count; ++i) to[i] -= L[i] * own;
      });
    }
    for (int p = n; p-- > 0;) {
      T sum = y[p] * K_[index(pattern_.start[index(p)])];
      each_rows(p, [&](const T* L, const T* of, int count) {
        for (int i = 0; i < count; ++i) sum -= L[i] * of[i];
      });
      y[p] = sum;
    }
    for (int p = 0; p < n; ++p) x[index(pattern_.order[index(p)])] = y[p];
  }

 private:
  /// Subtracts what the entries [first, end) of a column leave in the columns of their rows, and makes them those of L.
  void eliminate(int first, int end, const T& inverse) {
    T* const K = K_.data();
    for (int k = first; k < end; ++k) {
      const T own = K[k];
      if (own == T(0)) continue;
      const T factor = own * inverse;
      const FixedElimination::Run* run = pattern_.updates.data() + pattern_.first_update[index(k)];
      const FixedElimination::Run* const last =
          pattern_.updates.data() + pattern_.first_update[index(k) + 1];
      for (; run != last; ++run) {
        const T* const from = K + run->from;
        T* const to = K + run->to;
#pragma GCC ivdep
        for (int i = 0; i < run->count; ++i) to[i] -= from[i] * factor;
      }
      K[k] = factor;
    }
  }
  template <typename Visit>
  void each_rows(int p, const Visit& visit) const {
    const FixedElimination::Run* run = pattern_.rows.data() + pattern_.first_rows[index(p)];
    const FixedElimination::Run* const last =
        pattern_.rows.data() + pattern_.first_rows[index(p) + 1];
    for (; run != last; ++run) visit(K_.data() + run->from, x_.data() + run->to, run->count);
  }

  FixedElimination pattern_;
  int inner_ = 0, lost_ = -1;
  std::vector<T> K_;  // by columns in the order of elimination: L below the diagonal, D⁻¹ on it
  std::vector<double> least_;
  mutable std::vector<T> x_;
};

}  // namespace kinegrad

// L D Lᵀ without pivoting of a symmetric matrix whose first unknowns are positive definite and whose other
// unknowns are not: quasi-definite matrices need no pivots. The matrix is stored whole; where its pattern
// is known, only entries that can differ from zero are visited, which changes no bit of the result. Memory
// is kept.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

#include "kinegrad/base/index.hpp"
#include "kinegrad/math/elimination_pattern.hpp"
#include "kinegrad/math/scalar.hpp"

namespace kinegrad {

/// The same loops for real matrices K of at most kMost unknowns, stored as SmallLdlt does.
namespace unrolled {
inline constexpr int kMost = 12;
/// The unknown whose pivot is lost, -1: none. The first n pivots must be more than `lost` of their diagonals, the
/// others than `part` of what they are after these.
int factorize(double* K, int size, int n, double lost, double part);
void solve(const double* K, int size, double* x);
}  // namespace unrolled

template <typename T>
class SmallLdlt {
 public:
  /// A zero matrix of that size, to be filled by at().
  void resize(int size) {
    n_ = size;
    pattern_ = nullptr;
    K_.assign(index(n_) * index(n_), T(0));
    least_.resize(index(n_));
    inverse_.resize(index(n_));
    while (static_cast<int>(before_.size()) < n_)
      before_.push_back(static_cast<int>(before_.size()));
  }
  /// The same, to be filled in that pattern alone, which must outlive the factors.
  void resize(const EliminationPattern& pattern) {
    if (pattern.size() != n_ || pattern_ != &pattern || n_ <= unrolled::kMost) {
      resize(pattern.size());
      if (n_ > unrolled::kMost) pattern_ = &pattern;
      return;
    }
    for (int j = 0; j < n_; ++j) {
      T* const own = column(j);
      own[j] = T(0);
      for (const RowRun& run : pattern.runs(j)) std::fill(own + run.first, own + run.end, T(0));
    }
  }
  int size() const { return n_; }
  /// Entries on and below the diagonal; those above are not read.
  T& at(int i, int j) { return column(j)[i]; }
  const T& at(int i, int j) const { return column(j)[i]; }

  /// The first n pivots must be positive and keep a digit of their diagonal, those of the border
  /// `part` of what they were when their turn came. False at the first that does not: lost().
  bool factorize(int n, double part = 0) {
    constexpr double kLost = 1e-13;  // below this part of its diagonal a pivot has no digit left
    if constexpr (std::is_same_v<T, double>) {
      if (n_ > 0 && n_ <= unrolled::kMost) {
        lost_ = unrolled::factorize(K_.data(), n_, n, kLost, part);
        return lost_ < 0;
      }
    }
    for (lost_ = 0; lost_ < n_; ++lost_) {
      const int k = lost_;
      T* const own = column(k);
      const std::span<const int> before = columns_of(k);
      const auto inner = static_cast<std::size_t>(
          std::lower_bound(before.begin(), before.end(), n) - before.begin());
      if (k < n) least_[index(k)] = kLost * real_part(own[k]);
      subtract(k, before.first(inner));
      if (k >= n) least_[index(k)] = part * size_of(own[k]);
      subtract(k, before.subspan(inner));
      const double pivot = k < n ? real_part(own[k]) : size_of(own[k]);
      if (!(pivot > least_[index(k)])) return false;
      inverse_[index(k)] = T(1) / own[k];
    }
    lost_ = -1;
    scale();
    return true;
  }
  /// The unknown whose pivot was lost when factorize() last failed, -1: none.
  int lost() const { return lost_; }

  /// x holds the right side, then the solution.
  void solve(std::span<T> x) const {
    if constexpr (std::is_same_v<T, double>) {
      if (n_ > 0 && n_ <= unrolled::kMost) return unrolled::solve(K_.data(), n_, x.data());
    }
    T* const to = x.data();
    for (int j = 0; j < n_; ++j) {
      const T* const own = column(j);
      const T y = to[j];
      const RowRun whole{j + 1, n_};
      for (const RowRun& run : runs_of(j, whole)) {
        for (int i = run.first; i < run.end; ++i) to[i] -= own[i] * y;
      }
    }
    for (int j = 0; j < n_; ++j) to[j] *= at(j, j);
    for (int i = n_; i-- > 0;) {
      const std::span<const int> before = columns_of(i);
      if (before.empty()) continue;
      const T* const row = column(i);  // above the diagonal: row i of L
      const T x_i = to[i];
      for (int j = before[0]; j < i; ++j) to[j] -= row[j] * x_i;
    }
  }
  /// Width right sides at once, stored row by row: number c of row i is x[i·Width + c]. @pre no pattern
  template <int Width>
  void solve_rows(T* x) const {
    const auto row = [&](int i) { return x + index(i) * Width; };
    for (int j = 0; j < n_; ++j) {
      const T* const own = column(j);
      const T* const from = row(j);
      for (int i = j + 1; i < n_; ++i) {
        T* const to = row(i);
        for (int c = 0; c < Width; ++c) to[c] -= own[i] * from[c];
      }
    }
    for (int j = n_; j-- > 0;) {
      const T* const own = column(j);
      T sum[Width];
      for (int c = 0; c < Width; ++c) sum[c] = row(j)[c] * own[j];
      for (int i = j + 1; i < n_; ++i) {
        for (int c = 0; c < Width; ++c) sum[c] -= own[i] * row(i)[c];
      }
      for (int c = 0; c < Width; ++c) row(j)[c] = sum[c];
    }
  }

 private:
  /// Rows of a column that can differ from zero.
  std::span<const RowRun> runs_of(int j, const RowRun& whole) const {
    return pattern_ ? pattern_->runs(j) : std::span<const RowRun>(&whole, 1);
  }
  /// Columns before k with an entry in its row.
  std::span<const int> columns_of(int k) const {
    return pattern_ ? pattern_->columns(k) : std::span<const int>(before_.data(), index(k));
  }
  /// What columns that are complete, not scaled yet, leave of column k; four at once, in ascending order for
  /// every entry.
  void subtract(int k, std::span<const int> columns) {
    T* const own = column(k);
    const RowRun whole{k + 1, n_};
    const std::span<const RowRun> runs = runs_of(k, whole);
    const auto factor = [&](const T* other, int j) { return other[k] * inverse_[index(j)]; };
    std::size_t c = 0;
    for (; c + 4 <= columns.size(); c += 4) {
      const T *const a = column(columns[c]), *const b = column(columns[c + 1]),
                     *const d = column(columns[c + 2]), *const e = column(columns[c + 3]);
      const T fa = factor(a, columns[c]), fb = factor(b, columns[c + 1]),
              fd = factor(d, columns[c + 2]), fe = factor(e, columns[c + 3]);
      const auto rows = [&](int first, int end) {
#pragma GCC ivdep
        for (int i = first; i < end; ++i) {
          own[i] = own[i] - a[i] * fa - b[i] * fb - d[i] * fd - e[i] * fe;
        }
      };
      rows(k, k + 1);
      for (const RowRun& run : runs) rows(run.first, run.end);
    }
    for (; c < columns.size(); ++c) {
      const T* const a = column(columns[c]);
      const T fa = factor(a, columns[c]);
      own[k] -= a[k] * fa;
      for (const RowRun& run : runs) {
#pragma GCC ivdep
        for (int i = run.first; i < run.end; ++i) own[i] -= a[i] * fa;
      }
    }
  }
  /// L by columns below the diagonal and by rows above it, D⁻¹ on it.
  void scale() {
    for (int j = 0; j < n_; ++j) {
      T* const own = column(j);
      const T inverse = inverse_[index(j)];
      const RowRun whole{j + 1, n_};
      for (const RowRun& run : runs_of(j, whole)) {
        for (int i = run.first; i < run.end; ++i) {
          own[i] *= inverse;
          column(i)[j] = own[i];
        }
      }
      own[j] = inverse;
    }
  }
  T* column(int j) { return K_.data() + index(j) * index(n_); }
  const T* column(int j) const { return K_.data() + index(j) * index(n_); }
  static double size_of(const T& x) { return std::abs(real_part(x)); }  // holomorphic: a size

  int n_ = 0, lost_ = -1;
  const EliminationPattern* pattern_ = nullptr;  // none: the whole matrix
  std::vector<T> K_;  // by columns: L below the diagonal, its transposed above, D⁻¹ on it
  std::vector<T> inverse_;
  std::vector<double> least_;  // that a pivot may be
  std::vector<int> before_;    // 0, 1, 2, …
};

}  // namespace kinegrad

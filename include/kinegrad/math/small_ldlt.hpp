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
  }
  /// The same, to be filled in that pattern alone, which must outlive the factors.
  void resize(const EliminationPattern& pattern) {
    if (pattern.size() != n_) resize(pattern.size());
    pattern_ = n_ > unrolled::kMost ? &pattern : nullptr;
    if (!pattern_) return resize(n_);
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
    for (int j = 0; j < n; ++j) least_[index(j)] = kLost * real_part(at(j, j));
    for (lost_ = 0; lost_ < n_; ++lost_) {
      const int j = lost_;
      if (j == n) take_border(part);
      T* const own = column(j);
      const double pivot = j < n ? real_part(own[j]) : size_of(own[j]);
      if (!(pivot > least_[index(j)])) return false;
      const T inverse = T(1) / own[j];
      const RowRun whole{j + 1, n_};
      const std::span<const RowRun> runs = runs_of(j, whole);
      for (std::size_t r = 0; r < runs.size(); ++r) eliminate(own, inverse, runs.subspan(r));
      for (const RowRun& run : runs) {
        for (int i = run.first; i < run.end; ++i) own[i] *= inverse;
      }
      own[j] = inverse;
    }
    lost_ = -1;
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
    for (int j = n_; j-- > 0;) {
      const T* const own = column(j);
      T sum = to[j] * own[j];
      const RowRun whole{j + 1, n_};
      for (const RowRun& run : runs_of(j, whole)) {
        for (int i = run.first; i < run.end; ++i) sum -= own[i] * to[i];
      }
      to[j] = sum;
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
  /// Subtracts the column from those of the rows of its first run.
  void eliminate(const T* own, const T& inverse, std::span<const RowRun> runs) {
    for (int k = runs[0].first; k < runs[0].end; ++k) {
      const T factor = own[k] * inverse;
      if (factor == T(0)) continue;
      T* const other = column(k);
      for (int i = k; i < runs[0].end; ++i) other[i] -= own[i] * factor;
      for (const RowRun& run : runs.subspan(1)) {
        for (int i = run.first; i < run.end; ++i) other[i] -= own[i] * factor;
      }
    }
  }
  void take_border(double part) {
    for (int j = lost_; j < n_; ++j) least_[index(j)] = part * size_of(at(j, j));
  }
  T* column(int j) { return K_.data() + index(j) * index(n_); }
  const T* column(int j) const { return K_.data() + index(j) * index(n_); }
  static double size_of(const T& x) { return std::abs(real_part(x)); }  // holomorphic: a size

  int n_ = 0, lost_ = -1;
  const EliminationPattern* pattern_ = nullptr;  // none: the whole matrix
  std::vector<T> K_;           // by columns: L below the diagonal, D⁻¹ on it
  std::vector<double> least_;  // that a pivot may be
};

}  // namespace kinegrad

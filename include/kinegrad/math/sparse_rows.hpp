// A matrix stored by rows with a pattern that never changes: Jacobians of constraints.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kinegrad/base/error.hpp"
#include "kinegrad/math/scalar.hpp"

namespace kinegrad {

template <typename T>
struct SparseRows {
  int columns = 0;
  std::vector<int> start{0};  ///< by row, one more than there are rows
  std::vector<int> column;    ///< ascending within a row
  std::vector<T> value;

  int rows() const { return static_cast<int>(start.size()) - 1; }
  void set_zero() { std::fill(value.begin(), value.end(), T(0)); }
  /// Where the entry (i, j) is kept. @pre it is in the pattern
  std::size_t place(int i, int j) const {
    const auto first = column.begin() + start[static_cast<std::size_t>(i)];
    const auto end = column.begin() + start[static_cast<std::size_t>(i) + 1];
    const auto it = std::lower_bound(first, end, j);
    KINEGRAD_ASSERT(it != end && *it == j);
    return static_cast<std::size_t>(it - column.begin());
  }
  /// @pre it is in the pattern
  T& operator()(int i, int j) { return value[place(i, j)]; }
  /// Calls visit(column, value) for what row i has.
  template <typename Visit>
  void each(int i, const Visit& visit) const {
    const auto row = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(start[row]);
         k < static_cast<std::size_t>(start[row + 1]); ++k) {
      visit(column[k], value[k]);
    }
  }

  /// Row i times x.
  T row_times(int i, std::span<const T> x) const {
    T sum(0);
    for (int k = start[static_cast<std::size_t>(i)]; k < start[static_cast<std::size_t>(i) + 1];
         ++k) {
      sum += value[static_cast<std::size_t>(k)] *
             x[static_cast<std::size_t>(column[static_cast<std::size_t>(k)])];
    }
    return sum;
  }
  /// y += (row i)ᵀ w.
  void add_row(int i, const T& w, std::span<T> y) const {
    for (int k = start[static_cast<std::size_t>(i)]; k < start[static_cast<std::size_t>(i) + 1];
         ++k) {
      y[static_cast<std::size_t>(column[static_cast<std::size_t>(k)])] +=
          value[static_cast<std::size_t>(k)] * w;
    }
  }
  /// y += Aᵀ w.
  void add_transposed(std::span<const T> w, std::span<T> y) const {
    for (int i = 0; i < rows(); ++i) add_row(i, w[static_cast<std::size_t>(i)], y);
  }
};

/// All entries zero, of a whole matrix of that size or in the pattern of a sparse one.
inline void clear(MatX& A, int rows, int columns) { A.setZero(rows, columns); }
inline void clear(SparseRows<double>& A, int, int) { A.set_zero(); }

}  // namespace kinegrad

// A matrix stored by rows with a pattern that never changes: Jacobians of constraints.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/math/scalar.hpp"

namespace kinegrad {

template <typename T>
struct SparseRows {
  int columns = 0;
  std::vector<int> start{0};  ///< by row, one more than there are rows
  std::vector<int> column;    ///< ascending within a row
  std::vector<T> value;

  int rows() const { return static_cast<int>(start.size()) - 1; }

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

}  // namespace kinegrad

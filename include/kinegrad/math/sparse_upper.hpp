// The upper triangle of a symmetric matrix, by columns, with a pattern that never changes.
#pragma once

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "kinegrad/math/pattern_builder.hpp"

namespace kinegrad {

template <typename T>
struct SparseUpper {
  std::vector<int> start{0};  ///< by column, one more than there are columns
  std::vector<int> row;  ///< ascending within a column; the diagonal is the last and always there
  std::vector<T> value;

  SparseUpper() = default;
  /// rows[j]: the rows of column j above the diagonal, in any order.
  explicit SparseUpper(const std::vector<std::set<int>>& rows) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      for (const int i : rows[j]) {
        if (i < static_cast<int>(j)) row.push_back(i);
      }
      row.push_back(static_cast<int>(j));
      start.push_back(static_cast<int>(row.size()));
    }
    value.assign(row.size(), T(0));
  }

  /// The upper triangle of a symmetric pattern that has its diagonal.
  explicit SparseUpper(const SparseRows<double>& whole) {
    for (int j = 0; j < whole.rows(); ++j) {
      whole.each(j, [&](int i, double) {
        if (i <= j) row.push_back(i);
      });
      start.push_back(static_cast<int>(row.size()));
    }
    value.assign(row.size(), T(0));
  }

  int size() const { return static_cast<int>(start.size()) - 1; }
  void set_zero() { std::fill(value.begin(), value.end(), T(0)); }
  /// Where the entry (i, j), i ≤ j, is kept. @pre it is in the pattern
  int place(int i, int j) const {
    const auto first = row.begin() + start[static_cast<std::size_t>(j)];
    const auto end = row.begin() + start[static_cast<std::size_t>(j) + 1];
    return static_cast<int>(std::lower_bound(first, end, i) - row.begin());
  }
  T& at(int i, int j) { return value[static_cast<std::size_t>(place(i, j))]; }
  T& diagonal(int j) {
    return value[static_cast<std::size_t>(start[static_cast<std::size_t>(j) + 1]) - 1];
  }
  const T& diagonal(int j) const {
    return value[static_cast<std::size_t>(start[static_cast<std::size_t>(j) + 1]) - 1];
  }

  /// The pattern of the whole matrix, values zero.
  SparseRows<double> whole_pattern() const {
    PatternBuilder whole(size(), size());
    for (int j = 0; j < size(); ++j) {
      const auto first = static_cast<std::size_t>(start[static_cast<std::size_t>(j)]);
      const auto end = static_cast<std::size_t>(start[static_cast<std::size_t>(j) + 1]);
      whole.add_row(j, std::span<const int>(row).subspan(first, end - first));
      for (std::size_t k = first; k < end; ++k) whole.add_row(row[k], {&j, 1});
    }
    return whole.build();
  }

  /// y += A x.
  void add_product(std::span<const T> x, std::span<T> y) const {
    for (int j = 0; j < size(); ++j) {
      const auto c = static_cast<std::size_t>(j);
      const auto last = static_cast<std::size_t>(start[c + 1]) - 1;
      T sum = value[last] * x[c];
      for (auto k = static_cast<std::size_t>(start[c]); k < last; ++k) {
        const auto r = static_cast<std::size_t>(row[k]);
        sum += value[k] * x[r];
        y[r] += value[k] * x[c];
      }
      y[c] += sum;
    }
  }
};

}  // namespace kinegrad

// Collects the entries that a matrix can have, in any order and as often as they come, and makes the
// fixed pattern of them.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "kinegrad/math/sparse_rows.hpp"

namespace kinegrad {

class PatternBuilder {
 public:
  PatternBuilder(int rows, int columns)
      : columns_(columns),
        entries_(static_cast<std::size_t>(rows)),
        limit_(static_cast<std::size_t>(rows), kFirstLimit) {}

  void add_row(int i, std::span<const int> columns) {
    std::vector<int>& row = entries_[static_cast<std::size_t>(i)];
    row.insert(row.end(), columns.begin(), columns.end());
    // what comes again and again is never kept more than twice
    std::size_t& limit = limit_[static_cast<std::size_t>(i)];
    if (row.size() < limit) return;
    sort(row);
    limit = std::max(kFirstLimit, 2 * row.size());
  }
  void add_block(std::span<const int> rows, std::span<const int> columns) {
    for (const int i : rows) add_row(i, columns);
  }

  /// Values zero.
  SparseRows<double> build() {
    SparseRows<double> pattern;
    pattern.columns = columns_;
    for (std::vector<int>& row : entries_) {
      sort(row);
      pattern.column.insert(pattern.column.end(), row.begin(), row.end());
      pattern.start.push_back(static_cast<int>(pattern.column.size()));
    }
    pattern.value.assign(pattern.column.size(), 0.0);
    return pattern;
  }

 private:
  static constexpr std::size_t kFirstLimit = 64;
  static void sort(std::vector<int>& row) {
    // ancestors often come in order, or in the reverse of it
    if (std::is_sorted(row.begin(), row.end(), std::greater<>())) {
      std::reverse(row.begin(), row.end());
    } else if (!std::is_sorted(row.begin(), row.end())) {
      std::sort(row.begin(), row.end());
    }
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }

  int columns_;
  std::vector<std::vector<int>> entries_;
  std::vector<std::size_t> limit_;
};

}  // namespace kinegrad

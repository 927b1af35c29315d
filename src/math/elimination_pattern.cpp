#include "kinegrad/math/elimination_pattern.hpp"

#include <algorithm>

#include "kinegrad/base/index.hpp"

namespace kinegrad {

EliminationPattern::EliminationPattern(int size)
    : below_(index(size), std::vector<char>(index(size), 0)) {}

void EliminationPattern::add(int i, int j) {
  if (i != j) below_[index(std::min(i, j))][index(std::max(i, j))] = 1;
}

void EliminationPattern::complete() {
  constexpr int kGap = 3;  // rows that a vector instruction or two pass over
  const int n = static_cast<int>(below_.size());
  runs_.clear();
  start_.assign(1, 0);
  for (int j = 0; j < n; ++j) {
    const std::vector<char>& own = below_[index(j)];
    const int before = static_cast<int>(runs_.size());
    for (int i = j + 1; i < n; ++i) {
      if (!own[index(i)]) continue;
      if (static_cast<int>(runs_.size()) > before && i - runs_.back().end <= kGap) {
        runs_.back().end = i + 1;
      } else {
        runs_.push_back({i, i + 1});
      }
    }
    start_.push_back(static_cast<int>(runs_.size()));
    const std::span<const RowRun> rows = runs(j);
    if (rows.empty()) continue;
    std::vector<char>& next = below_[index(rows[0].first)];
    for (const RowRun& run : rows) {
      std::fill(next.begin() + run.first, next.begin() + run.end, char{1});
    }
  }
  below_.clear();
  list_columns();
}

void EliminationPattern::list_columns() {
  std::vector<std::vector<int>> by_row(index(size()));
  for (int j = 0; j < size(); ++j) {
    for (const RowRun& run : runs(j)) {
      for (int i = run.first; i < run.end; ++i) by_row[index(i)].push_back(j);
    }
  }
  columns_.clear();
  first_column_.assign(1, 0);
  for (const std::vector<int>& row : by_row) {
    columns_.insert(columns_.end(), row.begin(), row.end());
    first_column_.push_back(static_cast<int>(columns_.size()));
  }
}

std::span<const RowRun> EliminationPattern::runs(int column) const {
  const int first = start_[index(column)], end = start_[index(column) + 1];
  return {runs_.data() + first, index(end - first)};
}

std::span<const int> EliminationPattern::columns(int row) const {
  const int first = first_column_[index(row)], end = first_column_[index(row) + 1];
  return {columns_.data() + first, index(end - first)};
}

}  // namespace kinegrad

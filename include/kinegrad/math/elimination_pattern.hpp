// Where the elimination of a symmetric matrix, unknown by unknown in the given order, can leave entries
// that differ from zero (docs/theory/constrained.md, [B-8]): below the diagonal of column j the rows
//
//   𝓛_j = {i > j : K_ij may differ from zero} ∪ ⋃ {𝓛_k \ {j} : j = min 𝓛_k}
//
// since the elimination of k couples all of 𝓛_k, and what it adds beyond its least row j is added again
// by j. The rows are kept as runs, so that loops over them are loops over neighbours in memory; gaps of
// a few rows cost less than another run and are part of it.
#pragma once

#include <span>
#include <vector>

namespace kinegrad {

/// Rows first … end − 1.
struct RowRun {
  int first = 0, end = 0;
};

class EliminationPattern {
 public:
  EliminationPattern() = default;
  explicit EliminationPattern(int size);

  /// The entries (i, j) and (j, i) may differ from zero.
  void add(int i, int j);
  /// The rows that elimination adds; nothing can be added afterwards.
  void complete();

  int size() const { return static_cast<int>(start_.size()) - 1; }
  /// Rows below the diagonal of a column, ascending. @pre complete
  std::span<const RowRun> runs(int column) const;
  /// Columns before the diagonal whose runs contain a row, ascending. @pre complete
  std::span<const int> columns(int row) const;

 private:
  void list_columns();

  std::vector<std::vector<char>> below_;  // by column, by row; empty when complete
  std::vector<RowRun> runs_;
  std::vector<int> start_{0};  // of a column's runs, one more than there are columns
  std::vector<int> columns_, first_column_{0};  // the same by rows
};

}  // namespace kinegrad

// Elimination with complete pivoting that says which rows and columns the pivots are in. Rows may be
// taken in groups, one after the other: the first group gets its pivots whatever the next one holds.
// A row depends on others if elimination leaves too little of it, by its own measure [RK-3].
#pragma once

#include <vector>

#include "kinegrad/math/scalar.hpp"

namespace kinegrad {

class CompletePivoting {
 public:
  CompletePivoting(int rows, int columns);

  /// The matrix to eliminate; it is overwritten.
  MatX& matrix() { return A_; }
  /// Forgets all rows.
  void start();
  /// Puts a row of the matrix, which is filled, behind those already in line; `remaining` as [RK-1].
  void line_up(int row, double remaining = 1);
  int lined_up() const { return static_cast<int>(line_.size()); }
  /// Pivots of the rows in line from the end of the last group up to this one; those without a pivot
  /// depend on the others. All groups must be in line before the first is eliminated.
  void eliminate(int end);

  /// In order of elimination.
  const std::vector<int>& rows() const { return pivot_row_; }
  const std::vector<int>& columns() const { return pivot_column_; }
  int rank() const { return static_cast<int>(pivot_row_.size()); }
  bool finite() const { return finite_; }
  /// Sizes of the pivots, in order of elimination.
  double pivot(int k) const { return pivot_size_[static_cast<std::size_t>(k)]; }

 private:
  struct Entry {
    int i = 0, j = 0;  // places in line_ and column_of_
    double size = -1;
  };
  Entry best_entry(int first, int end) const;
  double largest_of(int row) const;
  void subtract(int row, int column, std::size_t first);
  double at(int i, int j) const {
    return A_(line_[static_cast<std::size_t>(i)], column_of_[static_cast<std::size_t>(j)]);
  }

  MatX A_;
  std::vector<int> line_, column_of_;  // rows in line; columns, those with a pivot first
  int group_ = 0;                      // where the next group begins
  std::vector<int> pivot_row_, pivot_column_;
  std::vector<double> least_;    // by row, that a pivot must exceed
  std::vector<double> largest_;  // by row, of the columns without a pivot
  std::vector<int> filled_;      // columns in which the row of the pivot is not zero
  bool finite_ = true;
  std::vector<double> pivot_size_;
};

}  // namespace kinegrad

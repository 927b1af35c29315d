#include "kinegrad/math/complete_pivoting.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kinegrad/math/rank_rule.hpp"

namespace kinegrad {

namespace {

/// Of pivots that are equal up to this the first is taken, lest rounding choose: a symmetric mechanism
/// and its neighbours, or its derivative, then have the same set.
constexpr double kTie = 1 + 1e-6;

}  // namespace

CompletePivoting::CompletePivoting(int rows, int columns)
    : A_(rows, columns),
      least_(static_cast<std::size_t>(rows), 0.0),
      largest_(static_cast<std::size_t>(rows), 0.0) {
  line_.reserve(static_cast<std::size_t>(rows));
  column_of_.resize(static_cast<std::size_t>(columns));
  filled_.reserve(static_cast<std::size_t>(columns));
  const auto most = static_cast<std::size_t>(std::min(rows, columns));
  pivot_row_.reserve(most);
  pivot_column_.reserve(most);
  pivot_size_.reserve(most);
}

void CompletePivoting::start() {
  line_.clear();
  std::iota(column_of_.begin(), column_of_.end(), 0);
  pivot_row_.clear();
  pivot_column_.clear();
  group_ = 0;
  pivot_size_.clear();
  finite_ = true;
}

void CompletePivoting::line_up(int row, double remaining) {
  double largest = 0;
  for (Eigen::Index j = 0; j < A_.cols(); ++j) {
    const double size = std::abs(A_(row, j));
    finite_ = finite_ && std::isfinite(size);
    largest = std::max(largest, size);
  }
  least_[static_cast<std::size_t>(row)] = rank::least_pivot(largest, remaining);
  largest_[static_cast<std::size_t>(row)] = largest;
  line_.push_back(row);
}

CompletePivoting::Entry CompletePivoting::best_entry(int first, int end) const {
  Entry best{first, rank(), -1};
  for (int i = first; i < end; ++i) {
    const auto row = static_cast<std::size_t>(line_[static_cast<std::size_t>(i)]);
    const double least = least_[row];
    if (!(largest_[row] > least && largest_[row] > kTie * best.size)) continue;
    for (int j = rank(); j < static_cast<int>(column_of_.size()); ++j) {
      const double entry = at(i, j), size = entry < 0 ? -entry : entry;
      if (size > least && size > kTie * best.size) best = {i, j, size};
    }
  }
  return best;
}

double CompletePivoting::largest_of(int row) const {
  double largest = 0;
  for (auto j = static_cast<std::size_t>(rank()); j < column_of_.size(); ++j) {
    const double entry = A_(row, column_of_[j]), size = entry < 0 ? -entry : entry;
    if (size > largest) largest = size;
  }
  return largest;
}

/// The row of a pivot from those behind it in line. Most entries of mechanisms are zero, and stay so.
void CompletePivoting::subtract(int row, int column, std::size_t first) {
  filled_.clear();
  for (int j = 0; j < static_cast<int>(A_.cols()); ++j) {
    if (A_(row, j) != 0) filled_.push_back(j);
  }
  for (std::size_t i = first; i < line_.size(); ++i) {
    const int other = line_[i];
    const double factor = A_(other, column) / A_(row, column);
    if (factor == 0) continue;
    for (const int j : filled_) A_(other, j) -= factor * A_(row, j);
    largest_[static_cast<std::size_t>(other)] = largest_of(other);
  }
}

void CompletePivoting::eliminate(int end) {
  // finished rows are moved to the front of their group, finished columns to the front of all
  const int columns = static_cast<int>(column_of_.size());
  for (int done = group_; done < end && rank() < columns; ++done) {
    const Entry best = best_entry(done, end);
    if (!(best.size > 0)) break;
    pivot_size_.push_back(best.size);
    const auto place = static_cast<std::size_t>(done), pivot = pivot_row_.size();
    std::swap(line_[place], line_[static_cast<std::size_t>(best.i)]);
    std::swap(column_of_[pivot], column_of_[static_cast<std::size_t>(best.j)]);
    const int row = line_[place], column = column_of_[pivot];
    pivot_row_.push_back(row);
    pivot_column_.push_back(column);
    subtract(row, column, place + 1);
  }
  group_ = end;
}

}  // namespace kinegrad

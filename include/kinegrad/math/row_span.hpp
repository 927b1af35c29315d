// Equations taken one by one, in their order: each is made orthogonal to those before it (Gram-Schmidt, twice),
// and depends on them if too little of it is left [RK-3].
#pragma once

#include <vector>

#include "kinegrad/math/rank_rule.hpp"

namespace kinegrad {

/// Memory is kept from one use to the next.
class RowSpan {
 public:
  void start() { rank_ = 0; }
  /// False if the row, which is overwritten, depends on those that were added before; `remaining` as [RK-1].
  bool add(VecX& row, double remaining) {
    const double length = row.norm();
    if (!(length > 0) || !(remaining > 0)) return false;
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough for orthogonality
      for (std::size_t k = 0; k < rank_; ++k) row -= basis_[k].dot(row) * basis_[k];
    }
    const double left = row.norm();
    if (!(left > rank::least_pivot(length, remaining))) return false;
    if (rank_ == basis_.size()) basis_.emplace_back(row.size());
    basis_[rank_] = row / left;
    ++rank_;
    return true;
  }
  int rank() const { return static_cast<int>(rank_); }

 private:
  std::vector<VecX> basis_;
  std::size_t rank_ = 0;
};

/// Which equations on speeds depend on others, taken in order after the holonomic ones [B-6].
class DependentOnSpeeds {
 public:
  /// Of `rows` equations with `columns` coordinates, the first `holonomic` of them on positions. row(i, x) fills
  /// x with an equation, remaining(i) is [RK-1]. Where elimination would take seconds none is named.
  template <typename Row, typename Remaining>
  void find(int rows, int holonomic, int columns, const Row& row, const Remaining& remaining) {
    dependent_.assign(static_cast<std::size_t>(rows), 0);
    constexpr double kMostWork = 5e7;
    const bool large = static_cast<double>(rows) * rows * columns > kMostWork;
    if (holonomic == rows || holonomic == 0 || large) return;
    span_.start();
    row_.resize(columns);
    for (int i = 0; i < rows; ++i) {
      row_.setZero();
      row(i, row_);
      const bool counts = span_.add(row_, remaining(i));
      if (i >= holonomic && !counts) dependent_[static_cast<std::size_t>(i)] = 1;
    }
  }
  bool operator[](int row) const {
    return !dependent_.empty() && dependent_[static_cast<std::size_t>(row)] != 0;
  }

 private:
  RowSpan span_;
  VecX row_;
  std::vector<char> dependent_;  // empty: none is
};

}  // namespace kinegrad

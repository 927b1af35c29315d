// Equations taken one by one, in their order: each is made orthogonal to those before it (Gram-Schmidt, twice),
// and depends on them if too little of it is left [RK-3].
#pragma once

#include <vector>

#include "kinegrad/math/rank_rule.hpp"

namespace kinegrad {

class RowSpan {
 public:
  /// False if the row depends on those that were added before; `remaining` as [RK-1].
  bool add(VecX row, double remaining) {
    const double length = row.norm();
    if (!(length > 0) || !(remaining > 0)) return false;
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough for orthogonality
      for (const VecX& e : basis_) row -= e.dot(row) * e;
    }
    if (!(row.norm() > rank::least_pivot(length, remaining))) return false;
    basis_.push_back(row.normalized());
    return true;
  }
  int rank() const { return static_cast<int>(basis_.size()); }

 private:
  std::vector<VecX> basis_;
};

/// Of `rows` equations with `columns` coordinates, the first `holonomic` of them on positions: those on speeds
/// that depend on others, in order, as ones [B-6]. row(i) is an equation as a vector, remaining(i) as [RK-1].
/// Where elimination would take seconds none is named.
template <typename Row, typename Remaining>
std::vector<char> dependent_on_speeds(int rows, int holonomic, int columns, const Row& row,
                                      const Remaining& remaining) {
  std::vector<char> dependent(static_cast<std::size_t>(rows), 0);
  constexpr double kMostWork = 5e7;
  const bool large = static_cast<double>(rows) * rows * columns > kMostWork;
  if (holonomic == rows || holonomic == 0 || large) return dependent;
  RowSpan span;
  for (int i = 0; i < rows; ++i) {
    const bool counts = span.add(row(i), remaining(i));
    if (i >= holonomic && !counts) dependent[static_cast<std::size_t>(i)] = 1;
  }
  return dependent;
}

}  // namespace kinegrad

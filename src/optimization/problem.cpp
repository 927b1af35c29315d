#include "kinegrad/optimization/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kinegrad/base/error.hpp"

namespace kinegrad {

void OptimizationProblem::validate() const {
  const auto n = static_cast<Eigen::Index>(parameters.size());
  if (n == 0) throw InvalidArgument("there is no parameter to optimise");
  KINEGRAD_DEMAND(start.size() == n && lower.size() == n && upper.size() == n && scale.size() == n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const std::string& name = parameters[static_cast<std::size_t>(k)];
    if (!(lower(k) <= upper(k))) {
      throw InvalidArgument("the lower bound of " + name + " is above the upper one");
    }
    if (!(start(k) >= lower(k) && start(k) <= upper(k))) {
      throw InvalidArgument("the start of " + name + " is outside its bounds");
    }
    if (!(scale(k) >= 0)) throw InvalidArgument("the scale of " + name + " must be positive");
  }
  if (cost.empty()) throw InvalidArgument("there is nothing to minimise");
  const auto check_row = [&](int row) {
    KINEGRAD_DEMAND(row >= 0 && static_cast<std::size_t>(row) < rows.size());
  };
  for (const CostTerm& term : cost) check_row(term.row);
  for (const RowRange& range : constraints) check_row(range.row);
  KINEGRAD_DEMAND(stages >= 1 && parts >= 1);
}

double OptimizationProblem::position_of(int stage) const {
  if (stage < stages) return stage + 1;
  const int between = stage - stages;
  return between / (parts - 1) + static_cast<double>(between % (parts - 1) + 1) / parts;
}

double OptimizationProblem::cost_of(const VecX& psi) const {
  double sum = 0, largest = -std::numeric_limits<double>::infinity();
  for (const CostTerm& term : cost) {
    sum += term.weight * psi(term.row);
    largest = std::max(largest, term.weight * psi(term.row));
  }
  return minimax ? largest : sum;
}

double OptimizationProblem::violation_of(const VecX& psi) const {
  double most = 0;
  for (const RowRange& range : constraints) {
    most = std::max({most, range.lower - psi(range.row), psi(range.row) - range.upper});
  }
  return most;
}

}  // namespace kinegrad

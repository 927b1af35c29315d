#include "kinegrad/math/derivative_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kinegrad {

namespace {

constexpr int kLevels = 10;
constexpr double kShrink = 1.4;  // ratio of successive steps
constexpr double kWorse = 2.0;   // stop when the next diagonal is this much worse than the best

/// Keeps, entry by entry, the estimate whose neighbours in the tableau agree best.
void keep_better(const VecX& value, const VecX& error, Eigen::Ref<VecX> best_value,
                 Eigen::Ref<VecX> best_error) {
  for (Eigen::Index i = 0; i < value.size(); ++i) {
    if (error(i) <= best_error(i)) {
      best_error(i) = error(i);
      best_value(i) = value(i);
    }
  }
}

/// One column: the tableau a_{l,k} = (κ a_{l,k−1} − a_{l−1,k−1})/(κ − 1), κ = kShrink^{2k} [EX-10].
void ridders_column(const std::function<VecX(const VecX&)>& f, const VecX& x, Eigen::Index j,
                    double step, RiddersResult& result) {
  const auto difference = [&](double h) {
    VecX ahead = x, behind = x;
    ahead(j) += h;
    behind(j) -= h;
    return VecX((f(ahead) - f(behind)) / (ahead(j) - behind(j)));
  };
  std::array<std::array<VecX, kLevels>, kLevels> a;
  a[0][0] = difference(step);
  const Eigen::Index rows = a[0][0].size();
  if (j == 0) {
    result.jacobian.resize(rows, x.size());
    result.error.resize(rows, x.size());
  }
  VecX best = a[0][0];
  VecX error = VecX::Constant(rows, std::numeric_limits<double>::max());
  for (std::size_t level = 1; level < kLevels; ++level) {
    step /= kShrink;
    a[level][0] = difference(step);
    double factor = kShrink * kShrink;
    for (std::size_t k = 1; k <= level; ++k, factor *= kShrink * kShrink) {
      a[level][k] = (a[level][k - 1] * factor - a[level - 1][k - 1]) / (factor - 1);
      const VecX spread = (a[level][k] - a[level][k - 1])
                              .cwiseAbs()
                              .cwiseMax((a[level][k] - a[level - 1][k - 1]).cwiseAbs());
      keep_better(a[level][k], spread, best, error);
    }
    const VecX change = (a[level][level] - a[level - 1][level - 1]).cwiseAbs();
    if ((change.array() >= kWorse * error.array()).all()) break;
  }
  result.jacobian.col(j) = best;
  result.error.col(j) = error;
}

}  // namespace

RiddersResult ridders_jacobian(const std::function<VecX(const VecX&)>& f, const VecX& x,
                               double initial_step) {
  RiddersResult result;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    ridders_column(f, x, j, initial_step * std::max(1.0, std::abs(x(j))), result);
  }
  return result;
}

}  // namespace kinegrad

#include "kinegrad/math/derivative_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kinegrad {

namespace {

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

}  // namespace

/// The tableau a_{l,k} = (κ a_{l,k−1} − a_{l−1,k−1})/(κ − 1), κ = kShrink^{2k} [EX-10].
RiddersColumn ridders_derivative(const std::function<VecX(double)>& f, double x, double step) {
  const auto difference = [&](double h) {
    const double ahead = x + h, behind = x - h;
    return VecX((f(ahead) - f(behind)) / (ahead - behind));
  };
  std::array<std::array<VecX, kRiddersLevels>, kRiddersLevels> a;
  a[0][0] = difference(step);
  RiddersColumn best{a[0][0], VecX::Constant(a[0][0].size(), std::numeric_limits<double>::max()),
                     step};
  for (std::size_t level = 1; level < kRiddersLevels; ++level) {
    step /= kShrink;
    best.smallest_step = step;
    a[level][0] = difference(step);
    double factor = kShrink * kShrink;
    for (std::size_t k = 1; k <= level; ++k, factor *= kShrink * kShrink) {
      a[level][k] = (a[level][k - 1] * factor - a[level - 1][k - 1]) / (factor - 1);
      const VecX spread = (a[level][k] - a[level][k - 1])
                              .cwiseAbs()
                              .cwiseMax((a[level][k] - a[level - 1][k - 1]).cwiseAbs());
      keep_better(a[level][k], spread, best.derivative, best.error);
    }
    const VecX change = (a[level][level] - a[level - 1][level - 1]).cwiseAbs();
    if ((change.array() >= kWorse * best.error.array()).all()) break;
  }
  return best;
}

RiddersResult ridders_jacobian(const std::function<VecX(const VecX&)>& f, const VecX& x,
                               double initial_step) {
  RiddersResult result;
  VecX at = x;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    const auto along = [&](double value) {
      at(j) = value;
      VecX y = f(at);
      at(j) = x(j);
      return y;
    };
    const RiddersColumn column =
        ridders_derivative(along, x(j), initial_step * std::max(1.0, std::abs(x(j))));
    if (j == 0) {
      result.jacobian.resize(column.derivative.size(), x.size());
      result.error.resize(column.derivative.size(), x.size());
    }
    result.jacobian.col(j) = column.derivative;
    result.error.col(j) = column.error;
  }
  return result;
}

}  // namespace kinegrad

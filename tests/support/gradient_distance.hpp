// How far two gradients are apart.
#pragma once

#include <algorithm>
#include <cmath>

#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad::test {

/// Largest difference over the scale of each objective. An objective that moves by less than 1e-8 of its
/// value when a parameter doubles has no nine digits to compare.
inline double gradient_distance(const Model& model, const GradientReport& a,
                                const GradientReport& b) {
  const VecX rho = model.default_rho();
  double largest = 0;
  for (Eigen::Index i = 0; i < a.gradient.rows(); ++i) {
    double scale = 1e-8 * (1 + std::abs(a.values[std::size_t(i)])), difference = 0;
    for (Eigen::Index j = 0; j < a.gradient.cols(); ++j) {
      const double size = std::max(1e-3, std::abs(rho(a.parameters[std::size_t(j)])));
      scale = std::max(scale, std::abs(a.gradient(i, j)) * size);
      const double d = std::abs(a.gradient(i, j) - b.gradient(i, j)) * size;
      difference = std::isnan(d) ? HUGE_VAL : std::max(difference, d);
    }
    largest = std::max(largest, difference / scale);
  }
  return largest;
}

}  // namespace kinegrad::test

#include "optimization/trial_points.hpp"

#include <cmath>
#include <random>

namespace kinegrad {

namespace {

/// So many directions: at a saddle half of them lead down, so one in sixteen saddles is missed.
constexpr int kDirections = 4;
/// A change of 1 is a change to speak of; the square of this one is far above rounding.
constexpr double kStep = 1e-3;

}  // namespace

std::vector<VecX> trial_points(const Nlp& nlp, const VecX& x, const VecX& r, Eigen::Index n) {
  std::vector<VecX> points;
  const auto add = [&](const VecX& step) {
    VecX point = x;
    point.head(n) += step;
    point = point.cwiseMax(nlp.lower()).cwiseMin(nlp.upper());
    if (point != x) points.push_back(std::move(point));
  };
  std::mt19937_64 generator(1);  // without the distributions of the library, which differ [OP-8]
  for (int k = 0; k < kDirections; ++k) {
    VecX direction(n);
    for (double& d : direction) d = 2 * std::ldexp(static_cast<double>(generator() >> 11), -53) - 1;
    // the largest component has the whole step
    add(kStep / direction.cwiseAbs().maxCoeff() * direction);
  }
  const double slope = r.head(n).cwiseAbs().maxCoeff();
  if (slope > 0) add(-r.head(n) / slope);
  return points;
}

}  // namespace kinegrad

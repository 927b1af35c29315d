#include "optimization/trial_points.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>

namespace kinegrad {

namespace {

/// So many directions. The slopes at their ends tell the curvature of four variables; of many it is a sample.
constexpr int kDirections = 4;
/// A change of 1 is a change to speak of; the square of this one is far above rounding.
constexpr double kStep = 1e-3;

/// A point this far along a direction would have felt a curvature there that is worth a word.
constexpr double kExplored = 1e-5;

/// Without the distributions of the library, which differ [OP-8].
VecX random_direction(std::mt19937_64& generator, Eigen::Index n) {
  VecX direction(n);
  for (double& d : direction) d = 2 * std::ldexp(static_cast<double>(generator() >> 11), -53) - 1;
  return direction;
}

/// Adds x + (step, 0) between the bounds, unless it is x.
void add_step(const Nlp& nlp, const VecX& x, const VecX& step, std::vector<VecX>& points) {
  VecX point = x;
  point.head(step.size()) += step;
  point = point.cwiseMax(nlp.lower()).cwiseMin(nlp.upper());
  if (point != x) points.push_back(std::move(point));
}

/// Orthonormal columns that span the ways from x to the points, the longest first, as far as they are explored.
MatX explored_directions(const VecX& x, const std::vector<VecX>& known, Eigen::Index n) {
  MatX ways(n, static_cast<Eigen::Index>(known.size()));
  for (std::size_t k = 0; k < known.size(); ++k) {
    ways.col(static_cast<Eigen::Index>(k)) = (known[k] - x).head(n);
  }
  MatX basis(n, 0);
  while (basis.cols() < n && ways.cols() > 0) {
    Eigen::Index longest = 0;
    const double length = ways.colwise().norm().maxCoeff(&longest);
    if (!(length > kExplored)) break;
    const VecX q = ways.col(longest) / length;
    basis.conservativeResize(n, basis.cols() + 1);
    basis.rightCols(1) = q;
    // twice: far points would leave their rounding as a direction
    for (int pass = 0; pass < 2; ++pass) ways -= basis * (basis.transpose() * ways);
  }
  return basis;
}

}  // namespace

std::vector<VecX> trial_points(const Nlp& nlp, const VecX& x, const VecX& r, Eigen::Index n) {
  std::vector<VecX> points;
  std::mt19937_64 generator(1);
  for (int k = 0; k < kDirections; ++k) {
    const VecX direction = random_direction(generator, n);
    // the largest component has the whole step
    add_step(nlp, x, kStep / direction.cwiseAbs().maxCoeff() * direction, points);
  }
  const double slope = r.head(n).cwiseAbs().maxCoeff();
  if (slope > 0) add_step(nlp, x, -r.head(n) / slope, points);
  return points;
}

std::vector<VecX> unexplored_points(const Nlp& nlp, const VecX& x, const std::vector<VecX>& known,
                                    const VecX& z, Eigen::Index n) {
  std::vector<VecX> points;
  const MatX basis = explored_directions(x, known, n);
  if (basis.cols() == n) return points;
  std::mt19937_64 generator(1);
  for (int k = 0; k < kDirections; ++k) {
    VecX direction = random_direction(generator, n);
    for (int pass = 0; pass < 2; ++pass) direction -= basis * (basis.transpose() * direction);
    for (Eigen::Index j = 0; j < n; ++j) {
      if (z(j) != 0) direction(j) = 0;
    }
    const double longest = direction.cwiseAbs().maxCoeff();
    if (longest > kExplored) add_step(nlp, x, kStep / longest * direction, points);
  }
  return points;
}

void Curvature::add(const VecX& step, const VecX& change) {
  constexpr double kSmall = 10 * kStep;  // farther away it is another curvature
  const double length = step.cwiseAbs().maxCoeff();
  if (!(length > 0) || length > kSmall || !change.allFinite()) return;
  const Eigen::Index k = steps.cols();
  steps.conservativeResize(step.size(), k + 1);
  changes.conservativeResize(step.size(), k + 1);
  steps.col(k) = step / length;
  changes.col(k) = change / length;
}

std::vector<VecX> descending_points(const Nlp& nlp, const VecX& x, const Curvature& curvature) {
  std::vector<VecX> points;
  const MatX& D = curvature.steps;
  if (D.cols() == 0) return points;
  // orthonormal columns for the steps, which may depend on each other
  Eigen::ColPivHouseholderQR<MatX> qr(D);
  qr.setThreshold(1e-6);
  const MatX Q = qr.householderQ() * MatX::Identity(D.rows(), qr.rank());
  const MatX A = Q.transpose() * curvature.changes * D.completeOrthogonalDecomposition().solve(Q);
  const Eigen::SelfAdjointEigenSolver<MatX> ritz(0.5 * (A + A.transpose()));
  if (ritz.info() != Eigen::Success || !(ritz.eigenvalues()(0) < 0)) return points;
  const VecX direction = Q * ritz.eigenvectors().col(0);
  const double longest = direction.cwiseAbs().maxCoeff();
  if (!(longest > 0) || !direction.allFinite()) return points;
  for (const double side : {1.0, -1.0}) add_step(nlp, x, side * kStep / longest * direction, points);
  return points;
}

}  // namespace kinegrad

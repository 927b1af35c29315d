#include "support/recorded_differences.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace kinegrad::test {

namespace {

constexpr int kLevels = 4;
constexpr double kLargest[] = {3e-3, 3e-5, 3e-7};  // of the parameters' sizes
constexpr double kHair = 1e-10;

/// (ψ(h) − ψ(−h))/2h.
std::optional<VecX> central(const ObjectivesAlong& psi, double h) {
  const std::optional<VecX> ahead = psi(h), behind = psi(-h);
  if (!ahead || !behind) return {};
  return (*ahead - *behind) / (2 * h);
}

/// How far values a hair apart are from a straight line: rounding, and iterations that end.
std::optional<VecX> noise(const ObjectivesAlong& psi, const VecX& slope) {
  VecX most = VecX::Zero(slope.size());
  for (const double hair : {kHair, 3 * kHair, 10 * kHair, 30 * kHair}) {
    const std::optional<VecX> found = central(psi, hair);
    if (!found) return {};
    most = most.cwiseMax(((*found - slope) * (2 * hair)).cwiseAbs());
  }
  return most;
}

std::optional<DirectionalDifference> extrapolated(const ObjectivesAlong& psi, double largest) {
  std::array<VecX, kLevels> row, before;
  DirectionalDifference out;
  double h = largest;
  for (std::size_t k = 0; k < kLevels; ++k, h /= 2) {
    const std::optional<VecX> D = central(psi, h);
    if (!D) return {};
    row[0] = *D;
    double four = 4;
    for (std::size_t j = 1; j <= k; ++j, four *= 4) {
      row[j] = row[j - 1] + (row[j - 1] - before[j - 1]) / (four - 1);
    }
    if (k + 1 == kLevels) {
      out.slope = row[k];
      out.error = (row[k] - row[k - 1]).cwiseAbs() + (row[k] - before[k - 1]).cwiseAbs();
    }
    before = row;
  }
  const std::optional<VecX> bend = noise(psi, out.slope);
  if (!bend) return {};
  constexpr double kSafety = 4;  // four values are a small sample, and the tableau adds up several
  out.error += kSafety * *bend / (2 * h);
  return out;
}

/// Of each objective the one with the least error.
std::optional<DirectionalDifference> best_of(const ObjectivesAlong& psi,
                                             std::span<const double> distances) {
  std::optional<DirectionalDifference> best;
  for (const double largest : distances) {
    const auto found = extrapolated(psi, largest);
    if (!found || !found->slope.allFinite() || !found->error.allFinite()) continue;
    if (!best) {
      best = found;
      if (best->error.maxCoeff() < 1e-7) return best;  // no need for others
      continue;
    }
    for (Eigen::Index i = 0; i < best->slope.size(); ++i) {
      if (found->error(i) >= best->error(i)) continue;
      best->slope(i) = found->slope(i);
      best->error(i) = found->error(i);
    }
  }
  return best;
}

}  // namespace

std::optional<DirectionalDifference> directional_difference(const ObjectivesAlong& psi) {
  return best_of(psi, kLargest);
}

std::optional<DirectionalDifference> short_difference(const ObjectivesAlong& psi) {
  return best_of(psi, std::span(kLargest).subspan(1));
}

}  // namespace kinegrad::test

// The inertia of a body in the triples (r, u, v, w) of its place and axes: constant in time
// (docs/theory/global_coordinates.md, [NC]).
//
// A point of the body at ξ in its axes is at r + ξ₁u + ξ₂v + ξ₃w, hence the kinetic energy
// ½ Σ ż_aᵀ μ_ab ż_b with
//
//   μ = | m    m cᵀ          |        J̃ = ½ tr(J) 1 − J,  J about the centre of mass           [NC-5]
//       | m c  J̃ + m c cᵀ    |
#pragma once

#include <span>

#include "kinegrad/model/physical.hpp"

namespace kinegrad {

/// [NC-5].
template <typename T>
Mat<T, 4, 4> natural_inertia(std::span<const T> p, const MassBlock& block) {
  const T m = p[static_cast<std::size_t>(block.mass)];
  const Vec3T<T> c = vector_at(p, block.com);
  const Mat3T<T> J = inertia_at(p, block.inertia);
  Mat<T, 4, 4> mu;
  mu(0, 0) = m;
  for (int i = 0; i < 3; ++i) {
    mu(0, 1 + i) = mu(1 + i, 0) = m * c(i);
    for (int j = 0; j < 3; ++j) mu(1 + i, 1 + j) = m * c(i) * c(j) - J(i, j);
    mu(1 + i, 1 + i) += (J(0, 0) + J(1, 1) + J(2, 2)) * T(0.5);
  }
  return mu;
}

/// dμ along dp.
inline Mat<double, 4, 4> natural_inertia_change(std::span<const double> p, const MassBlock& block,
                                                std::span<const double> dp) {
  const double m = p[static_cast<std::size_t>(block.mass)];
  const double dm = dp[static_cast<std::size_t>(block.mass)];
  const Vec3 c = vector_at(p, block.com), dc = vector_at(dp, block.com);
  const Mat3 dJ = inertia_at(dp, block.inertia);
  Mat<double, 4, 4> d;
  d(0, 0) = dm;
  d.block<3, 1>(1, 0) = dm * c + m * dc;
  d.block<1, 3>(0, 1) = d.block<3, 1>(1, 0).transpose();
  d.block<3, 3>(1, 1) = dm * c * c.transpose() + m * (dc * c.transpose() + c * dc.transpose()) - dJ;
  for (int i = 1; i <= 3; ++i) d(i, i) += 0.5 * dJ.trace();
  return d;
}

/// p̄ from μ̄, which need not be symmetric.
inline void pull_natural_inertia(std::span<const double> p, const MassBlock& block,
                                 const Mat<double, 4, 4>& mu_bar, std::span<double> p_bar) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const double m = p[at(block.mass)];
  const Vec3 c = vector_at(p, block.com);
  const Vec3 row = mu_bar.block<1, 3>(0, 1).transpose() + mu_bar.block<3, 1>(1, 0);
  const Mat3 K = mu_bar.block<3, 3>(1, 1);
  p_bar[at(block.mass)] += mu_bar(0, 0) + row.dot(c) + c.dot(K * c);
  const Vec3 c_bar = m * (row + (K + K.transpose()) * c);
  for (int i = 0; i < 3; ++i) p_bar[at(block.com + i)] += c_bar(i);
  for (int i = 0; i < 3; ++i) p_bar[at(block.inertia + i)] += 0.5 * K.trace() - K(i, i);
  p_bar[at(block.inertia + 3)] -= K(0, 1) + K(1, 0);
  p_bar[at(block.inertia + 4)] -= K(0, 2) + K(2, 0);
  p_bar[at(block.inertia + 5)] -= K(1, 2) + K(2, 1);
}

}  // namespace kinegrad

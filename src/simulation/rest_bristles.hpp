// Bristles at a static equilibrium [KP-19] (docs/theory/kinematic_problems.md). Their rates vanish at rest wherever they are, so that
// ṡ = 0 says nothing of them. They are what a contact that sticks makes of them on its way from the assembled start ŷ = (q̂, ŵ):
//
//   w = ŵ + T g(q, (q − q̂)/T, w),      T → ∞
//
// a step of Euler's implicit method that is long against everything: the displacement q − q̂ bends them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

/// T, s. What slip makes of bristles goes with 1/T, and numbers lose nothing: g is linear in the speed there.
inline constexpr double kBendingTime = 1e12;

/// The coordinates whose speeds are bristles.
std::vector<int> bristle_coordinates(const Model& model);

/// (q − q̂)/T in the coordinates of the mechanism, and the states v.
template <Scalar T>
VecXT<T> bending_speed(const std::vector<char>& is_state, const VecXT<T>& q, const VecXT<T>& v,
                       const VecXT<T>& assembled) {
  VecXT<T> out = v;
  for (Eigen::Index j = 0; j < v.size(); ++j) {
    if (!is_state[static_cast<std::size_t>(j)]) out(j) = (q(j) - assembled(j)) / kBendingTime;
  }
  return out;
}

/// Why bristles v cannot stay as they are bent: a contact carries more than it can. Empty if they can.
std::string overloaded_bristles(const Model& model, std::span<const double> p, const VecX& v);

}  // namespace kinegrad

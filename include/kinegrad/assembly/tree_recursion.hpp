// What a tree in joint coordinates gives without any matrix of its size, each in O(n): solutions with its
// mass matrix [D-8], and the derivatives of its equations along directions of the state
// (docs/theory/parameter_tangents.md),
//
//   f_q dq + f_v dv          Φ_q dq,   Φ̇_q dq + Φ_q dv,   Φ̈_q dq + Φ̈_v dv                     [TG-10]
#pragma once

#include <span>

#include "kinegrad/assembly/constraint_tangents.hpp"

namespace kinegrad {

class TreeRecursion {
 public:
  virtual ~TreeRecursion() = default;

  /// Eliminates the joints of M at q, as linearize_accelerations() does as well.
  virtual void eliminate_joints(std::span<const double> q) = 0;
  /// x with M̃ x = b − Σ κ p φ [D-9] at the configuration where the joints were eliminated.
  virtual void solve_mass(std::span<const double> q, std::span<const double> b,
                          std::span<const double> phi, std::span<double> x) = 0;
  /// Φ_q at the state that was linearised last.
  virtual const SparseRows<double>& Phi_q() const = 0;
  /// Along the columns of dq and dv, at the state that was linearised last.
  virtual void state_tangents(const MatX& dq, const MatX& dv, MatX& f, LevelTangent& levels) = 0;
};

}  // namespace kinegrad

// The equations of a Jacobian J that the rank rule [RK-3] counts as independent, J_I, and what follows from
// them. With J_Iᵀ = [Y Z] [R; 0], J = C J_I and D the lengths of the equations:
//
//   Z                                        what the equations leave free
//   Δq = −Y R⁻ᵀ Φ_I                          the shortest correction that meets them
//   min |Dλ|,   Cᵀλ = −R⁻¹Yᵀr                the least forces that leave least of r + Jᵀλ             [KP-16]
#pragma once

#include <span>
#include <vector>

#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

class IndependentEquations {
 public:
  /// `remaining` of every equation as [RK-1].
  IndependentEquations(const MatX& J, std::span<const double> remaining);

  int rank() const { return static_cast<int>(rows_.size()); }
  const MatX& null_space() const { return Z_; }
  /// How far the equations are from being met, in coordinates: |D⁻¹Φ|.
  double violation(const VecX& phi) const { return phi.cwiseQuotient(length_).norm(); }
  VecX correction(const VecX& phi) const;
  /// Φ̄ of a cotangent of that correction.
  VecX correction_transposed(const VecX& delta_bar) const;
  VecX multipliers(const VecX& r) const;

 private:
  std::vector<int> rows_;
  VecX length_;     // D, 1 of equations that vanish
  MatX Y_, Z_, R_;  // of equations of length 1, as C
  MatX Q_, S_;      // C = Q S
};

}  // namespace kinegrad

// How far a point is from satisfying the conditions of Karush, Kuhn and Tucker, and the multipliers
// that show it best (docs/theory/optimization.md):
//
//   r = f_x + c_xᵀλ,     λ_i = 0 off its bound,  ≥ 0 at the upper,  ≤ 0 at the lower             [OP-4]
//   stationarity = max_k min(|r_k|, way to the bound that −r_k leads to)                          [OP-5]
//
// λ minimises the sum of squares of what is left of r. Without constraints the stationarity is the
// projected gradient.
#pragma once

#include "kinegrad/optimization/nlp.hpp"

namespace kinegrad {

struct Kkt {
  VecX r;       ///< gradient of the Lagrangian
  VecX lambda;  ///< of the constraints
  VecX z;       ///< of the bounds: −r where x is at one, 0 elsewhere
  double stationarity = 0;
  double complementarity = 0;  ///< largest |λ_i| times the distance from its bound
};

/// A constraint or a bound counts as reached within `near`, in scaled units.
Kkt kkt_of(const Nlp& nlp, const VecX& x, const NlpPoint& point, double near);

/// min ‖A y + b‖ with sign_i y_i ≥ 0 where sign_i ≠ 0 (C. Lawson, R. Hanson).
VecX least_squares_signed(const MatX& A, const VecX& b, const VecX& sign);

}  // namespace kinegrad

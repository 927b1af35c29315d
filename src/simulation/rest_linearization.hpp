// How an equilibrium changes (docs/theory/kinematic_problems.md): with K and J of the rest equations, g and b what the equations
// gain from elsewhere,
//
//   K y′ + Jᵀλ′ + g = 0,   J y′ + b = 0:      y′ = c + Z w,   c = −Y R⁻ᵀ b_I,   ZᵀK Z w = −Zᵀ(g + K c)          [KP-6]
//
// and backwards, with u = (ZᵀK Z)⁻ᵀZᵀȳ:   ḡ = −Z u,   c̄ = ȳ − KᵀZ u,   b̄_I = −R⁻¹Yᵀc̄.
#pragma once

#include <Eigen/LU>

#include "simulation/rest_equations.hpp"

namespace kinegrad {

class RestLinearization {
 public:
  /// At the place where the equations were linearised last.
  explicit RestLinearization(const RestEquations& at);

  /// y′ for g and b.
  VecX solve(const VecX& g, const VecX& b) const;
  /// λ′ that goes with it.
  VecX multipliers(const VecX& g, const VecX& change) const {
    return equations_.multipliers(g + K_ * change);
  }
  /// The largest sum of sizes of what one of the equations gains, |g| + |K||y′|.
  double size_of_terms(const VecX& g, const VecX& change) const {
    return (g.cwiseAbs() + K_.cwiseAbs() * change.cwiseAbs()).maxCoeff();
  }
  /// ḡ and b̄ of a cotangent ȳ of y′.
  struct Cotangent {
    VecX g, b;
  };
  Cotangent solve_transposed(const VecX& y_bar) const;

 private:
  MatX K_;
  IndependentEquations equations_;
  Eigen::PartialPivLU<MatX> reduced_;
};

}  // namespace kinegrad

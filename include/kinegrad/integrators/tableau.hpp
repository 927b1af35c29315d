// Butcher tableaus of Runge-Kutta methods, as data: a new method is a new tableau.
//
//   k_i = f(t + c_i h, x + h Σ_j a_ij k_j),   x₁ = x + h Σ b_i k_i,   error = h Σ (b_i − b̂_i) k_i  [ERK-1]
//
// Explicit ones have a_ij = 0 for j ≥ i. ESDIRK ones have an explicit first stage, the same a_ii = γ in all
// others, and end with their last stage, b_j = a_sj: they are solved stage by stage [DRK-1].
#pragma once

#include <string_view>
#include <vector>

namespace kinegrad {

struct Tableau {
  std::string_view name;
  int order = 0;
  std::vector<std::vector<double>> a;  ///< row i has i entries, those left of the diagonal
  std::vector<double> b, b_hat, c;     ///< b_hat empty: no error estimate
  int estimate_order = 0;              ///< of the embedded solution
  /// The last stage is f at x₁, so it is the first of the next step.
  bool first_same_as_last = false;
  double gamma = 0;  ///< a_ii of all stages but the first; 0: explicit
  /// d of the continuous extension of order 4, the free coefficient of Hermite's quartic [ERK-2]; empty: Hermite's cubic.
  std::vector<double> quartic = {};

  int stages() const { return static_cast<int>(b.size()); }
};

}  // namespace kinegrad

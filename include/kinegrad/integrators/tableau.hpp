// Butcher tableaus of explicit Runge-Kutta methods, as data: a new method is a new tableau.
//
//   k_i = f(t + c_i h, x + h Σ_j a_ij k_j),   x₁ = x + h Σ b_i k_i,   error = h Σ (b_i − b̂_i) k_i  [ERK-1]
#pragma once

#include <string_view>
#include <vector>

namespace kinegrad {

struct Tableau {
  std::string_view name;
  int order = 0;
  std::vector<std::vector<double>> a;  ///< row i has i entries
  std::vector<double> b, b_hat, c;     ///< b_hat empty: no error estimate
  int estimate_order = 0;              ///< of the embedded solution
  /// The last stage is f at x₁, so it is the first of the next step.
  bool first_same_as_last = false;

  int stages() const { return static_cast<int>(b.size()); }
};

/// The classical method of order 4.
const Tableau& rk4_tableau();
/// Dormand and Prince, order 5 with an estimate of order 4.
const Tableau& dopri5_tableau();

}  // namespace kinegrad

// Three independent Jacobians of f: ℝⁿ → ℝᵐ, for tests and for users who check their own elements
// (docs/theory/expressions.md, [EX-8] … [EX-10]):
//
//   complex step   ∂f/∂x_j = Im f(x + i h e_j)/h, h = 1e-30: no cancellation, f must be analytic
//   dual numbers   ∂f/∂x_j = the ε part of f(x + ε e_j): exact to rounding
//   Ridders        central differences extrapolated to step 0, with an estimate of their error;
//                  needs nothing but values, and gives some 10 digits
//
// The first two take a generic function: VecXT<T> f(const VecXT<T>& x) for T = Complex, Dual.
#pragma once

#include <functional>

#include "kinegrad/math/scalar.hpp"

namespace kinegrad {

/// Step of the complex step: far below rounding of the value, far above underflow of its square
/// divided by anything of size 1.
inline constexpr double kComplexStep = 1e-30;

/// m × n, by complex step.
template <typename F>
MatX complex_step_jacobian(const F& f, const VecX& x, double step = kComplexStep) {
  VecXT<Complex> z = x.template cast<Complex>();
  MatX jacobian;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    z(j) = Complex(x(j), step);
    const VecXT<Complex> y = f(z);
    z(j) = Complex(x(j), 0);
    if (j == 0) jacobian.resize(y.size(), x.size());
    for (Eigen::Index i = 0; i < y.size(); ++i) jacobian(i, j) = y(i).imag() / step;
  }
  return jacobian;
}

/// m × n, by dual numbers.
template <typename F>
MatX dual_jacobian(const F& f, const VecX& x) {
  VecXT<Dual> z(x.size());
  for (Eigen::Index j = 0; j < x.size(); ++j) z(j) = Dual(x(j));
  MatX jacobian;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    z(j).derivative = 1;
    const VecXT<Dual> y = f(z);
    z(j).derivative = 0;
    if (j == 0) jacobian.resize(y.size(), x.size());
    for (Eigen::Index i = 0; i < y.size(); ++i) jacobian(i, j) = y(i).derivative;
  }
  return jacobian;
}

/// Number of steps Ridders' extrapolation takes at most, two values of f each.
inline constexpr int kRiddersLevels = 10;

/// A derivative by differences and an estimate of the error of each entry.
struct RiddersColumn {
  VecX derivative;
  VecX error;  ///< by how much neighbours in the tableau differ; says nothing of noise in f
  double smallest_step = 0;
};

/// ∂f/∂x by Ridders' extrapolation of central differences from `step` downwards.
RiddersColumn ridders_derivative(const std::function<VecX(double)>& f, double x, double step);

/// A Jacobian by differences and an estimate of the error of each entry.
struct RiddersResult {
  MatX jacobian;
  MatX error;
};

/// m × n, by Ridders' extrapolation of central differences from `initial_step`·max(1, |x_j|)
/// downwards (Ridders 1982, Adv. Eng. Software 4(2), 75–76).
RiddersResult ridders_jacobian(const std::function<VecX(const VecX&)>& f, const VecX& x,
                               double initial_step = 0.1);

}  // namespace kinegrad

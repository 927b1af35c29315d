// The two oracles of hand-derived partials, behind one interface: seed a number with a direction,
// read the derivative back.
#pragma once

#include <algorithm>
#include <random>

#include "kinegrad/math/scalar.hpp"

namespace kinegrad::test {

/// Dual numbers [EX-9]: no conjugation anywhere, the primary oracle.
struct DualOracle {
  using Number = Dual;
  static Number seed(double x, double dx) { return {x, dx}; }
  static double derivative(const Number& y) { return y.derivative; }
};

/// Complex step [EX-15]: f'(x) = Im f(x + i h)/h. With h = 1e-200 the square of the step is below the
/// smallest double, so that the formula is exact to rounding.
struct ComplexOracle {
  using Number = Complex;
  static constexpr double kStep = 1e-200;
  static Number seed(double x, double dx) { return {x, dx * kStep}; }
  static double derivative(const Number& y) { return y.imag() / kStep; }
};

/// x + dx ε, component by component.
template <typename Oracle, int Rows>
Vec<typename Oracle::Number, Rows> seed(const Vec<double, Rows>& x, const Vec<double, Rows>& dx) {
  Vec<typename Oracle::Number, Rows> y;
  for (int i = 0; i < Rows; ++i) y(i) = Oracle::seed(x(i), dx(i));
  return y;
}

/// x without a direction.
template <typename Oracle, int Rows>
Vec<typename Oracle::Number, Rows> constant(const Vec<double, Rows>& x) {
  return seed<Oracle, Rows>(x, Vec<double, Rows>::Constant(0.0));
}

/// The derivative part of every entry.
template <typename Oracle, typename Number, int Rows, int Cols>
Mat<double, Rows, Cols> derivative(const Mat<Number, Rows, Cols>& y) {
  Mat<double, Rows, Cols> d;
  for (int j = 0; j < Cols; ++j) {
    for (int i = 0; i < Rows; ++i) d(i, j) = Oracle::derivative(y(i, j));
  }
  return d;
}

/// Largest difference of two blocks relative to max(1, size of the second); NaN counts as infinite.
/// Cols may be 0: an empty block has no error.
template <int Rows, int Cols>
double block_error(const Mat<double, Rows, Cols>& actual, const Mat<double, Rows, Cols>& expected) {
  double difference = 0, size = 0;
  for (int j = 0; j < Cols; ++j) {
    for (int i = 0; i < Rows; ++i) {
      const double d = actual(i, j) - expected(i, j);
      difference += d * d;
      size += expected(i, j) * expected(i, j);
    }
  }
  const double error = std::sqrt(difference) / std::max(1.0, std::sqrt(size));
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

/// Uniform numbers in (lower, upper), from the caller's own generator.
template <int Rows>
Vec<double, Rows> random_vector(std::mt19937_64& rng, double lower = -1, double upper = 1) {
  std::uniform_real_distribution<double> uniform(lower, upper);
  Vec<double, Rows> x;
  for (int i = 0; i < Rows; ++i) x(i) = uniform(rng);
  return x;
}

}  // namespace kinegrad::test

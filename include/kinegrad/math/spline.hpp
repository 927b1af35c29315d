// Interpolating splines of one variable (docs/theory/splines.md, [SP]).
//
// On the interval i, with h = x_{i+1} − x_i and s = (x − x_i)/h, every type is the Hermite cubic
//
//   y(x) = H₀₀(s) y_i + H₀₁(s) y_{i+1} + h H₁₀(s) m_i + h H₁₁(s) m_{i+1}                   [SP-1]
//
// of the node values y and the slopes m = m(y); the types differ only in the map y → m:
//
//   kCubic     natural end conditions, C²: a symmetric tridiagonal system                  [SP-2]
//   kPeriodic  C² around the period: a symmetric cyclic tridiagonal system                 [SP-3]
//   kMonotone  weighted harmonic mean of the neighbouring secants, C¹, no overshoot        [SP-4]
//
// kLinear has no slopes: y(x) = (1 − s) y_i + s y_{i+1}, continuous, exactly linear in its values   [SP-9]
//
// Outside the knots kCubic, kMonotone and kLinear continue along their end tangents (kCubic stays C²),
// kPeriodic wraps. Evaluation has local support, O(log n); a derivative with respect to all node
// values accumulates on (y, m) and ends with one transposed O(n) solve, slopes_reverse [SP-6].
#pragma once

#include <array>
#include <span>
#include <vector>

#include "kinegrad/base/index.hpp"
#include "kinegrad/math/scalar.hpp"

namespace kinegrad {

enum class SplineType { kCubic, kMonotone, kPeriodic, kLinear };

/// The fixed part of a spline. x is strictly increasing and finite, with at least 2 knots; a
/// periodic spline has at least 3, its period is x.back() − x.front(), and the owner feeds the last
/// value from the same source as the first.
struct SplineKnots {
  SplineType type = SplineType::kCubic;
  std::vector<double> x;
};

/// d^k y/dx^k = w₀ y_i + w₁ y_{i+1} + w₂ m_i + w₃ m_{i+1}.
template <typename T>
struct SplineWeights {
  int interval = 0;
  std::array<T, 4> weight{};
};

/// The map from node values to slopes, and the local evaluation. Immutable; nothing allocates after
/// construction. Spans of values and slopes have size() entries and do not overlap.
class Spline {
 public:
  /// @throws InvalidArgument when the knots are too few, not finite or not strictly increasing.
  explicit Spline(SplineKnots knots);

  SplineType type() const { return knots_.type; }
  const SplineKnots& knots() const { return knots_; }
  int size() const { return static_cast<int>(knots_.x.size()); }

  /// m(y): [SP-2], [SP-3] or [SP-4]; zero for a linear spline, which reads none. T = double, Complex or Dual.
  template <Scalar T>
  void slopes(std::span<const T> values, std::span<T> slopes) const;

  /// Whether m(y) has a kink at these values: a monotone spline where neighbouring values are equal, or where the
  /// limit of an end slope is just met. No gradient exists there, at best partials along coordinates [SP-8].
  bool slopes_have_kink(std::span<const double> values) const;

  /// dm = (∂m/∂y) dy at the values and their slopes.
  void slopes_forward(std::span<const double> values, std::span<const double> slopes,
                      std::span<const double> d_values, std::span<double> d_slopes) const;

  /// ȳ += (∂m/∂y)ᵀ m̄ [SP-6]. `bar_slopes` is used as scratch: its contents are spent afterwards.
  void slopes_reverse(std::span<const double> values, std::span<const double> slopes,
                      std::span<double> bar_slopes, std::span<double> bar_values) const;

  /// d^order y/dx^order for order ≥ 0 (zero above 3). The interval goes by the real part of x; at a
  /// knot where the derivative jumps it is the one from the right, at the last knot from the left.
  template <Scalar T>
  T evaluate(T x, int order, std::span<const T> values, std::span<const T> slopes) const;

  /// The interval and the four weights of evaluate(), which is linear in values and slopes [SP-5].
  template <Scalar T>
  SplineWeights<T> weights(T x, int order) const;

 private:
  struct SlopePartials;

  int interval_of(double x) const;
  double width(int i) const { return knots_.x[index(i + 1)] - knots_.x[index(i)]; }
  void factorize();

  template <typename T>
  void linear_slopes(std::span<const T> values, std::span<T> slopes) const;
  template <typename T>
  void solve(std::span<T> right_side) const;
  template <typename T>
  void monotone_slopes(std::span<const T> values, std::span<T> slopes) const;
  void monotone_forward(std::span<const double> values, std::span<const double> d_values,
                        std::span<double> d_slopes) const;
  void monotone_reverse(std::span<const double> values, std::span<const double> bar_slopes,
                        std::span<double> bar_values) const;
  SlopePartials monotone_partials(std::span<const double> values, int i) const;

  SplineKnots knots_;
  std::vector<double> pivot_;       // D of the LDLᵀ factors of the slope matrix
  std::vector<double> multiplier_;  // L below the diagonal
  std::vector<double> corner_;      // T⁻¹u of the periodic closure [SP-3]
  double closure_ = 0;              // c/(1 + c uᵀT⁻¹u)
};

}  // namespace kinegrad

// Numbers with N derivatives, a + Σ b_k ε_k with ε_jε_k = 0: all partials of an element in one evaluation, for laws whose
// formulas are too long to differentiate by hand and too frequent for one dual number at a time.
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace kinegrad {

/// value and derivatives. Arithmetic applies the rules of differentiation and nothing else.
template <int N>
struct Jet {
  using Derivatives = Eigen::Array<double, N, 1>;
  double value = 0;
  Derivatives derivatives = Derivatives::Zero();

  Jet() = default;
  Jet(double v) : value(v) {}  // NOLINT: a number is a jet
  Jet(double v, const Derivatives& d) : value(v), derivatives(d) {}
  /// The variable number k.
  static Jet variable(double v, int k) {
    Jet out(v);
    out.derivatives(k) = 1;
    return out;
  }

  friend Jet operator+(const Jet& a, const Jet& b) {
    return {a.value + b.value, a.derivatives + b.derivatives};
  }
  friend Jet operator-(const Jet& a, const Jet& b) {
    return {a.value - b.value, a.derivatives - b.derivatives};
  }
  friend Jet operator*(const Jet& a, const Jet& b) {
    return {a.value * b.value, a.derivatives * b.value + b.derivatives * a.value};
  }
  friend Jet operator/(const Jet& a, const Jet& b) {
    const double inverse = 1 / b.value, quotient = a.value / b.value;
    return {quotient, (a.derivatives - b.derivatives * quotient) * inverse};
  }
  // numbers have no derivatives to multiply
  friend Jet operator+(const Jet& a, double b) { return {a.value + b, a.derivatives}; }
  friend Jet operator+(double a, const Jet& b) { return b + a; }
  friend Jet operator-(const Jet& a, double b) { return {a.value - b, a.derivatives}; }
  friend Jet operator-(double a, const Jet& b) { return {a - b.value, -b.derivatives}; }
  friend Jet operator*(const Jet& a, double b) { return {a.value * b, a.derivatives * b}; }
  friend Jet operator*(double a, const Jet& b) { return b * a; }
  friend Jet operator/(const Jet& a, double b) { return a * (1 / b); }
  friend Jet operator/(double a, const Jet& b) {
    const double quotient = a / b.value;
    return {quotient, b.derivatives * (-quotient / b.value)};
  }
  friend Jet operator-(const Jet& a) { return {-a.value, -a.derivatives}; }

  friend Jet sqrt(const Jet& a) {
    const double root = std::sqrt(a.value);
    return {root, a.derivatives * (0.5 / root)};
  }
  friend Jet atan(const Jet& a) {
    return {std::atan(a.value), a.derivatives * (1 / (1 + a.value * a.value))};
  }
  friend Jet exp(const Jet& a) {
    const double e = std::exp(a.value);
    return {e, a.derivatives * e};
  }
  friend Jet log(const Jet& a) { return {std::log(a.value), a.derivatives * (1 / a.value)}; }
  friend Jet tanh(const Jet& a) {
    const double t = std::tanh(a.value);
    return {t, a.derivatives * (1 - t * t)};
  }
  friend double real_part(const Jet& a) { return a.value; }
};

}  // namespace kinegrad

namespace Eigen {
template <int N>
struct NumTraits<kinegrad::Jet<N>> : NumTraits<double> {
  using Real = kinegrad::Jet<N>;
  using NonInteger = kinegrad::Jet<N>;
  using Nested = kinegrad::Jet<N>;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = N,
    AddCost = N,
    MulCost = 2 * N
  };
};
}  // namespace Eigen

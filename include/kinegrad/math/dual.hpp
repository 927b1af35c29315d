// Dual numbers a + b ε with ε² = 0: one exact directional derivative, the first oracle of the
// derivative ladder. Not for the run itself, whose derivatives are hand-derived.
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace kinegrad {

/// value + derivative ε. Arithmetic applies the rules of differentiation and nothing else.
struct Dual {
  double value = 0;
  double derivative = 0;

  constexpr Dual() = default;
  constexpr Dual(double v) : value(v) {}  // NOLINT: a number is a dual number
  constexpr Dual(double v, double d) : value(v), derivative(d) {}

  Dual& operator+=(const Dual& b) { return *this = {value + b.value, derivative + b.derivative}; }
  Dual& operator-=(const Dual& b) { return *this = {value - b.value, derivative - b.derivative}; }
  Dual& operator*=(const Dual& b) {
    return *this = {value * b.value, derivative * b.value + value * b.derivative};
  }
  Dual& operator/=(const Dual& b) {
    const double quotient = value / b.value;
    return *this = {quotient, (derivative - quotient * b.derivative) / b.value};
  }
};

inline Dual operator+(Dual a, const Dual& b) { return a += b; }
inline Dual operator-(Dual a, const Dual& b) { return a -= b; }
inline Dual operator*(Dual a, const Dual& b) { return a *= b; }
inline Dual operator/(Dual a, const Dual& b) { return a /= b; }
inline Dual operator-(const Dual& a) { return {-a.value, -a.derivative}; }
inline Dual operator+(const Dual& a) { return a; }
inline bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
inline bool operator!=(const Dual& a, const Dual& b) { return a.value != b.value; }
inline bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
inline bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
inline bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
inline bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }

inline Dual sqrt(const Dual& a) {
  const double root = std::sqrt(a.value);
  return {root, a.derivative / (2 * root)};
}
inline Dual sin(const Dual& a) { return {std::sin(a.value), std::cos(a.value) * a.derivative}; }
inline Dual cos(const Dual& a) { return {std::cos(a.value), -std::sin(a.value) * a.derivative}; }
inline Dual tan(const Dual& a) {
  const double tangent = std::tan(a.value);
  return {tangent, (1 + tangent * tangent) * a.derivative};
}
inline Dual asin(const Dual& a) {
  return {std::asin(a.value), a.derivative / std::sqrt(1 - a.value * a.value)};
}
inline Dual acos(const Dual& a) {
  return {std::acos(a.value), -a.derivative / std::sqrt(1 - a.value * a.value)};
}
inline Dual atan(const Dual& a) {
  return {std::atan(a.value), a.derivative / (1 + a.value * a.value)};
}
inline Dual exp(const Dual& a) {
  const double e = std::exp(a.value);
  return {e, e * a.derivative};
}
inline Dual log(const Dual& a) { return {std::log(a.value), a.derivative / a.value}; }
inline Dual tanh(const Dual& a) {
  const double t = std::tanh(a.value);
  return {t, (1 - t * t) * a.derivative};
}

/// Plain-number versions of the accessors, so that code may be written once for every scalar.
inline double real_part(const Dual& a) { return a.value; }

}  // namespace kinegrad

namespace Eigen {
template <>
struct NumTraits<kinegrad::Dual> : NumTraits<double> {
  using Real = kinegrad::Dual;
  using NonInteger = kinegrad::Dual;
  using Nested = kinegrad::Dual;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 2,
    AddCost = 2,
    MulCost = 4
  };
};
}  // namespace Eigen

// What each operation does: its value for every scalar type [EX-2] and its partials [EX-3].
// Complex functions are the analytic continuation of the real function from the real axis, by the
// branch that the real part takes; where the real function is not defined they are NaN, too.
#pragma once

#include <cmath>
#include <limits>

#include "kinegrad/math/expression_graph.hpp"
#include "kinegrad/math/rotation.hpp"
#include "kinegrad/math/sized.hpp"

namespace kinegrad::op_rules {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kLn10 = 2.30258509299404568402;

/// xⁿ by repeated squaring: analytic everywhere, x ≤ 0 included.
template <typename T>
T pow_int(T x, int n) {
  T result(1);
  unsigned count = n < 0 ? 0u - static_cast<unsigned>(n) : static_cast<unsigned>(n);
  for (; count != 0; count >>= 1) {
    if (count & 1u) result = result * x;
    if (count > 1) x = x * x;
  }
  return n < 0 ? T(1) / result : result;
}

inline bool is_int(double x) {
  return x == std::floor(x) && std::abs(x) <= std::numeric_limits<int>::max();
}

/// ∂(a^b)/∂a = b a^(b−1).
inline double pow_base_partial(double a, double b) { return b == 0 ? 0 : b * std::pow(a, b - 1); }
/// ∂(a^b)/∂b = a^b log a, 0 at a = 0 with b > 0, NaN for a < 0.
inline double pow_exponent_partial(double a, double b) {
  return a == 0 && b > 0 ? 0 : std::pow(a, b) * std::log(a);
}

/// The functions that differ from std:: or have no overload there, per scalar type.
template <typename T>
struct Functions;

template <>
struct Functions<double> {
  static double sinh(double a) { return std::sinh(a); }
  static double cosh(double a) { return std::cosh(a); }
  static double log10(double a) { return std::log10(a); }
  static double log(double a) { return std::log(a); }
  static double sqrt(double a) { return std::sqrt(a); }
  static double asin(double a) { return std::asin(a); }
  static double acos(double a) { return std::acos(a); }
  static double pow(double a, double b) { return std::pow(a, b); }
  static double atan2(double a, double b) { return std::atan2(a, b); }
};

template <>
struct Functions<Complex> {
  static Complex within(bool defined, const Complex& value) {
    return defined ? value : Complex(kNaN, kNaN);
  }
  static Complex sinh(const Complex& a) { return std::sinh(a); }
  static Complex cosh(const Complex& a) { return std::cosh(a); }
  static Complex log10(const Complex& a) { return log(a) / kLn10; }
  static Complex log(const Complex& a) { return within(a.real() >= 0, std::log(a)); }
  static Complex sqrt(const Complex& a) { return within(a.real() >= 0, std::sqrt(a)); }
  static Complex asin(const Complex& a) {
    return within(a.real() >= -1 && a.real() <= 1, std::asin(a));
  }
  static Complex acos(const Complex& a) {
    return within(a.real() >= -1 && a.real() <= 1, std::acos(a));
  }
  static Complex pow(const Complex& a, const Complex& b) {
    if (b.imag() == 0 && is_int(b.real())) return pow_int(a, static_cast<int>(b.real()));
    if (a == Complex(0)) return std::pow(a.real(), b.real());
    return within(a.real() >= 0, std::exp(b * std::log(a)));
  }
  static Complex atan2(const Complex& a, const Complex& b) { return angle_of(b, a); }
};

template <>
struct Functions<Dual> {
  static Dual sinh(const Dual& a) {
    return {std::sinh(a.value), std::cosh(a.value) * a.derivative};
  }
  static Dual cosh(const Dual& a) {
    return {std::cosh(a.value), std::sinh(a.value) * a.derivative};
  }
  static Dual log10(const Dual& a) {
    return {std::log10(a.value), a.derivative / (a.value * kLn10)};
  }
  static Dual log(const Dual& a) { return kinegrad::log(a); }
  static Dual sqrt(const Dual& a) { return kinegrad::sqrt(a); }
  static Dual asin(const Dual& a) { return kinegrad::asin(a); }
  static Dual acos(const Dual& a) { return kinegrad::acos(a); }
  static Dual pow(const Dual& a, const Dual& b) {
    double d = 0;
    if (a.derivative != 0) d += pow_base_partial(a.value, b.value) * a.derivative;
    if (b.derivative != 0) d += pow_exponent_partial(a.value, b.value) * b.derivative;
    return {std::pow(a.value, b.value), d};
  }
  static Dual atan2(const Dual& a, const Dual& b) {
    const double square = a.value * a.value + b.value * b.value;
    return {std::atan2(a.value, b.value),
            (b.value * a.derivative - a.value * b.derivative) / square};
  }
};

/// Sizes of terms: the slopes are those of [EX-3].
template <>
struct Functions<Sized> {
  static Sized sinh(const Sized& a) { return Sized::of(a, std::sinh(a.value), std::cosh(a.value)); }
  static Sized cosh(const Sized& a) { return Sized::of(a, std::cosh(a.value), std::sinh(a.value)); }
  static Sized log10(const Sized& a) {
    return Sized::of(a, std::log10(a.value), 1 / (a.value * kLn10));
  }
  static Sized log(const Sized& a) { return Sized::of(a, std::log(a.value), 1 / a.value); }
  static Sized sqrt(const Sized& a) {
    const double root = std::sqrt(a.value);
    return Sized::of(a, root, 0.5 / root);
  }
  static Sized asin(const Sized& a) {
    return Sized::of(a, std::asin(a.value), 1 / std::sqrt((1 - a.value) * (1 + a.value)));
  }
  static Sized acos(const Sized& a) {
    return Sized::of(a, std::acos(a.value), 1 / std::sqrt((1 - a.value) * (1 + a.value)));
  }
  static Sized pow(const Sized& a, const Sized& b) {
    const Sized base = Sized::of(a, 0, pow_base_partial(a.value, b.value));
    const Sized exponent = Sized::of(b, 0, pow_exponent_partial(a.value, b.value));
    return {std::pow(a.value, b.value), base.size + exponent.size};
  }
  static Sized atan2(const Sized& a, const Sized& b) {
    const double square = a.value * a.value + b.value * b.value;
    return {std::atan2(a.value, b.value),
            (std::abs(b.value) * a.size + std::abs(a.value) * b.size) / square};
  }
};

/// min and max take the first operand at a tie, and NaN from either side.
template <typename T>
bool takes_first(Op op, const T& a, const T& b) {
  const double x = real_part(a), y = real_part(b);
  return std::isnan(x) || (op == Op::kMin ? x <= y : x >= y);
}

/// The value of a unary operation [EX-2].
template <typename T>
T unary_value(Op op, const T& a) {
  using std::atan;
  using std::cos;
  using std::exp;
  using std::sin;
  using std::tan;
  using std::tanh;
  using F = Functions<T>;
  switch (op) {
    case Op::kNeg: return -a;
    case Op::kSin: return sin(a);
    case Op::kCos: return cos(a);
    case Op::kTan: return tan(a);
    case Op::kAsin: return F::asin(a);
    case Op::kAcos: return F::acos(a);
    case Op::kAtan: return atan(a);
    case Op::kSinh: return F::sinh(a);
    case Op::kCosh: return F::cosh(a);
    case Op::kTanh: return tanh(a);
    case Op::kExp: return exp(a);
    case Op::kLog: return F::log(a);
    case Op::kLog10: return F::log10(a);
    case Op::kSqrt: return F::sqrt(a);
    case Op::kAbs: return real_part(a) >= 0 ? a : -a;
    case Op::kSign: {
      const double x = real_part(a);
      return T(x > 0 ? 1.0 : (x < 0 ? -1.0 : (x == 0 ? 0.0 : kNaN)));
    }
    default: return T(kNaN);
  }
}

/// The value of a binary operation [EX-2].
template <typename T>
T binary_value(Op op, const T& a, const T& b) {
  switch (op) {
    case Op::kAdd: return a + b;
    case Op::kSub: return a - b;
    case Op::kMul: return a * b;
    case Op::kDiv: return a / b;
    case Op::kPow: return Functions<T>::pow(a, b);
    case Op::kAtan2: return Functions<T>::atan2(a, b);
    case Op::kMin:
    case Op::kMax: return takes_first(op, a, b) ? a : b;
    default: return T(kNaN);
  }
}

/// b where a ≥ 0, else c.
template <typename T>
T select_value(const T& a, const T& b, const T& c) {
  if (std::isnan(real_part(a))) return T(kNaN);
  return real_part(a) >= 0 ? b : c;
}

/// ∂f/∂a of a unary operation, f its value at a [EX-3].
inline double unary_partial(Op op, double a, double f) {
  switch (op) {
    case Op::kNeg: return -1;
    case Op::kSin: return std::cos(a);
    case Op::kCos: return -std::sin(a);
    case Op::kTan: return 1 + f * f;
    case Op::kAsin: return 1 / std::sqrt((1 - a) * (1 + a));
    case Op::kAcos: return -1 / std::sqrt((1 - a) * (1 + a));
    case Op::kAtan: return 1 / (1 + a * a);
    case Op::kSinh: return std::cosh(a);
    case Op::kCosh: return std::sinh(a);
    case Op::kTanh: {
      const double c = std::cosh(a);  // 1/cosh² keeps its digits where 1 − f² cancels
      return 1 / (c * c);
    }
    case Op::kExp: return f;
    case Op::kLog: return 1 / a;
    case Op::kLog10: return 1 / (a * kLn10);
    case Op::kSqrt: return 0.5 / f;
    case Op::kAbs: return a >= 0 ? 1 : -1;
    case Op::kSign: return 0;
    default: return kNaN;
  }
}

struct BinaryPartials {
  double a, b;
};

/// ∂f/∂a and ∂f/∂b of a binary operation, f its value at (a, b) [EX-3].
inline BinaryPartials binary_partials(Op op, double a, double b, double f) {
  switch (op) {
    case Op::kAdd: return {1, 1};
    case Op::kSub: return {1, -1};
    case Op::kMul: return {b, a};
    case Op::kDiv: return {1 / b, -f / b};
    case Op::kPow: return {pow_base_partial(a, b), pow_exponent_partial(a, b)};
    case Op::kAtan2: {
      const double square = a * a + b * b;
      return {b / square, -a / square};
    }
    case Op::kMin:
    case Op::kMax: {
      const bool first = takes_first(op, a, b);
      return {first ? 1.0 : 0.0, first ? 0.0 : 1.0};
    }
    default: return {kNaN, kNaN};
  }
}

/// n xⁿ⁻¹; n − 1 does not overflow because |n| ≤ INT_MAX (is_int).
inline double pow_int_partial(double x, int n) { return n * pow_int(x, n - 1); }

}  // namespace kinegrad::op_rules

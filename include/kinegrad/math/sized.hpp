// Numbers that carry the size of the terms of a derivative: x with s = Σ|Π ∂f| over all paths from the one
// variable that has s = 1 to x. Dual numbers with every sum of derivatives taken by absolute values, so that
// nothing cancels                                                                             [EX-8]
//
//   a ± b: s_a + s_b      a b: |a| s_b + |b| s_a      a/b: (s_a + |a/b| s_b)/|b|      f(a): |f'(a)| s_a
#pragma once

#include <cmath>

namespace kinegrad {

struct Sized {
  double value = 0;
  double size = 0;

  constexpr Sized() = default;
  constexpr Sized(double v) : value(v) {}  // NOLINT: a number is a constant
  constexpr Sized(double v, double s) : value(v), size(s) {}

  /// f(a) with its value and f'(a); what does not move has no size, whatever the slope.
  static Sized of(const Sized& a, double f, double slope) {
    return {f, a.size == 0 ? 0 : std::abs(slope) * a.size};
  }
};

inline Sized operator+(const Sized& a, const Sized& b) {
  return {a.value + b.value, a.size + b.size};
}
inline Sized operator-(const Sized& a, const Sized& b) {
  return {a.value - b.value, a.size + b.size};
}
inline Sized operator-(const Sized& a) { return {-a.value, a.size}; }
inline Sized operator*(const Sized& a, const Sized& b) {
  return {a.value * b.value, std::abs(a.value) * b.size + std::abs(b.value) * a.size};
}
inline Sized operator/(const Sized& a, const Sized& b) {
  const double q = a.value / b.value;
  return {q, (a.size + std::abs(q) * b.size) / std::abs(b.value)};
}
inline Sized& operator+=(Sized& a, const Sized& b) { return a = a + b; }

inline Sized sin(const Sized& a) { return Sized::of(a, std::sin(a.value), std::cos(a.value)); }
inline Sized cos(const Sized& a) { return Sized::of(a, std::cos(a.value), std::sin(a.value)); }
inline Sized tan(const Sized& a) {
  const double t = std::tan(a.value);
  return Sized::of(a, t, 1 + t * t);
}
inline Sized atan(const Sized& a) {
  return Sized::of(a, std::atan(a.value), 1 / (1 + a.value * a.value));
}
inline Sized exp(const Sized& a) { return Sized::of(a, std::exp(a.value), std::exp(a.value)); }
inline Sized tanh(const Sized& a) {
  const double c = std::cosh(a.value);
  return Sized::of(a, std::tanh(a.value), 1 / (c * c));
}

inline double real_part(const Sized& a) { return a.value; }

}  // namespace kinegrad

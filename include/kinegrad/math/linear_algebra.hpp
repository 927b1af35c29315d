// Vector algebra that is analytic in its entries: no conjugation, no absolute value, so that the
// complex step sees true derivatives. Eigen's dot, cross, norm, normalized, llt and ldlt are not
// (they conjugate) and are forbidden in scalar-templated code by tools/check_holomorphic.py.
#pragma once

#include "kinegrad/math/scalar.hpp"

namespace kinegrad::la {

/// aᵀb, without conjugation.
template <typename A, typename B>
typename A::Scalar dot(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  return a.cwiseProduct(b).sum();
}

/// a × b.
template <typename A, typename B>
Vec3T<typename A::Scalar> cross(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  return {a(1) * b(2) - a(2) * b(1), a(2) * b(0) - a(0) * b(2), a(0) * b(1) - a(1) * b(0)};
}

/// aᵀa.
template <typename A>
typename A::Scalar squared_norm(const Eigen::MatrixBase<A>& a) {
  return dot(a, a);
}

/// √(aᵀa), the branch with positive real part.
template <typename A>
typename A::Scalar norm(const Eigen::MatrixBase<A>& a) {
  using std::sqrt;
  return sqrt(squared_norm(a));
}

/// a/√(aᵀa).
template <typename A>
auto normalized(const Eigen::MatrixBase<A>& a) {
  using T = typename A::Scalar;
  return (a * (T(1) / norm(a))).eval();
}

/// ã, with ã b = a × b.
template <typename A>
Mat3T<typename A::Scalar> skew(const Eigen::MatrixBase<A>& a) {
  using T = typename A::Scalar;
  Mat3T<T> m;
  m << T(0), -a(2), a(1), a(2), T(0), -a(0), -a(1), a(0), T(0);
  return m;
}

/// The vector of the skew part: unskew(skew(a)) = a.
template <typename M>
Vec3T<typename M::Scalar> unskew(const Eigen::MatrixBase<M>& m) {
  using T = typename M::Scalar;
  return {(m(2, 1) - m(1, 2)) * T(0.5), (m(0, 2) - m(2, 0)) * T(0.5), (m(1, 0) - m(0, 1)) * T(0.5)};
}

/// Unit vector along axis k.
template <typename T>
Vec3T<T> unit(int k) {
  Vec3T<T> e(T(0), T(0), T(0));
  e(k) = T(1);
  return e;
}

}  // namespace kinegrad::la

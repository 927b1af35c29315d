// The products of world vectors that rows are made of [C-1], and their slopes.
#pragma once

#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/model/constraint_model.hpp"

namespace kinegrad {

/// A⊙B.
template <typename T>
[[gnu::always_inline]] inline T product(ConstraintTerm::Product kind, int k, const Vec3T<T>& A,
                                        const Vec3T<T>& B) {
  switch (kind) {
    case ConstraintTerm::Product::kComponent: return A(k);
    case ConstraintTerm::Product::kDot: return la::dot(A, B);
    case ConstraintTerm::Product::kCross: break;
  }
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  return A(i) * B(j) - A(j) * B(i);
}

/// The vector x with x·d = d⊙B.
inline Vec3 before(ConstraintTerm::Product kind, int k, const Vec3& B) {
  switch (kind) {
    case ConstraintTerm::Product::kComponent: return Vec3::Unit(k);
    case ConstraintTerm::Product::kDot: return B;
    case ConstraintTerm::Product::kCross: break;
  }
  return la::cross(B, Vec3::Unit(k));
}

/// The vector x with x·d = A⊙d.
inline Vec3 after(ConstraintTerm::Product kind, int k, const Vec3& A) {
  return kind == ConstraintTerm::Product::kDot ? A : Vec3(la::cross(Vec3::Unit(k), A));
}

}  // namespace kinegrad

// The two factors of a product A⊙B of world vectors, as what multiplies a change of the other.
#pragma once

#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/model/constraint_model.hpp"

namespace kinegrad {

/// The vector x with x·d = d⊙B, and with x·d = A⊙d.
inline Vec3 before(ConstraintTerm::Product kind, int k, const Vec3& B) {
  using Product = ConstraintTerm::Product;
  switch (kind) {
    case Product::kComponent: return Vec3::Unit(k);
    case Product::kDot: return B;
    case Product::kCross: break;
  }
  return la::cross(B, Vec3::Unit(k));
}
inline Vec3 after(ConstraintTerm::Product kind, int k, const Vec3& A) {
  return kind == ConstraintTerm::Product::kDot ? A : la::cross(Vec3::Unit(k), A);
}

}  // namespace kinegrad

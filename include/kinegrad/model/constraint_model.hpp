// Constraints as the model holds them: rows of scalar equations (docs/theory/constraints.md).
//
// A row is a sum of products of world vectors and of one expression:
//
//   Φ = Σ s A⊙B + E(t, q, points; p)                                                          [C-1]
//
// A and B are directions fixed on bodies or differences of points, ⊙ is a dot product, a component
// of a cross product, or a component of A alone. The products carry loop closures and most of the
// geometric constraints; they are bilinear, so their time derivatives and partials are products
// again. The expression carries prescribed motions and everything else; its time derivatives are
// formed symbolically when the model is compiled. Rows that exist for speeds only (nonholonomic)
// have no Φ, and stand for Φ̇.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kinegrad/base/diagnostic.hpp"

namespace kinegrad {

/// A direction, a point, or the difference of two points: vectors()[plus] − vectors()[minus].
struct WorldVector {
  int plus = -1;
  int minus = -1;  ///< -1: none
};

/// One product of [C-1].
struct ConstraintTerm {
  enum class Product {
    kComponent,  ///< A_k
    kDot,        ///< A·B
    kCross,      ///< (A×B)_k
  };
  Product product = Product::kDot;
  WorldVector A, B;
  int axis = 0;       ///< k
  double factor = 1;  ///< s
};

/// ∂E/∂x of one coordinate or component of a vector (of its rate, in a nonholonomic row), as an
/// output of constraint_tape().
struct ConstraintSlope {
  bool coordinate = false;  ///< a joint coordinate; else a component of a vector
  int element = 0;          ///< joint, or index into vectors()
  int component = 0;
  int output = 0;
};

/// The expression of a row: outputs of constraint_tape() for E, Ė, Ë (-1: E of a nonholonomic row).
struct ConstraintExpression {
  std::array<int, 3> value{-1, -1, -1};
  std::vector<ConstraintSlope> slopes;
};

struct ConstraintRow {
  int constraint = 0;                 ///< index into constraints()
  bool holonomic = true;              ///< else the row exists for speeds only
  std::vector<ConstraintTerm> terms;  ///< holonomic rows only
  int expression = -1;                ///< index into constraint_expressions(), -1: none
  int rigid = -1;  ///< index into natural().rows: not a row of the tree but of natural coordinates
};

/// A constraint of the file, or the closure of a cut joint.
struct Constraint {
  std::string name;
  std::string type;
  int joint = -1;  ///< the cut joint it closes, -1: none
  SourceLocation where;
};

}  // namespace kinegrad

// A scalar whose arithmetic writes expressions: geometry code that is templated on the scalar
// (rotations, frames, Euler parameters) run on Symbol leaves the graph of its result.
//
// A Symbol also carries its value at the graph's reference inputs, and real_part() returns it.
// Code that branches on real_part() thereby fixes its branch at the reference point, exactly as the
// complex step does; away from the reference the expression continues that branch. There are no
// comparisons of Symbols. A Symbol made from a plain number needs no graph.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "kinegrad/math/expression_graph.hpp"

namespace kinegrad {

class Symbol {
 public:
  Symbol() = default;
  Symbol(double value) : value_(value) {}  // NOLINT: a number is a constant expression
  /// The node, with its value at the graph's reference inputs.
  Symbol(ExpressionGraph& graph, NodeId node)
      : graph_(&graph), node_(node), value_(graph.reference_value(node)) {}
  /// The node, with the value given.
  Symbol(ExpressionGraph& graph, NodeId node, double value)
      : graph_(&graph), node_(node), value_(value) {}

  /// The node in `graph`; a plain number becomes a constant of it.
  NodeId node(ExpressionGraph& graph) const;
  /// At the reference inputs.
  double value() const { return value_; }
  /// The number is known for all inputs.
  bool is_constant() const { return graph_ == nullptr || graph_->is_constant(node_); }

  Symbol& operator+=(const Symbol& b) { return *this = binary(Op::kAdd, *this, b); }
  Symbol& operator-=(const Symbol& b) { return *this = binary(Op::kSub, *this, b); }
  Symbol& operator*=(const Symbol& b) { return *this = binary(Op::kMul, *this, b); }
  Symbol& operator/=(const Symbol& b) { return *this = binary(Op::kDiv, *this, b); }

  static Symbol unary(Op op, const Symbol& a);
  static Symbol binary(Op op, const Symbol& a, const Symbol& b);

 private:
  ExpressionGraph* graph_ = nullptr;
  NodeId node_ = -1;
  double value_ = 0;
};

inline Symbol operator+(const Symbol& a, const Symbol& b) { return Symbol::binary(Op::kAdd, a, b); }
inline Symbol operator-(const Symbol& a, const Symbol& b) { return Symbol::binary(Op::kSub, a, b); }
inline Symbol operator*(const Symbol& a, const Symbol& b) { return Symbol::binary(Op::kMul, a, b); }
inline Symbol operator/(const Symbol& a, const Symbol& b) { return Symbol::binary(Op::kDiv, a, b); }
inline Symbol operator-(const Symbol& a) { return Symbol::unary(Op::kNeg, a); }
inline Symbol operator+(const Symbol& a) { return a; }

inline Symbol sqrt(const Symbol& a) { return Symbol::unary(Op::kSqrt, a); }
inline Symbol sin(const Symbol& a) { return Symbol::unary(Op::kSin, a); }
inline Symbol cos(const Symbol& a) { return Symbol::unary(Op::kCos, a); }
inline Symbol tan(const Symbol& a) { return Symbol::unary(Op::kTan, a); }
inline Symbol asin(const Symbol& a) { return Symbol::unary(Op::kAsin, a); }
inline Symbol acos(const Symbol& a) { return Symbol::unary(Op::kAcos, a); }
inline Symbol atan(const Symbol& a) { return Symbol::unary(Op::kAtan, a); }
inline Symbol exp(const Symbol& a) { return Symbol::unary(Op::kExp, a); }
inline Symbol log(const Symbol& a) { return Symbol::unary(Op::kLog, a); }
inline Symbol tanh(const Symbol& a) { return Symbol::unary(Op::kTanh, a); }
inline Symbol pow(const Symbol& a, const Symbol& b) { return Symbol::binary(Op::kPow, a, b); }

/// The value at the reference point, for choosing branches only.
inline double real_part(const Symbol& a) { return a.value(); }

}  // namespace kinegrad

namespace Eigen {
template <>
struct NumTraits<kinegrad::Symbol> : GenericNumTraits<double> {
  using Real = kinegrad::Symbol;
  using NonInteger = kinegrad::Symbol;
  using Nested = kinegrad::Symbol;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 4,
    AddCost = 64,
    MulCost = 64
  };
};
}  // namespace Eigen

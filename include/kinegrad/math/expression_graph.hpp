// Scalar expressions as a directed acyclic graph (docs/theory/expressions.md, [EX]).
//
// A node is a constant, an input x_k, or an operation on earlier nodes, so node numbers are a
// topological order. Equal nodes are one node (hash-consing), operations on constants are folded,
// and these identities are applied as nodes are made [EX-1]:
//
//   x + 0 = x,  x − 0 = x,  0 − x = −x,  x − x = 0,  x·1 = x,  x·(−1) = −x,  x·0 = 0,
//   0/x = 0,  x/1 = x,  x^1 = x,  x^0 = 1,  −(−x) = x,  select(c, x, x) = x
//
// What an input means is the owner's affair: parameters, time, coordinates, node values of splines.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "kinegrad/math/spline.hpp"

namespace kinegrad {

using NodeId = std::int32_t;

/// The operations. Partial derivatives of each are in [EX-3]; where a function has a kink, the
/// derivative is the one of the branch that the value takes [EX-4].
enum class Op : std::uint8_t {
  kConstant,
  kInput,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kPow,     ///< a^b, b not a constant integer; NaN for a < 0 unless b is an integer
  kPowInt,  ///< a^n by repeated multiplication; made by binary(kPow, a, constant integer)
  kAtan2,   ///< atan2(a, b): the angle of the direction (b, a)
  kMin,     ///< a where a ≤ b
  kMax,     ///< a where a ≥ b
  kNeg,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kExp,
  kLog,
  kLog10,
  kSqrt,
  kAbs,     ///< a where a ≥ 0, else −a
  kSign,    ///< −1, 0 or 1; derivative 0
  kSelect,  ///< b where a ≥ 0, else c; no derivative with respect to a
  kSpline,  ///< derivative of some order of a registered spline at a
};

constexpr bool is_unary(Op op) { return op >= Op::kNeg && op <= Op::kSign; }
constexpr bool is_binary(Op op) { return op >= Op::kAdd && op <= Op::kMax && op != Op::kPowInt; }

/// Append-only graph of scalar expressions.
class ExpressionGraph {
 public:
  struct Node {
    Op op = Op::kConstant;
    std::int8_t order = 0;          ///< kSpline: order of differentiation
    NodeId a = -1, b = -1, c = -1;  ///< operands, −1 where there is none
    std::int32_t index = 0;         ///< kInput: which; kPowInt: exponent; kSpline: which
    double value = 0;               ///< kConstant
  };
  struct SplineEntry {
    Spline spline;
    int first_input = 0;
  };

  NodeId constant(double value);
  /// The index-th input, index ≥ 0.
  NodeId input(int index);
  NodeId unary(Op op, NodeId a);
  NodeId binary(Op op, NodeId a, NodeId b);
  /// `a` where condition ≥ 0, else `b`.
  NodeId select(NodeId condition, NodeId a, NodeId b);

  /// Registers a spline whose n node values are the inputs first_input … first_input + n − 1 and
  /// whose n slopes are the n inputs after them; the owner fills the slopes with Spline::slopes.
  int add_spline(SplineKnots knots, int first_input);
  /// The order-th derivative (0 to 3) of the spline at `argument`.
  NodeId spline(int spline, int order, NodeId argument);
  int spline_count() const { return static_cast<int>(splines_.size()); }
  const SplineEntry& spline_entry(int spline) const {
    return splines_[static_cast<std::size_t>(spline)];
  }

  int size() const { return static_cast<int>(nodes_.size()); }
  const Node& node(NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  bool is_constant(NodeId id) const { return node(id).op == Op::kConstant; }
  /// @pre is_constant(id)
  double constant_value(NodeId id) const { return node(id).value; }

  bool depends_on(NodeId id, int input_index) const;
  /// Every input the node depends on, sorted; all values and slopes of its splines count.
  std::vector<int> inputs_of(NodeId id) const;
  /// Every spline the node depends on, sorted.
  std::vector<int> splines_of(NodeId id) const;

  /// ∂node/∂x_k as new nodes [EX-5].
  /// @throws InvalidArgument if x_k is a node value or slope of a spline that the node uses: that
  /// derivative is formed by Tape, not symbolically.
  NodeId derivative(NodeId id, int input_index);

  /// The point at which branches of symbolic code are chosen (symbolic.hpp). NaN until set.
  void set_reference_input(int index, double value);
  void set_reference_inputs(std::span<const double> values);
  /// The node's value at the reference inputs.
  double reference_value(NodeId id) const { return values_[static_cast<std::size_t>(id)]; }

 private:
  struct NodeHash {
    std::size_t operator()(const Node& node) const;
  };
  struct NodeEqual {
    bool operator()(const Node& a, const Node& b) const;
  };

  NodeId append(const Node& node);
  NodeId power(NodeId a, NodeId b);
  NodeId simplified(Op op, NodeId a, NodeId b);
  bool is_value(NodeId id, double value) const;
  double value_of(const Node& node) const;
  void revalue_from(NodeId first);
  std::vector<NodeId> reachable(NodeId id) const;
  NodeId derivative_rule(NodeId id, const std::vector<NodeId>& d);
  NodeId unary_rule(NodeId id, NodeId da);
  NodeId binary_rule(NodeId id, NodeId da, NodeId db);

  std::vector<Node> nodes_;
  std::vector<double> values_;  // at the reference inputs, one per node
  std::vector<double> reference_;
  std::vector<SplineEntry> splines_;
  std::vector<NodeId> derivatives_;  // scratch of derivative(), one per node
  std::unordered_map<Node, NodeId, NodeHash, NodeEqual> ids_;
};

}  // namespace kinegrad

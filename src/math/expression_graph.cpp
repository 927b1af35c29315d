#include "kinegrad/math/expression_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "kinegrad/base/error.hpp"
#include "op_rules.hpp"

namespace kinegrad {

using op_rules::kNaN;

std::size_t ExpressionGraph::NodeHash::operator()(const Node& node) const {
  std::uint64_t hash =
      static_cast<std::uint64_t>(node.op) * 8 + static_cast<std::uint8_t>(node.order);
  const auto mix = [&hash](std::uint64_t word) {  // multiply–xorshift: spreads consecutive numbers
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  };
  mix(static_cast<std::uint32_t>(node.a) | std::uint64_t{static_cast<std::uint32_t>(node.b)} << 32);
  mix(static_cast<std::uint32_t>(node.c) | std::uint64_t{static_cast<std::uint32_t>(node.index)}
                                               << 32);
  mix(std::bit_cast<std::uint64_t>(node.value));
  return static_cast<std::size_t>(hash);
}

bool ExpressionGraph::NodeEqual::operator()(const Node& x, const Node& y) const {
  return x.op == y.op && x.order == y.order && x.a == y.a && x.b == y.b && x.c == y.c &&
         x.index == y.index &&
         std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
}

// ---- making nodes ------------------------------------------------------------------------------

NodeId ExpressionGraph::append(const Node& node) {
  const auto [place, is_new] = ids_.try_emplace(node, size());
  if (is_new) {
    nodes_.push_back(node);
    values_.push_back(value_of(node));
  }
  return place->second;
}

NodeId ExpressionGraph::constant(double value) {
  Node node;
  node.value = value;
  return append(node);
}

NodeId ExpressionGraph::input(int index) {
  KINEGRAD_DEMAND(index >= 0);
  Node node;
  node.op = Op::kInput;
  node.index = index;
  return append(node);
}

NodeId ExpressionGraph::unary(Op op, NodeId a) {
  KINEGRAD_DEMAND(is_unary(op));
  if (is_constant(a)) return constant(op_rules::unary_value(op, constant_value(a)));
  if (op == Op::kNeg && node(a).op == Op::kNeg) return node(a).a;
  Node result;
  result.op = op;
  result.a = a;
  return append(result);
}

NodeId ExpressionGraph::binary(Op op, NodeId a, NodeId b) {
  KINEGRAD_DEMAND(is_binary(op));
  if (op == Op::kPow) return power(a, b);
  if (is_constant(a) && is_constant(b)) {
    return constant(op_rules::binary_value(op, constant_value(a), constant_value(b)));
  }
  const NodeId simple = simplified(op, a, b);
  if (simple >= 0) return simple;
  Node result;
  result.op = op;
  result.a = a;
  result.b = b;
  const bool commutes = op == Op::kAdd || op == Op::kMul;  // exactly, in floating point, too
  if (commutes && a > b) std::swap(result.a, result.b);
  return append(result);
}

/// Constant integer exponents become kPowInt.
NodeId ExpressionGraph::power(NodeId a, NodeId b) {
  Node result;
  result.a = a;
  if (is_constant(b) && op_rules::is_int(constant_value(b))) {
    const int n = static_cast<int>(constant_value(b));
    if (is_constant(a)) return constant(op_rules::pow_int(constant_value(a), n));
    if (n == 0) return constant(1);
    if (n == 1) return a;
    result.op = Op::kPowInt;
    result.index = n;
    return append(result);
  }
  if (is_constant(a) && is_constant(b)) {
    return constant(std::pow(constant_value(a), constant_value(b)));
  }
  result.op = Op::kPow;
  result.b = b;
  return append(result);
}

bool ExpressionGraph::is_value(NodeId id, double value) const {
  return is_constant(id) && constant_value(id) == value;
}

/// The identities [EX-1] of binary operations, or −1 when none applies.
NodeId ExpressionGraph::simplified(Op op, NodeId a, NodeId b) {
  switch (op) {
    case Op::kAdd:
      if (is_value(a, 0)) return b;
      return is_value(b, 0) ? a : -1;
    case Op::kSub:
      if (a == b) return constant(0);
      if (is_value(a, 0)) return unary(Op::kNeg, b);
      return is_value(b, 0) ? a : -1;
    case Op::kMul:
      if (is_value(a, 0) || is_value(b, 0)) return constant(0);
      if (is_value(a, 1)) return b;
      if (is_value(b, 1)) return a;
      if (is_value(a, -1)) return unary(Op::kNeg, b);
      return is_value(b, -1) ? unary(Op::kNeg, a) : -1;
    case Op::kDiv:
      if (is_value(a, 0)) return constant(0);
      return is_value(b, 1) ? a : -1;
    default: return -1;
  }
}

NodeId ExpressionGraph::select(NodeId condition, NodeId a, NodeId b) {
  if (a == b) return a;
  if (is_constant(condition) && !std::isnan(constant_value(condition))) {
    return constant_value(condition) >= 0 ? a : b;
  }
  Node result;
  result.op = Op::kSelect;
  result.a = condition;
  result.b = a;
  result.c = b;
  return append(result);
}

int ExpressionGraph::add_spline(SplineKnots knots, int first_input) {
  KINEGRAD_DEMAND(first_input >= 0);
  splines_.push_back({Spline(std::move(knots)), first_input});
  return spline_count() - 1;
}

NodeId ExpressionGraph::spline(int spline, int order, NodeId argument) {
  KINEGRAD_DEMAND(spline >= 0 && spline < spline_count() && order >= 0);
  if (order > 3) return constant(0);
  Node result;
  result.op = Op::kSpline;
  result.order = static_cast<std::int8_t>(order);
  result.a = argument;
  result.index = spline;
  return append(result);
}

// ---- values at the reference point ---------------------------------------------------------------

double ExpressionGraph::value_of(const Node& node) const {
  const auto at = [this](NodeId id) { return reference_value(id); };
  const auto input_at = [this](int index) {
    const std::size_t i = static_cast<std::size_t>(index);
    return i < reference_.size() ? reference_[i] : kNaN;
  };
  switch (node.op) {
    case Op::kConstant: return node.value;
    case Op::kInput: return input_at(node.index);
    case Op::kPowInt: return op_rules::pow_int(at(node.a), node.index);
    case Op::kSelect: return op_rules::select_value(at(node.a), at(node.b), at(node.c));
    case Op::kSpline: {
      const SplineEntry& entry = spline_entry(node.index);
      const auto w = entry.spline.weights(at(node.a), node.order);
      const int y = entry.first_input + w.interval, m = y + entry.spline.size();
      return w.weight[0] * input_at(y) + w.weight[1] * input_at(y + 1) + w.weight[2] * input_at(m) +
             w.weight[3] * input_at(m + 1);
    }
    default:
      return is_unary(node.op) ? op_rules::unary_value(node.op, at(node.a))
                               : op_rules::binary_value(node.op, at(node.a), at(node.b));
  }
}

void ExpressionGraph::revalue_from(NodeId first) {
  for (NodeId id = first; id < size(); ++id) {
    values_[static_cast<std::size_t>(id)] = value_of(node(id));
  }
}

void ExpressionGraph::set_reference_input(int index, double value) {
  KINEGRAD_DEMAND(index >= 0);
  const std::size_t i = static_cast<std::size_t>(index);
  if (i >= reference_.size()) reference_.resize(i + 1, kNaN);
  reference_[i] = value;
  const auto uses = [index, this](const Node& n) {
    if (n.op == Op::kInput) return n.index == index;
    if (n.op != Op::kSpline) return false;
    const int offset = index - spline_entry(n.index).first_input;
    return offset >= 0 && offset < 2 * spline_entry(n.index).spline.size();
  };
  Node input_node;
  input_node.op = Op::kInput;
  input_node.index = index;
  const auto known = ids_.find(input_node);
  if (splines_.empty()) {  // the common case: nothing can depend on an input that has no node
    if (known != ids_.end()) revalue_from(known->second);
    return;
  }
  const auto first = std::find_if(nodes_.begin(), nodes_.end(), uses);
  revalue_from(static_cast<NodeId>(first - nodes_.begin()));
}

void ExpressionGraph::set_reference_inputs(std::span<const double> values) {
  reference_.assign(values.begin(), values.end());
  revalue_from(0);
}

// ---- dependence ----------------------------------------------------------------------------------

/// The node and everything below it, ascending.
std::vector<NodeId> ExpressionGraph::reachable(NodeId id) const {
  std::vector<bool> seen(static_cast<std::size_t>(id) + 1, false);
  std::vector<NodeId> found{id};
  seen[static_cast<std::size_t>(id)] = true;
  for (std::size_t next = 0; next < found.size(); ++next) {
    const Node at = node(found[next]);
    for (const NodeId operand : {at.a, at.b, at.c}) {
      if (operand < 0 || seen[static_cast<std::size_t>(operand)]) continue;
      seen[static_cast<std::size_t>(operand)] = true;
      found.push_back(operand);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<int> ExpressionGraph::inputs_of(NodeId id) const {
  std::vector<int> inputs;
  std::vector<bool> spline_seen(splines_.size(), false);
  for (const NodeId below : reachable(id)) {
    const Node& at = node(below);
    if (at.op == Op::kInput) inputs.push_back(at.index);
    if (at.op != Op::kSpline || spline_seen[static_cast<std::size_t>(at.index)]) continue;
    spline_seen[static_cast<std::size_t>(at.index)] = true;
    const SplineEntry& entry = spline_entry(at.index);
    for (int k = 0; k < 2 * entry.spline.size(); ++k) inputs.push_back(entry.first_input + k);
  }
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  return inputs;
}

std::vector<int> ExpressionGraph::splines_of(NodeId id) const {
  std::vector<int> splines;
  for (const NodeId below : reachable(id)) {
    if (node(below).op == Op::kSpline) splines.push_back(node(below).index);
  }
  std::sort(splines.begin(), splines.end());
  splines.erase(std::unique(splines.begin(), splines.end()), splines.end());
  return splines;
}

bool ExpressionGraph::depends_on(NodeId id, int input_index) const {
  const std::vector<int> inputs = inputs_of(id);
  return std::binary_search(inputs.begin(), inputs.end(), input_index);
}

// ---- symbolic derivative [EX-5] --------------------------------------------------------------------

NodeId ExpressionGraph::derivative(NodeId id, int input_index) {
  const std::vector<NodeId> below = reachable(id);
  // entries of other nodes are left from earlier calls; a rule reads only operands, set before
  std::vector<NodeId>& d = derivatives_;
  if (d.size() <= static_cast<std::size_t>(id)) d.resize(static_cast<std::size_t>(id) + 1, -1);
  for (const NodeId k : below) {
    const Node at = node(k);
    if (at.op == Op::kInput) {
      d[static_cast<std::size_t>(k)] = constant(at.index == input_index ? 1 : 0);
      continue;
    }
    if (at.op == Op::kSpline) {
      const SplineEntry& entry = spline_entry(at.index);
      const int offset = input_index - entry.first_input;
      if (offset >= 0 && offset < 2 * entry.spline.size()) {
        throw InvalidArgument(fmt::format(
            "input {} is a node value or slope of a spline: its derivative is not formed "
            "symbolically",
            input_index));
      }
    }
    d[static_cast<std::size_t>(k)] = derivative_rule(k, d);
  }
  return d[static_cast<std::size_t>(id)];
}

NodeId ExpressionGraph::derivative_rule(NodeId id, const std::vector<NodeId>& d) {
  const Node at = node(id);
  const auto of = [&d](NodeId operand) { return d[static_cast<std::size_t>(operand)]; };
  switch (at.op) {
    case Op::kConstant: return constant(0);
    case Op::kPowInt: {
      if (is_value(of(at.a), 0)) return of(at.a);
      const NodeId lower = binary(Op::kPow, at.a, constant(at.index - 1.0));
      return binary(Op::kMul, binary(Op::kMul, constant(at.index), lower), of(at.a));
    }
    case Op::kSelect: return select(at.a, of(at.b), of(at.c));
    case Op::kSpline:
      if (is_value(of(at.a), 0)) return of(at.a);
      return binary(Op::kMul, spline(at.index, at.order + 1, at.a), of(at.a));
    default:
      if (is_unary(at.op)) return unary_rule(id, of(at.a));
      return binary_rule(id, of(at.a), of(at.b));
  }
}

NodeId ExpressionGraph::unary_rule(NodeId id, NodeId da) {
  const Op op = node(id).op;
  const NodeId a = node(id).a;
  if (is_value(da, 0)) return da;
  const auto squared = [this](NodeId x) { return binary(Op::kPow, x, constant(2)); };
  const auto times = [&](NodeId factor) { return binary(Op::kMul, factor, da); };
  const auto over = [&](NodeId divisor) { return binary(Op::kDiv, da, divisor); };
  const auto circle = [&] {  // √((1 − a)(1 + a))
    const NodeId one = constant(1);
    return unary(Op::kSqrt, binary(Op::kMul, binary(Op::kSub, one, a), binary(Op::kAdd, one, a)));
  };
  switch (op) {
    case Op::kNeg: return unary(Op::kNeg, da);
    case Op::kSin: return times(unary(Op::kCos, a));
    case Op::kCos: return times(unary(Op::kNeg, unary(Op::kSin, a)));
    case Op::kTan: return times(binary(Op::kAdd, constant(1), squared(id)));
    case Op::kAsin: return over(circle());
    case Op::kAcos: return unary(Op::kNeg, over(circle()));
    case Op::kAtan: return over(binary(Op::kAdd, constant(1), squared(a)));
    case Op::kSinh: return times(unary(Op::kCosh, a));
    case Op::kCosh: return times(unary(Op::kSinh, a));
    case Op::kTanh: return over(squared(unary(Op::kCosh, a)));
    case Op::kExp: return times(id);
    case Op::kLog: return over(a);
    case Op::kLog10: return over(binary(Op::kMul, a, constant(op_rules::kLn10)));
    case Op::kSqrt: return over(binary(Op::kMul, constant(2), id));
    case Op::kAbs: return select(a, da, unary(Op::kNeg, da));
    default: return constant(0);  // kSign
  }
}

NodeId ExpressionGraph::binary_rule(NodeId id, NodeId da, NodeId db) {
  const Op op = node(id).op;
  const NodeId a = node(id).a, b = node(id).b;
  const bool a_moves = !is_value(da, 0), b_moves = !is_value(db, 0);
  if (!a_moves && !b_moves) return da;
  const auto mul = [this](NodeId x, NodeId y) { return binary(Op::kMul, x, y); };
  switch (op) {
    case Op::kAdd: return binary(Op::kAdd, da, db);
    case Op::kSub: return binary(Op::kSub, da, db);
    case Op::kMul: return binary(Op::kAdd, mul(da, b), mul(a, db));
    case Op::kDiv: return binary(Op::kDiv, binary(Op::kSub, da, mul(id, db)), b);
    case Op::kPow: {  // a partial is written only for an operand that moves: log a needs a > 0
      NodeId sum = constant(0);
      if (a_moves) {
        const NodeId lower = binary(Op::kPow, a, binary(Op::kSub, b, constant(1)));
        sum = mul(mul(b, lower), da);
      }
      if (b_moves) sum = binary(Op::kAdd, sum, mul(mul(id, unary(Op::kLog, a)), db));
      return sum;
    }
    case Op::kAtan2: {
      const NodeId square = binary(Op::kAdd, mul(a, a), mul(b, b));
      return binary(Op::kDiv, binary(Op::kSub, mul(b, da), mul(a, db)), square);
    }
    case Op::kMin: return select(binary(Op::kSub, b, a), da, db);
    default: return select(binary(Op::kSub, a, b), da, db);  // kMax
  }
}

}  // namespace kinegrad

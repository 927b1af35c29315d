// Rows of constraints: what their expressions read, their time derivatives and their slopes [C-3].
//
// With x the coordinates and vector components that E reads,
//
//   Ė = Σ (∂E/∂x) ẋ + ∂E/∂t,   and Ë the same of Ė, which also reads ẋ.
#include <algorithm>

#include "model/model_compiler.hpp"

namespace kinegrad {

std::string ModelCompiler::input_name(const SignalInput& input) const {
  switch (input.kind) {
    case SignalInput::Kind::kTime: return "t";
    case SignalInput::Kind::kPhysical:
      return model_.physical_[static_cast<std::size_t>(input.element)].name;
    case SignalInput::Kind::kJoint: {
      const Joint& joint = model_.joints_[static_cast<std::size_t>(input.element)];
      return joint.name + "." + "qva"[input.order] +
             (joint.type->nq() > 1 ? std::to_string(input.component + 1) : "");
    }
    case SignalInput::Kind::kReaction: return "a reaction";
    case SignalInput::Kind::kEnergy: return "an energy";
    case SignalInput::Kind::kForce: return "what a force does";
    case SignalInput::Kind::kMultiplier: return "a multiplier";
    case SignalInput::Kind::kVector: break;
  }
  static constexpr const char* kOrders[] = {".", ".v", ".a"};
  return model_.vector_name(input.element) + kOrders[input.order] +
         static_cast<char>('x' + input.component);
}

/// Whether the input changes with the state: a coordinate, or a vector off the ground.
bool ModelCompiler::moves(const SignalInput& input) const {
  if (input.kind == SignalInput::Kind::kJoint) return true;
  return input.kind == SignalInput::Kind::kVector &&
         model_.vectors_[static_cast<std::size_t>(input.element)].body != 0;
}

std::vector<int> ModelCompiler::moving_inputs(NodeId node, int order) const {
  std::vector<int> found;
  for (const int input : signal_graph_.inputs_of(node)) {
    const SignalInput& in = model_.signal_inputs_[static_cast<std::size_t>(input)];
    if (in.order == order && moves(in)) found.push_back(input);
  }
  return found;
}

/// dE/dt along the motion.
NodeId ModelCompiler::rate_of(NodeId node) {
  NodeId rate = signal_graph_.constant(0);
  for (const int input : signal_graph_.inputs_of(node)) {
    SignalInput in = model_.signal_inputs_[static_cast<std::size_t>(input)];
    if (in.kind != SignalInput::Kind::kTime && !moves(in)) continue;
    NodeId part = signal_graph_.derivative(node, input);
    if (in.kind != SignalInput::Kind::kTime) {
      ++in.order;
      part = signal_graph_.binary(Op::kMul, part, signal_input(in));
    }
    rate = signal_graph_.binary(Op::kAdd, rate, part);
  }
  return rate;
}

int ModelCompiler::constraint_output(NodeId node) {
  constraint_outputs_.push_back(node);
  return static_cast<int>(constraint_outputs_.size()) - 1;
}

/// ∂E/∂x with respect to every input of that order which moves.
std::vector<ConstraintSlope> ModelCompiler::slopes_of(NodeId node, int order) {
  std::vector<ConstraintSlope> slopes;
  for (const int input : moving_inputs(node, order)) {
    const NodeId slope = signal_graph_.derivative(node, input);
    if (signal_graph_.is_constant(slope) && signal_graph_.constant_value(slope) == 0) continue;
    const SignalInput& in = model_.signal_inputs_[static_cast<std::size_t>(input)];
    slopes.push_back(
        {in.kind == SignalInput::Kind::kJoint, in.element, in.component, constraint_output(slope)});
  }
  return slopes;
}

/// Refuses what a row must not read, and notes the joints it reads.
void ModelCompiler::check_row_inputs(int constraint, NodeId node, int highest_order,
                                     const SourceLocation& where) {
  for (const int input : signal_graph_.inputs_of(node)) {
    const SignalInput& in = model_.signal_inputs_[static_cast<std::size_t>(input)];
    using Kind = SignalInput::Kind;
    if (in.kind == Kind::kReaction || in.kind == Kind::kEnergy || in.kind == Kind::kForce ||
        in.kind == Kind::kMultiplier) {
      fail(where, "it reads " + input_name(in) + ", which is no matter of kinematics");
    }
    if (in.kind == SignalInput::Kind::kJoint) constraint_joints_.emplace(constraint, in.element);
    if (in.order <= highest_order) continue;
    fail(where, "it reads " + input_name(in) +
                    (in.order > 1 ? ": a constraint cannot depend on accelerations"
                                  : ": an equation of positions cannot depend on rates; one of "
                                    "rates has the type nonholonomic"));
  }
}

/// A position that follows straight lines has a speed that jumps at the nodes, which no force can do.
void ModelCompiler::check_row_splines(NodeId node, const SourceLocation& where) {
  for (const int k : signal_graph_.splines_of(node)) {
    const ExpressionGraph::SplineEntry& entry = signal_graph_.spline_entry(k);
    if (entry.spline.type() != SplineType::kLinear) continue;
    const std::string value = input_name(
        model_.signal_inputs_[static_cast<std::size_t>(entry.first_input)]);  // "u.value0"
    fail(where, "it reads the linear spline \"" + value.substr(0, value.rfind('.')) +
                    "\", whose slope jumps at its nodes, and with it the speeds; the types cubic, "
                    "monotone and periodic have none of that");
  }
}

/// Dot products of vectors of one body never change, nor does anything on the ground.
bool ModelCompiler::terms_move(const std::vector<ConstraintTerm>& terms) const {
  for (const ConstraintTerm& term : terms) {
    std::vector<int> bodies;
    for (const int v : {term.A.plus, term.A.minus, term.B.plus, term.B.minus}) {
      if (v >= 0) bodies.push_back(model_.vectors_[static_cast<std::size_t>(v)].body);
    }
    const auto [low, high] = std::minmax_element(bodies.begin(), bodies.end());
    const bool one_body = *low == *high;
    if (term.product == ConstraintTerm::Product::kDot ? !one_body : *high != 0) return true;
  }
  return false;
}

void ModelCompiler::add_holonomic_row(int constraint, std::vector<ConstraintTerm> terms,
                                      const Symbol& E, const SourceLocation& where) {
  ConstraintRow row;
  row.constraint = constraint;
  bool moving = terms_move(terms);
  if (!E.is_constant() || E.value() != 0) {
    const NodeId node = E.node(signal_graph_);
    check_row_states(node, 0, where);
    check_row_inputs(constraint, node, 0, where);
    check_row_splines(node, where);
    ConstraintExpression expression;
    const NodeId rate = rate_of(node);
    expression.value = {constraint_output(node), constraint_output(rate),
                        constraint_output(rate_of(rate))};
    expression.slopes = slopes_of(node, 0);
    moving = moving || !expression.slopes.empty();
    row.expression = static_cast<int>(model_.constraint_expressions_.size());
    model_.constraint_expressions_.push_back(std::move(expression));
  }
  if (!moving) fail(where, "it depends on nothing that moves");
  row.terms = std::move(terms);
  model_.constraint_rows_.push_back(std::move(row));
}

void ModelCompiler::add_nonholonomic_row(int constraint, const Symbol& E,
                                         const SourceLocation& where) {
  const NodeId node = E.node(signal_graph_);
  check_row_states(node, 1, where);
  check_row_inputs(constraint, node, 1, where);
  ConstraintExpression expression;
  expression.slopes = slopes_of(node, 1);
  if (expression.slopes.empty()) fail(where, "it depends on no rate of anything that moves");
  for (const ConstraintSlope& slope : expression.slopes) {
    const std::vector<int> rates =
        moving_inputs(constraint_outputs_[static_cast<std::size_t>(slope.output)], 1);
    if (rates.empty()) continue;
    const SignalInput in{slope.coordinate ? SignalInput::Kind::kJoint : SignalInput::Kind::kVector,
                         slope.element, slope.component, 1};
    fail(where, "it is not linear in the rates: its slope along " + input_name(in) +
                    " depends on " +
                    input_name(model_.signal_inputs_[static_cast<std::size_t>(rates.front())]));
  }
  expression.value = {-1, constraint_output(node), constraint_output(rate_of(node))};
  ConstraintRow row;
  row.constraint = constraint;
  row.holonomic = false;
  row.expression = static_cast<int>(model_.constraint_expressions_.size());
  model_.constraint_expressions_.push_back(std::move(expression));
  model_.constraint_rows_.push_back(std::move(row));
}

}  // namespace kinegrad

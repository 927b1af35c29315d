// Grounds: a height that is an expression of x and y becomes the five numbers of the tangent plane at the foot of a force's second frame
// (docs/theory/contact.md, [GR]).
#include <array>
#include <map>

#include "model/model_compiler.hpp"

namespace kinegrad {

namespace {

/// A node with inputs replaced by other nodes.
class Substitution {
 public:
  Substitution(ExpressionGraph& graph, std::map<int, NodeId> inputs)
      : graph_(graph), inputs_(std::move(inputs)) {}

  NodeId operator()(NodeId id) {
    if (const auto it = done_.find(id); it != done_.end()) return it->second;
    const ExpressionGraph::Node node = graph_.node(id);
    NodeId out = id;
    if (node.op == Op::kInput) {
      const auto it = inputs_.find(node.index);
      if (it != inputs_.end()) out = it->second;
    } else if (node.op == Op::kPowInt) {
      out = graph_.binary(Op::kPow, (*this)(node.a), graph_.constant(node.index));
    } else if (node.op == Op::kSelect) {
      out = graph_.select((*this)(node.a), (*this)(node.b), (*this)(node.c));
    } else if (node.op == Op::kSpline) {
      out = graph_.spline(node.index, node.order, (*this)(node.a));
    } else if (is_unary(node.op)) {
      out = graph_.unary(node.op, (*this)(node.a));
    } else if (is_binary(node.op)) {
      const NodeId a = (*this)(node.a);
      out = graph_.binary(node.op, a, (*this)(node.b));
    }
    done_.emplace(id, out);
    return out;
  }

 private:
  ExpressionGraph& graph_;
  std::map<int, NodeId> inputs_;
  std::map<NodeId, NodeId> done_;
};

constexpr int kIterations =
    3;  // of the foot: what is left is the third power of radius times curvature

}  // namespace

/// x and y of the origin of the second frame, in axes of the first.
std::array<NodeId, 2> ModelCompiler::place_on_ground(const Force& force) {
  using Kind = SignalInput::Kind;
  const int from = hidden_vector(force.body1, force.F.origin(), true);
  const int to = hidden_vector(force.body2, force.M.origin(), true);
  std::array<NodeId, 2> out{};
  for (int i = 0; i < 2; ++i) {
    const int axis = hidden_vector(force.body1, axis_of(force.F, i, force.name + ".F."), false);
    NodeId sum = signal_graph_.constant(0);
    for (int k = 0; k < 3; ++k) {
      const NodeId d = signal_graph_.binary(Op::kSub, signal_input({Kind::kVector, to, k, 0}),
                                            signal_input({Kind::kVector, from, k, 0}));
      const NodeId part =
          signal_graph_.binary(Op::kMul, signal_input({Kind::kVector, axis, k, 0}), d);
      sum = signal_graph_.binary(Op::kAdd, sum, part);
    }
    out[static_cast<std::size_t>(i)] = sum;
  }
  return out;
}

/// x_f, y_f, g, g_x, g_y: the foot is where the normal through the centre of a wheel or sphere of that radius meets the
/// ground, x_f = x + R g_x/√(1 + g_x² + g_y²) with the slopes there.                                      [GR-1]
std::array<NodeId, 5> ModelCompiler::ground_nodes(const Force& force, const NumberSpec& height,
                                                  const std::optional<NumberSpec>& radius) {
  using Kind = SignalInput::Kind;
  ExpressionGraph& graph = signal_graph_;
  // places that stand for x and y while slopes are taken; nothing reads them in the end
  const std::array<NodeId, 2> own{signal_input({Kind::kTime, 0, 1, 0}),
                                  signal_input({Kind::kTime, 0, 2, 0})};
  const int x_input = graph.node(own[0]).index, y_input = graph.node(own[1]).index;
  const LocalNames names{{"x", own[0]}, {"y", own[1]}};
  const NodeId g = signal_expression(height, "ground", -1, &names);
  for (const int input : graph.inputs_of(g)) {
    if (input == x_input || input == y_input) continue;
    const SignalInput& in = model_.signal_inputs_[static_cast<std::size_t>(input)];
    if (in.kind == Kind::kPhysical) continue;
    fail(height.where,
         "ground: it depends on x, y, splines and parameters alone; a ground that moves is the "
         "first "
         "body of the force");
  }
  const NodeId g_x = graph.derivative(g, x_input), g_y = graph.derivative(g, y_input);
  const NodeId R = radius ? signal_expression(*radius, "radius") : graph.constant(0);
  const std::array<NodeId, 2> place = place_on_ground(force);
  std::array<NodeId, 2> foot = place;
  for (int k = 0; k < kIterations; ++k) {
    Substitution at(graph, {{x_input, foot[0]}, {y_input, foot[1]}});
    const NodeId slope[2] = {at(g_x), at(g_y)};
    const auto square = [&](NodeId a) { return graph.binary(Op::kMul, a, a); };
    const NodeId length = graph.unary(
        Op::kSqrt, graph.binary(Op::kAdd, graph.constant(1),
                                graph.binary(Op::kAdd, square(slope[0]), square(slope[1]))));
    for (std::size_t i = 0; i < 2; ++i) {
      const NodeId shift = graph.binary(Op::kMul, R, graph.binary(Op::kDiv, slope[i], length));
      foot[i] = graph.binary(Op::kAdd, place[i], shift);
    }
  }
  Substitution at(graph, {{x_input, foot[0]}, {y_input, foot[1]}});
  return {foot[0], foot[1], at(g), at(g_x), at(g_y)};
}

/// 1 and the five numbers, or six zeros.
void ModelCompiler::add_ground_attribute(const ForceSpec& spec, Force& force,
                                         const AttributeInfo& attribute,
                                         const std::array<NodeId, 5>* nodes) {
  const std::string name = spec.name + "." + std::string(attribute.name);
  constexpr std::array<const char*, 5> kNames{".x", ".y", ".z", ".slope_x", ".slope_y"};
  add_physical(name, "1", Symbol(nodes ? 1 : 0));
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (nodes) {
      add_variable_attribute(force, name + kNames[i], i < 3 ? "m" : "1", (*nodes)[i]);
    } else {
      add_physical(name + kNames[i], i < 3 ? "m" : "1", Symbol(0));
    }
  }
}

}  // namespace kinegrad

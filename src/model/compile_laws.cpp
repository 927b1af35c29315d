// Springs and dampers given by expressions of their length and rate (docs/theory/forces.md, [NS]): the law, its slopes and its potential are
// outputs of the tape of the forces.
#include "model/model_compiler.hpp"

namespace kinegrad {

namespace {

/// Inputs that stand for length and rate while the slopes of a law are formed; no tape sees them.
constexpr int kLength = 1 << 29, kRate = kLength + 1;

}  // namespace

/// Nodes of what a law reads and is.
struct ModelCompiler::Law {
  NodeId s = -1, rate = -1;
  NodeId force = -1, potential = -1, potential_rate = -1;
};

NodeId ModelCompiler::at_length(NodeId id, const Law& law) {
  std::map<NodeId, NodeId> done;
  const std::function<NodeId(NodeId)> place = [&](NodeId at) -> NodeId {
    if (const auto known = done.find(at); known != done.end()) return known->second;
    const ExpressionGraph::Node node = signal_graph_.node(at);
    NodeId out = at;
    switch (node.op) {
      case Op::kConstant: break;
      case Op::kInput:
        if (node.index == kLength) out = law.s;
        if (node.index == kRate) out = law.rate;
        break;
      case Op::kPowInt:
        out = signal_graph_.binary(Op::kPow, place(node.a), signal_graph_.constant(node.index));
        break;
      case Op::kSelect:
        out = signal_graph_.select(place(node.a), place(node.b), place(node.c));
        break;
      case Op::kSpline: out = signal_graph_.spline(node.index, node.order, place(node.a)); break;
      default:
        out = is_unary(node.op) ? signal_graph_.unary(node.op, place(node.a))
                                : signal_graph_.binary(node.op, place(node.a), place(node.b));
    }
    return done[at] = out;
  };
  return place(id);
}

/// The negative slope of the potential is part of the force. What else moves would have to feel the force, too, and is refused.
void ModelCompiler::add_potential(const NumberSpec& spec, const LocalNames& names, Law& law) {
  using Kind = SignalInput::Kind;
  const NodeId V = signal_expression(spec, "potential", -1, &names);
  for (const int input : signal_graph_.inputs_of(V)) {
    if (input == kLength) continue;
    const SignalInput& in = model_.signal_inputs_[static_cast<std::size_t>(input)];
    if (in.kind == Kind::kTime || in.kind == Kind::kPhysical) continue;
    fail(spec.where,
         "potential: it depends on the length, t and parameters alone; what depends on other "
         "motion is given by its law");
  }
  const NodeId slope = signal_graph_.derivative(V, kLength);
  const int t = signal_graph_.node(signal_input({Kind::kTime, 0, 0, 0})).index;
  law.force = signal_graph_.binary(Op::kSub, law.force, slope);
  law.potential = V;
  law.potential_rate = signal_graph_.binary(
      Op::kAdd, signal_graph_.binary(Op::kMul, slope, signal_graph_.input(kRate)),
      signal_graph_.derivative(V, t));
}

void ModelCompiler::compile_law(const ForceSpec& spec, Force& force, const ForceModel& part) {
  const PortNodes at = law_nodes(force);
  const NodeId none = signal_graph_.constant(0);
  Law law{at.x.front(), at.xdot.front(), none, none, none};
  const bool angle = part.coordinate_kind() == CoordinateKind::kAngle;
  LocalNames names{{angle ? "angle" : "length", signal_graph_.input(kLength)}};
  const auto potential = spec.numbers.find("potential");
  if (potential != spec.numbers.end()) add_potential(potential->second, names, law);
  names.emplace("rate", signal_graph_.input(kRate));
  if (const auto value = spec.numbers.find("law"); value != spec.numbers.end()) {
    const NodeId F = signal_expression(value->second, "law", -1, &names);
    check_force_inputs(at_length(F, law), value->second.where, "law");
    law.force = signal_graph_.binary(Op::kAdd, law.force, F);
  }
  force.type = &part;
  const std::array<NodeId, 7> nodes{law.force,
                                    signal_graph_.derivative(law.force, kLength),
                                    signal_graph_.derivative(law.force, kRate),
                                    law.s,
                                    law.rate,
                                    law.potential,
                                    law.potential_rate};
  force.attributes = static_cast<int>(p_.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const AttributeInfo& attribute = part.attributes()[i];
    const std::string name = spec.name + "." + std::string(attribute.name);
    const std::string unit(attribute.unit);
    if (signal_graph_.is_constant(nodes[i])) {  // it does not vary
      add_physical(name, unit, Symbol(signal_graph_.constant_value(nodes[i])));
    } else {
      add_variable_attribute(force, name, unit, at_length(nodes[i], law));
    }
  }
  model_.forces_.push_back(std::move(force));
}

}  // namespace kinegrad

// The variables of ports as nodes of the expressions, made of the motion of points and directions.
#include "model/model_compiler.hpp"

namespace kinegrad {

NodeId ModelCompiler::vector_node(int vector, int component, int order) {
  return signal_input({SignalInput::Kind::kVector, vector, component, order});
}

/// The point or direction of that body whose numbers begin there, made where it is asked for at first.
int ModelCompiler::body_vector(int body, int first, bool is_point) {
  const auto& vectors = model_.vectors_;
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    const BodyVector& v = vectors[k];
    if (v.hidden && v.is_point == is_point && v.body == body && v.first == first) {
      return static_cast<int>(k);
    }
  }
  return hidden_vector(body, first, is_point);
}

/// d = r₂ − r₁ and its rate.
ModelCompiler::PortNodes ModelCompiler::pair_nodes(int point1, int point2) {
  PortNodes out;
  for (int order = 0; order < 2; ++order) {
    for (int k = 0; k < 3; ++k) {
      (order == 0 ? out.x : out.xdot)
          .push_back(signal_graph_.binary(Op::kSub, vector_node(point2, k, order),
                                          vector_node(point1, k, order)));
    }
  }
  return out;
}

/// |d|.
NodeId ModelCompiler::length_node(const PortNodes& d) {
  NodeId sum = signal_graph_.constant(0);
  for (const NodeId x : d.x) {
    sum = signal_graph_.binary(Op::kAdd, sum, signal_graph_.binary(Op::kMul, x, x));
  }
  return signal_graph_.unary(Op::kSqrt, sum);
}

/// d·ḋ/|d|.
NodeId ModelCompiler::rate_node(const PortNodes& d) {
  NodeId sum = signal_graph_.constant(0);
  for (std::size_t k = 0; k < 3; ++k) {
    sum = signal_graph_.binary(Op::kAdd, sum, signal_graph_.binary(Op::kMul, d.x[k], d.xdot[k]));
  }
  return signal_graph_.binary(Op::kDiv, sum, length_node(d));
}

/// What a law is a function of, s and its rate: the distance of two points, a coordinate, or f_z·Δ with the axis f_z of the first
/// frame and Δ = r₂ − r₁, whose rate is f_z·Δ̇ + ḟ_z·Δ ([FP-1]).
ModelCompiler::PortNodes ModelCompiler::law_nodes(const Force& force) {
  const auto binary = [&](Op op, NodeId a, NodeId b) { return signal_graph_.binary(op, a, b); };
  if (force.point1 >= 0) {
    const PortNodes d = pair_nodes(force.point1, force.point2);
    return {{length_node(d)}, {rate_node(d)}};
  }
  if (force.joint >= 0) {
    const auto coordinate = [&](int order) {
      return signal_input({SignalInput::Kind::kJoint, force.joint, force.coordinate, order});
    };
    return {{coordinate(0)}, {coordinate(1)}};
  }
  const PortNodes d = pair_nodes(body_vector(force.body1, force.F.origin(), true),
                                 body_vector(force.body2, force.M.origin(), true));
  const int f = body_vector(force.body1, axis_of(force.F, 2, force.name + ".F."), false);
  NodeId s = signal_graph_.constant(0), rate = s;
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    s = binary(Op::kAdd, s, binary(Op::kMul, vector_node(f, k, 0), d.x[i]));
    rate = binary(Op::kAdd, rate, binary(Op::kMul, vector_node(f, k, 0), d.xdot[i]));
    rate = binary(Op::kAdd, rate, binary(Op::kMul, vector_node(f, k, 1), d.x[i]));
  }
  return {{s}, {rate}};
}

const ForceSpec* ModelCompiler::force_between_points(std::string_view name) const {
  for (const ForceSpec& spec : description_.forces) {
    if (spec.name != name) continue;
    const ForceModel* type = catalogue_.find_force(spec.type.name);
    const bool pair = type && port_attachment(type->port()) == PortAttachment::kTwoPoints &&
                      spec.points.size() == 2;
    return pair ? &spec : nullptr;
  }
  return nullptr;
}

std::optional<NodeId> ModelCompiler::force_motion(std::string_view name, std::string_view which) {
  const ForceSpec* spec = force_between_points(name);
  if (!spec || (which != "length" && which != "rate")) return {};
  const auto point = [&](const NameSpec& end) { return vector_named(end.name, end.where, true); };
  const PortNodes d = pair_nodes(point(spec->points[0]), point(spec->points[1]));
  return which == "length" ? length_node(d) : rate_node(d);
}

}  // namespace kinegrad

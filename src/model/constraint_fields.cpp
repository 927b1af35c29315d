#include "model/constraint_fields.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

// ---- what the file says --------------------------------------------------------------------------

bool ConstraintFields::has(std::string_view field) const { return count(field) > 0; }

int ConstraintFields::count(std::string_view field) const {
  const auto vectors = spec_.vectors.find(field);
  if (vectors != spec_.vectors.end()) return static_cast<int>(vectors->second.size());
  const auto numbers = spec_.numbers.find(field);
  return numbers == spec_.numbers.end() ? 0 : static_cast<int>(numbers->second.size());
}

const VectorSpec& ConstraintFields::vector_spec(std::string_view field, int i) const {
  const auto it = spec_.vectors.find(field);
  KINEGRAD_DEMAND(it != spec_.vectors.end());
  return it->second.at(static_cast<std::size_t>(i));
}

const NumberSpec& ConstraintFields::number_spec(std::string_view field, int i) const {
  const auto it = spec_.numbers.find(field);
  KINEGRAD_DEMAND(it != spec_.numbers.end());
  return it->second.at(static_cast<std::size_t>(i));
}

std::string ConstraintFields::label(std::string_view field, int i) const {
  return std::string(field) + (count(field) > 1 ? " " + std::to_string(i + 1) : "");
}

std::string ConstraintFields::entry_name(std::string name) const {
  std::replace(name.begin(), name.end(), ' ', '_');
  return spec_.name + "." + name;
}

int ConstraintFields::point(std::string_view field, int i) {
  const VectorSpec& spec = vector_spec(field, i);
  if (!spec.name.empty()) return compiler_.vector_named(spec.name, spec.where, true);
  return add_vector(0, compiler_.triple(spec, label(field, i)), true, label(field, i));
}

int ConstraintFields::direction(std::string_view field, int i) {
  const VectorSpec& spec = vector_spec(field, i);
  if (!spec.name.empty() && !axis_word(spec.name)) {
    return compiler_.vector_named(spec.name, spec.where, false);
  }
  return add_vector(0, compiler_.triple(spec, label(field, i)), false, label(field, i));
}

int ConstraintFields::unit_direction(std::string_view field, int i) {
  const VectorSpec& spec = vector_spec(field, i);
  const bool named = !spec.name.empty() && !axis_word(spec.name);
  const int index = named ? compiler_.vector_named(spec.name, spec.where, false) : -1;
  const Sym3 e = named ? in_body(index) : compiler_.triple(spec, label(field, i));
  const double length = std::sqrt(la::squared_norm(e).value());
  if (!(length > 0)) compiler_.fail(spec.where, label(field, i) + " has no length");
  return add_vector(named ? body(index) : 0, la::normalized(e), false, label(field, i));
}

/// A number of the design is an entry of p; one that varies, an expression of time.
Symbol ConstraintFields::number(std::string_view field, int i) {
  const NumberSpec& spec = number_spec(field, i);
  const std::string name = label(field, i);
  ExpressionGraph& graph = compiler_.signal_graph_;
  if (compiler_.varies(spec, name)) {
    const NodeId node = compiler_.signal_expression(spec, name);
    compiler_.check_row_states(node, 0, spec.where);
    for (const int input : graph.inputs_of(node)) {
      const SignalInput& in = compiler_.model_.signal_inputs()[static_cast<std::size_t>(input)];
      if (in.kind != SignalInput::Kind::kTime && in.kind != SignalInput::Kind::kPhysical) {
        compiler_.fail(spec.where, name + " reads " + compiler_.input_name(in) +
                                       ": it may vary with time, but not with the motion");
      }
    }
    return {graph, node};
  }
  const Symbol value = compiler_.number(spec, name);
  const ConstraintField* info = type_.find(field);
  if (info && info->positive && !(value.value() > 0)) {
    compiler_.fail(spec.where, name + " must be positive");
  }
  if (value.is_constant()) return value.value();
  const std::string unit(info ? info->unit : "");
  const int entry = compiler_.add_physical(entry_name(name), unit, value);
  return {graph, compiler_.signal_input({SignalInput::Kind::kPhysical, entry, 0, 0})};
}

Symbol ConstraintFields::angle(std::string_view field, int i) {
  const Symbol value = number(field, i);
  return compiler_.description_.degrees ? value * Symbol(std::numbers::pi / 180) : value;
}

SignalInput ConstraintFields::coordinate_input(std::string_view field, int i) {
  const NumberSpec& spec = number_spec(field, i);
  const std::string name = label(field, i);
  const NodeId id = compiler_.signal_expression(spec, name);
  const ExpressionGraph::Node& node = compiler_.signal_graph_.node(id);
  const SignalInput* input =
      node.op == Op::kInput
          ? &compiler_.model_.signal_inputs()[static_cast<std::size_t>(node.index)]
          : nullptr;
  if (!input ||
      (input->kind != SignalInput::Kind::kJoint && input->kind != SignalInput::Kind::kVector)) {
    compiler_.fail(spec.where,
                   name + ": \"" + spec.text + "\" is not a coordinate such as J.q or P.x");
  }
  if (input->order > 0) {
    compiler_.fail(spec.where, name + ": \"" + spec.text +
                                   "\" is a rate, not a coordinate; an equation of rates has the "
                                   "type nonholonomic");
  }
  return *input;
}

Symbol ConstraintFields::coordinate(std::string_view field, int i) {
  return {compiler_.signal_graph_, compiler_.signal_input(coordinate_input(field, i))};
}

bool ConstraintFields::is_angle(std::string_view field, int i) {
  const SignalInput input = coordinate_input(field, i);
  if (input.kind != SignalInput::Kind::kJoint) return false;
  const Joint& joint = compiler_.model_.joints()[static_cast<std::size_t>(input.element)];
  return joint.type->coordinates()[static_cast<std::size_t>(input.component)].kind ==
         CoordinateKind::kAngle;
}

Symbol ConstraintFields::expression(std::string_view field) {
  const NumberSpec& spec = number_spec(field, 0);
  rows_where_ = spec.where;
  return {compiler_.signal_graph_, compiler_.signal_expression(spec, std::string(field))};
}

// ---- vectors ---------------------------------------------------------------------------------------

int ConstraintFields::body(int vector) const {
  return compiler_.model_.vectors()[static_cast<std::size_t>(vector)].body;
}

Sym3 ConstraintFields::in_body(int vector) const {
  const auto first =
      static_cast<std::size_t>(compiler_.model_.vectors()[static_cast<std::size_t>(vector)].first);
  return {compiler_.p_[first], compiler_.p_[first + 1], compiler_.p_[first + 2]};
}

int ConstraintFields::add_vector(int body, const Sym3& x, bool is_point, const std::string& name) {
  const int first = compiler_.add_physical(entry_name(name), is_point ? "m" : "1", x);
  return compiler_.hidden_vector(body, first, is_point);
}

int ConstraintFields::fixed_direction(int body, const Sym3& e, const std::string& name) {
  return add_vector(body, e, false, name);
}

int ConstraintFields::ground_point(const Sym3& r, const std::string& name) {
  return add_vector(0, r, true, name);
}

std::array<int, 2> ConstraintFields::perpendicular(int direction, const std::string& name) {
  const SymMat3 R = compiler_.frame_of(in_body(direction), {}, spec_.where, name);
  return {add_vector(body(direction), R.col(0), false, name + " 1"),
          add_vector(body(direction), R.col(1), false, name + " 2")};
}

/// What does not move needs no input where its numbers are known.
Sym3 ConstraintFields::motion(int vector, int order) {
  const bool fixed = body(vector) == 0;
  const Sym3 own = in_body(vector);
  Sym3 x;
  for (int k = 0; k < 3; ++k) {
    if (fixed && (order > 0 || own(k).is_constant())) {
      x(k) = Symbol(order > 0 ? 0.0 : own(k).value());
    } else {
      x(k) = Symbol(compiler_.signal_graph_,
                    compiler_.signal_input({SignalInput::Kind::kVector, vector, k, order}));
    }
  }
  return x;
}

// ---- rows ------------------------------------------------------------------------------------------

void ConstraintFields::holonomic(std::vector<ConstraintTerm> terms, const Symbol& E) {
  compiler_.add_holonomic_row(constraint_, std::move(terms), E, rows_where_);
}

void ConstraintFields::nonholonomic(const Symbol& E) {
  compiler_.add_nonholonomic_row(constraint_, E, rows_where_);
}

void ConstraintFields::refuse(const std::string& message) const {
  compiler_.fail(spec_.where, message);
}

}  // namespace kinegrad

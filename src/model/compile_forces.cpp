// Forces: type, port, attributes.
#include "model/model_compiler.hpp"

namespace kinegrad {

void ModelCompiler::attach(const ForceSpec& spec, Force& force) {
  const PortKind port = force.type->port();
  const std::string type = spec.type.name;
  if (port == PortKind::kPointPair) {
    if (spec.points.size() != 2) fail(spec.where, "a " + type + " acts between two points");
    force.point1 = vector_named(spec.points[0].name, spec.points[0].where, true);
    force.point2 = vector_named(spec.points[1].name, spec.points[1].where, true);
    if (force.point1 == force.point2) fail(spec.where, "its two points are the same");
  } else if (!spec.points.empty()) {
    fail(spec.where, "a " + type + " has no points");
  }
  attach_to_body(spec, force);
  if (port == PortKind::kJointCoordinate) {
    if (!spec.joint) fail(spec.where, "a " + type + " acts on a joint");
    std::string name = spec.joint->name;
    if (name.find('.') == std::string::npos) name += ".q";
    const CoordinateName coordinate = coordinate_name(name, spec.joint->where);
    const Joint& joint = model_.joints_[static_cast<std::size_t>(coordinate.joint)];
    if (coordinate.level != 'q' || (coordinate.component < 0 && joint.type->nq() > 1)) {
      fail(spec.joint->where,
           coordinate_refusal(coordinate.joint, name.substr(name.find('.') + 1)));
    }
    check_force_target(spec, coordinate.joint);
    force.joint = coordinate.joint;
    force.coordinate = std::max(0, coordinate.component);
    const auto kind = joint.type->coordinates()[static_cast<std::size_t>(force.coordinate)].kind;
    if (force.type->angles_only() && kind != CoordinateKind::kAngle) {
      fail(spec.joint->where,
           "a " + type + " acts on an angle, which \"" + spec.joint->name + "\" is not");
    }
    used_joints_.insert(force.joint);
  } else if (spec.joint) {
    fail(spec.where, "a " + type + " does not act on a joint");
  }
}

void ModelCompiler::attach_to_body(const ForceSpec& spec, Force& force) const {
  const PortKind port = force.type->port();
  const std::string type = spec.type.name;
  if (port == PortKind::kBodyPoint) {
    if (!spec.point) fail(spec.where, "a " + type + " acts on a point");
    force.point2 = vector_named(spec.point->name, spec.point->where, true);
  } else if (spec.point) {
    fail(spec.where, "a " + type + " does not act on a point");
  }
  if (port == PortKind::kBody) {
    if (!spec.body) fail(spec.where, "a " + type + " acts on a body");
    force.body = body_named(*spec.body);
    refuse_state_body(force.body, spec.body->where, "it acts on");
  } else if (spec.body) {
    fail(spec.where, "a " + type + " does not act on a body");
  }
  if (spec.axes != "world" && spec.axes != "body") {
    fail(spec.where, "axes are \"world\" or \"body\", not \"" + spec.axes + "\"");
  }
  force.in_body_axes = spec.axes == "body";
}

/// Whether an expression reads anything but parameters: time, signals, the motion, a spline.
bool ModelCompiler::varies(const NumberSpec& spec, const std::string& field) const {
  try {
    if (!referenced_splines(spec.text).empty()) return true;
    for (const std::string& name : referenced_names(spec.text)) {
      if (name != "pi" && name != "tau" && !parameter_index_.contains(name)) return true;
    }
    return false;
  } catch (const ExpressionError& error) {
    fail(spec.where, field + ": " + error.what());
  }
}

/// One number of an attribute, at its place in p. Where it varies during the run, p holds 0 and the
/// force tape the expression.
void ModelCompiler::add_attribute(Force& force, const AttributeInfo& attribute,
                                  const std::string& name, const NumberSpec& spec,
                                  const std::string& field) {
  const std::string unit(attribute.unit);
  if (attribute.variable && varies(spec, field)) {
    const NodeId node = signal_expression(spec, field);
    for (int input : signal_graph_.inputs_of(node)) {
      const SignalInput& in = model_.signal_inputs_[static_cast<std::size_t>(input)];
      if (in.order > 1) fail(spec.where, field + ": a force cannot depend on accelerations");
      if (in.kind == SignalInput::Kind::kReaction || in.kind == SignalInput::Kind::kEnergy) {
        fail(spec.where, field + ": a force cannot depend on reactions or energies");
      }
    }
    force.variable.emplace_back(static_cast<int>(p_.size()) - force.attributes,
                                static_cast<int>(force_outputs_.size()));
    force_outputs_.push_back(node);
    add_physical(name, unit, Symbol(0));
    return;
  }
  add_physical(name, unit, unit == "rad" ? angle(spec, field) : number(spec, field));
}

/// Expressions of the motion bring entries of p of their own; they come before the attributes, which
/// must stand side by side.
void ModelCompiler::intern_inputs(const ForceSpec& spec, const ForceModel& type) {
  const auto intern = [&](const NumberSpec& number, const std::string& field) {
    if (varies(number, field)) signal_expression(number, field);
  };
  for (const AttributeInfo& attribute : type.attributes()) {
    if (!attribute.variable) continue;
    const std::string key(attribute.name);
    if (const auto it = spec.numbers.find(key); it != spec.numbers.end()) intern(it->second, key);
    const auto vector = spec.vectors.find(key);
    if (vector == spec.vectors.end() || !vector->second.name.empty()) continue;
    for (const NumberSpec& entry : vector->second.entries) intern(entry, key);
  }
}

void ModelCompiler::add_vector_attribute(Force& force, const AttributeInfo& attribute,
                                         const std::string& name, const VectorSpec& spec) {
  const std::string key(attribute.name);
  if (!spec.name.empty()) {  // an axis, which does not vary
    add_physical(name, std::string(attribute.unit), triple(spec, key));
    return;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    NumberSpec entry = spec.entries[i];
    if (!entry.where.known()) entry.where = spec.where;
    const std::string axis = std::string(".") + static_cast<char>('x' + static_cast<int>(i));
    add_attribute(force, attribute, name + axis, entry, key + axis);
  }
}

void ModelCompiler::compile_force(const ForceSpec& spec) {
  Force force;
  force.name = spec.name;
  force.where = spec.where;
  for (const Force& other : model_.forces_) {
    if (other.name == spec.name) fail(spec.where, "it is defined twice");
  }
  force.type = catalogue_.find_force(spec.type.name);
  if (!force.type) {
    std::vector<std::string> known;
    for (const ForceModel* f : catalogue_.forces()) known.emplace_back(f->name());
    fail(spec.type.where,
         "unknown force type \"" + spec.type.name + "\"" + suggestion(spec.type.name, known));
  }
  attach(spec, force);
  std::vector<std::string> known;
  intern_inputs(spec, *force.type);
  force.attributes = static_cast<int>(p_.size());
  for (const AttributeInfo& attribute : force.type->attributes()) {
    const std::string key(attribute.name), unit(attribute.unit);
    known.push_back(key);
    const auto scalar = spec.numbers.find(key);
    const auto vector = spec.vectors.find(key);
    const bool given = scalar != spec.numbers.end() || vector != spec.vectors.end();
    if (!given && attribute.required) fail(spec.where, "needs " + key);
    const std::string name = spec.name + "." + key;
    if (!given) {
      for (int i = 0; i < attribute.size; ++i) add_physical(name, unit, Symbol(0));
    } else if (attribute.size == 3) {
      if (scalar != spec.numbers.end()) fail(scalar->second.where, key + " takes three numbers");
      add_vector_attribute(force, attribute, name, vector->second);
    } else {
      if (vector != spec.vectors.end()) fail(vector->second.where, key + " takes one number");
      add_attribute(force, attribute, name, scalar->second, key);
    }
  }
  const auto refuse_unknown = [&](const auto& attributes) {
    for (const auto& [key, value] : attributes) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        fail(value.where,
             "a " + spec.type.name + " has no \"" + key + "\"" + suggestion(key, known));
      }
    }
  };
  refuse_unknown(spec.numbers);
  refuse_unknown(spec.vectors);
  model_.forces_.push_back(std::move(force));
}

}  // namespace kinegrad

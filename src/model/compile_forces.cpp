// Forces: type, port, attributes.
#include <fmt/format.h>

#include <numbers>

#include "model/model_compiler.hpp"
#include "model/states.hpp"

namespace kinegrad {

namespace {

std::string_view word_for(CoordinateKind kind) {
  switch (kind) {
    case CoordinateKind::kAngle: return "an angle";
    case CoordinateKind::kLength: return "a length";
    case CoordinateKind::kEulerParameter: return "an Euler parameter";
    case CoordinateKind::kDirection: break;
  }
  return "a direction";
}

/// What the values of `spec` give of the attributes: how many of them.
std::size_t given_attributes(const ForceSpec& spec) {
  return spec.numbers.size() + spec.vectors.size() + spec.matrices.size();
}

/// "stiffness, damping, length".
std::string attribute_names(const ForceModel& type) {
  std::string out;
  for (const AttributeInfo& attribute : type.attributes()) {
    out += (out.empty() ? "" : ", ") + std::string(attribute.name);
  }
  return out;
}

}  // namespace

namespace {

/// Where the attribute stands that a refusal begins with, else the force.
const SourceLocation& place_of(const ForceSpec& spec, const std::string& refusal) {
  const auto found = spec.numbers.find(refusal.substr(0, refusal.find_first_of(": ")));
  return found == spec.numbers.end() ? spec.where : found->second.where;
}

}  // namespace

/// A force of another unit would be a wrong number: a torsional spring on a length, say.
void ModelCompiler::check_coordinate_kind(const ForceSpec& spec, const Force& force) const {
  const Joint& joint = model_.joints_[static_cast<std::size_t>(force.joint)];
  const auto kind = joint.type->coordinates()[static_cast<std::size_t>(force.coordinate)].kind;
  const auto wanted = force.type->coordinate_kind();
  if (!wanted || *wanted == kind) return;
  std::string others;
  for (const ForceModel* other : catalogue_.forces()) {
    if (other->coordinate_kind() == kind) others += "; use " + std::string(other->name());
  }
  fail(spec.joint->where, fmt::format("a {} acts on {}, and \"{}\" is {}{}", spec.type.name,
                                      word_for(*wanted), spec.joint->name, word_for(kind), others));
}

void ModelCompiler::attach(const ForceSpec& spec, Force& force) {
  const PortAttachment attachment = port_attachment(force.type->port());
  const std::string type = spec.type.name;
  if (attachment == PortAttachment::kTwoPoints) {
    if (spec.points.size() != 2) fail(spec.where, "a " + type + " acts between two points");
    force.point1 = vector_named(spec.points[0].name, spec.points[0].where, true);
    force.point2 = vector_named(spec.points[1].name, spec.points[1].where, true);
    if (force.point1 == force.point2) fail(spec.where, "its two points are the same");
  } else if (!spec.points.empty()) {
    fail(spec.where, "a " + type + " has no points");
  }
  attach_to_body(spec, force);
  attach_to_frames(spec, force);
  if (attachment == PortAttachment::kJointCoordinate) {
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
    check_coordinate_kind(spec, force);
    used_joints_.insert(force.joint);
  } else if (spec.joint) {
    fail(spec.where, "a " + type + " does not act on a joint");
  }
}

/// Two bodies and their frames, which are given as those of a joint [P-2].
void ModelCompiler::attach_to_frames(const ForceSpec& spec, Force& force) {
  const std::string type = spec.type.name;
  const JointSpec& frames = spec.frames;
  const bool world = frames.point || frames.axis || frames.reference;
  const bool in_bodies =
      !frames.points.empty() || !frames.axes.empty() || !frames.references.empty();
  if (port_attachment(force.type->port()) != PortAttachment::kTwoFrames) {
    if (!frames.bodies.empty() || world || in_bodies) {
      fail(spec.where, "a " + type + " does not act between two frames");
    }
    return;
  }
  if (frames.bodies.size() != 2) fail(spec.where, "a " + type + " acts between two bodies");
  const int body[2] = {body_named(frames.bodies[0]), body_named(frames.bodies[1])};
  for (const std::size_t s : {0u, 1u}) {
    refuse_state_body(body[s], frames.bodies[s].where, "it acts on");
  }
  if (body[0] == body[1]) fail(frames.bodies[1].where, "its two bodies are the same");
  if (world && in_bodies) {
    fail(spec.where,
         "give point, axis, … once in the initial configuration, or points, axes, … per body, "
         "not both");
  }
  for (const auto* list : {&frames.points, &frames.axes, &frames.references}) {
    if (!list->empty() && list->size() != 2) {
      fail(spec.where, "points, axes, references take two entries, one for each body");
    }
  }
  if (frames.reference && !frames.axis) {
    fail(place(frames.reference->where), "a reference direction needs an axis");
  }
  if (!frames.references.empty() && frames.axes.empty()) {
    fail(place(frames.references[0].where), "references need axes");
  }
  if (frames.axis2) fail(spec.where, "a " + type + " has one axis only");
  const JointModel* fixed = catalogue_.find_joint("fixed");
  if (!fixed) throw InvalidArgument("the catalogue has no fixed joint");
  const SideFrames at =
      in_bodies ? frames_in_bodies(frames, *fixed, body) : frames_in_world(frames, *fixed, body);
  force.body1 = body[0];
  force.body2 = body[1];
  force.F = add_frame(spec.name + ".F", at.R[0], at.origin[0]);
  force.M = add_frame(spec.name + ".M", at.R[1], at.origin[1]);
}

void ModelCompiler::attach_to_body(const ForceSpec& spec, Force& force) const {
  const PortAttachment attachment = port_attachment(force.type->port());
  const std::string type = spec.type.name;
  if (attachment == PortAttachment::kPoint) {
    if (!spec.point) fail(spec.where, "a " + type + " acts on a point");
    force.point2 = vector_named(spec.point->name, spec.point->where, true);
  } else if (spec.point) {
    fail(spec.where, "a " + type + " does not act on a point");
  }
  if (attachment == PortAttachment::kBody) {
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
  if (force.in_body_axes && attachment != PortAttachment::kPoint &&
      attachment != PortAttachment::kBody) {
    fail(spec.where, "the axes of a " + type + " are not to be chosen");
  }
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

void ModelCompiler::check_force_inputs(NodeId node, const SourceLocation& where,
                                       const std::string& field, bool reactions) const {
  for (const int input : signal_graph_.inputs_of(node)) {
    const SignalInput& in = model_.signal_inputs_[static_cast<std::size_t>(input)];
    if (in.order > 1) fail(where, field + ": a force cannot depend on accelerations");
    if (in.kind == SignalInput::Kind::kReaction && !reactions) {
      fail(where, field +
                      ": a force cannot depend on reactions, but for the value of a joint-force: "
                      "what acts along a joint's free direction does not change its reaction");
    }
    if (in.kind == SignalInput::Kind::kEnergy) {
      fail(where, field + ": a force cannot depend on energies");
    }
    if (in.kind == SignalInput::Kind::kForce || in.kind == SignalInput::Kind::kMultiplier) {
      fail(where, field + ": a force cannot depend on what other forces and constraints do");
    }
  }
}

/// p holds 0 and the force tape the expression.
void ModelCompiler::add_variable_attribute(Force& force, const std::string& name,
                                           const std::string& unit, NodeId node) {
  force.variable.emplace_back(static_cast<int>(p_.size()) - force.attributes,
                              static_cast<int>(force_outputs_.size()));
  force_outputs_.push_back(node);
  add_physical(name, unit, Symbol(0));
}

/// One number of an attribute, at its place in p. It may vary during the run.
void ModelCompiler::add_attribute(Force& force, const AttributeInfo& attribute,
                                  const std::string& name, const NumberSpec& spec,
                                  const std::string& field) {
  const std::string unit(attribute.unit);
  if (!attribute.words.empty()) {
    const int word = word_place(attribute.words, spec.text);
    if (word < 0) {
      fail(spec.where, fmt::format("{} is one of {}, not \"{}\"", field,
                                   fmt::join(words_of(attribute.words), ", "), spec.text));
    }
    add_physical(name, unit, Symbol(word));
    return;
  }
  if (attribute.variable && varies(spec, field)) {
    NodeId node = signal_expression(spec, field);
    check_force_inputs(node, spec.where, field);
    if (unit == "rad" && description_.degrees) {
      node = signal_graph_.binary(Op::kMul, node, signal_graph_.constant(std::numbers::pi / 180));
    }
    add_variable_attribute(force, name, unit, node);
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
    if (!attribute.variable || attribute.ground) continue;
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
  if (!spec.name.empty()) {  // an axis or a name of the ground, which do not vary
    const bool point = attribute.unit == "m";
    add_physical(name, std::string(attribute.unit), triple_on(spec, 0, point, key));
    return;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    NumberSpec entry = spec.entries[i];
    if (!entry.where.known()) entry.where = spec.where;
    const std::string axis = std::string(".") + static_cast<char>('x' + static_cast<int>(i));
    add_attribute(force, attribute, name + axis, entry, key + axis);
  }
}

/// Six numbers are the diagonal of the matrix, 36 all of it.
void ModelCompiler::add_matrix_attribute(Force& force, const AttributeInfo& attribute,
                                         const std::string& name,
                                         const std::vector<NumberSpec>& numbers) {
  const std::string key(attribute.name);
  if (numbers.size() != 6 && numbers.size() != 36) {
    fail(force.where, key + " takes six numbers, or six lists of six");
  }
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      const std::string entry = "[" + std::to_string(i + 1) + "," + std::to_string(j + 1) + "]";
      if (numbers.size() == 6 && i != j) {
        add_physical(name + entry, std::string(attribute.unit), Symbol(0));
      } else {
        add_attribute(force, attribute, name + entry, numbers[numbers.size() == 6 ? i : 6 * i + j],
                      key + entry);
      }
    }
  }
}

/// The reader knows the keys; a model built in C++ is checked here.
void ModelCompiler::refuse_unknown_attributes(const ForceSpec& spec, const ForceModel& type) const {
  std::vector<std::string> known;
  for (const AttributeInfo& attribute : type.attributes()) known.emplace_back(attribute.name);
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
  for (const auto& [key, value] : spec.matrices) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      fail(spec.where, "a " + spec.type.name + " has no \"" + key + "\"" + suggestion(key, known));
    }
  }
}

/// A force on a coordinate whose value reads reactions: it is an output of the signals, which know all about
/// them. True if it is one.
bool ModelCompiler::compile_reactive(const ForceSpec& spec, const Force& force) {
  if (force.type->attributes().empty()) return false;
  const AttributeInfo& attribute = force.type->attributes().front();
  const auto value = spec.numbers.find(std::string(attribute.name));
  if (!attribute.reactive || value == spec.numbers.end()) return false;
  if (!varies(value->second, value->first)) return false;
  const NodeId node = signal_expression(value->second, value->first);
  bool reads = false;
  for (const int input : signal_graph_.inputs_of(node)) {
    const SignalInput& in = model_.signal_inputs_[static_cast<std::size_t>(input)];
    reads = reads || in.kind == SignalInput::Kind::kReaction;
  }
  if (!reads) return false;
  check_force_inputs(node, value->second.where, value->first, true);
  model_.reactive_forces_.push_back({spec.name, force.joint, force.coordinate,
                                     static_cast<int>(signal_outputs_.size()), spec.where});
  signal_outputs_.push_back(node);
  return true;
}

/// What the type itself refuses, at the values of the file.
void ModelCompiler::check_attributes(const ForceSpec& spec, const Force& force) const {
  AttributeVector<double> values(force.type->attribute_count());
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    values(i) = p_[static_cast<std::size_t>(force.attributes + i)].value();
  }
  const auto given = [&](std::string_view key) {
    const std::string name(key);
    return spec.numbers.contains(name) || spec.vectors.contains(name) ||
           spec.matrices.contains(name);
  };
  const std::string refusal = force.type->refusal(values, given);
  if (!refusal.empty()) fail(place_of(spec, refusal), refusal);
  if (force.joint < 0) return;
  const Joint& joint = model_.joints_[static_cast<std::size_t>(force.joint)];
  const auto kind = joint.type->coordinates()[static_cast<std::size_t>(force.coordinate)].kind;
  const std::string other = force.type->coordinate_refusal(kind, given);
  if (!other.empty()) fail(spec.joint->where, other);
}

void ModelCompiler::compile_force(const ForceSpec& spec) {
  Force force;
  force.name = spec.name;
  force.where = spec.where;
  const auto taken = [&](const auto& others) {
    for (const auto& other : others) {
      if (other.name == spec.name) fail(spec.where, "it is defined twice");
    }
  };
  taken(model_.forces_);
  taken(model_.reactive_forces_);
  force.type = catalogue_.find_force(spec.type.name);
  if (!force.type) {
    std::vector<std::string> known;
    for (const ForceModel* f : catalogue_.forces()) known.emplace_back(f->name());
    fail(spec.type.where,
         "unknown force type \"" + spec.type.name + "\"" + suggestion(spec.type.name, known));
  }
  if (force.type->name() == "friction") {
    refuse_unknown_attributes(spec, *force.type);
    return compile_friction(spec);
  }
  attach(spec, force);
  refuse_unknown_attributes(spec, *force.type);
  if (given_attributes(spec) == 0 && !force.type->attributes().empty()) {
    fail(spec.where, "it has no value: give one of " + attribute_names(*force.type));
  }
  if (force.type->name() == "gravity-field") return compile_field(spec);
  if (const ForceModel* part = catalogue_.find_part(force.type->name())) {
    return compile_law(spec, force, *part);
  }
  if (compile_reactive(spec, force)) return;
  intern_inputs(spec, *force.type);
  std::optional<std::array<NodeId, 5>> ground;
  if (const auto height = spec.numbers.find("ground"); height != spec.numbers.end()) {
    const auto radius = spec.numbers.find("radius");
    ground = ground_nodes(
        force, height->second,
        radius == spec.numbers.end() ? std::optional<NumberSpec>() : std::optional(radius->second));
  }
  force.attributes = static_cast<int>(p_.size());
  for (const AttributeInfo& attribute : force.type->attributes()) {
    const std::string key(attribute.name), unit(attribute.unit);
    const auto scalar = spec.numbers.find(key);
    const auto vector = spec.vectors.find(key);
    const auto matrix = spec.matrices.find(key);
    const bool given = scalar != spec.numbers.end() || vector != spec.vectors.end() ||
                       matrix != spec.matrices.end();
    if (!given && attribute.required) fail(spec.where, "needs " + key);
    const std::string name = spec.name + "." + key;
    if (attribute.ground) {
      add_ground_attribute(spec, force, attribute, ground ? &*ground : nullptr);
    } else if (!given) {
      for (int i = 0; i < attribute.size; ++i) add_physical(name, unit, Symbol(0));
    } else if (attribute.size == 36) {
      if (matrix == spec.matrices.end()) {
        fail(spec.where, key + " takes six numbers, or six lists of six");
      }
      add_matrix_attribute(force, attribute, name, matrix->second);
    } else if (matrix != spec.matrices.end()) {
      fail(spec.where, key + (attribute.size == 3 ? " takes three numbers" : " takes one number"));
    } else if (attribute.size == 3) {
      if (scalar != spec.numbers.end()) fail(scalar->second.where, key + " takes three numbers");
      add_vector_attribute(force, attribute, name, vector->second);
    } else {
      if (vector != spec.vectors.end()) fail(vector->second.where, key + " takes one number");
      add_attribute(force, attribute, name, scalar->second, key);
    }
  }
  check_attributes(spec, force);
  for (const StateInfo& state : states_of(spec, *force.type)) {
    const auto joint = joint_index_.find(spec.name + "." + std::string(state.name));
    if (joint == joint_index_.end()) throw AlreadyReported{};
    force.states.push_back(joint->second);
    used_joints_.insert(joint->second);
  }
  model_.forces_.push_back(std::move(force));
}

}  // namespace kinegrad

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
    force.joint = coordinate.joint;
    force.coordinate = std::max(0, coordinate.component);
    used_joints_.insert(force.joint);
  } else if (spec.joint) {
    fail(spec.where, "a " + type + " does not act on a joint");
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
  force.attributes = static_cast<int>(p_.size());
  for (const AttributeInfo& attribute : force.type->attributes()) {
    const std::string key(attribute.name), unit(attribute.unit);
    known.push_back(key);
    const auto scalar = spec.numbers.find(key);
    const auto vector = spec.vectors.find(key);
    const bool given = scalar != spec.numbers.end() || vector != spec.vectors.end();
    if (!given && attribute.required) fail(spec.where, "needs " + key);
    if (attribute.size == 3) {
      if (scalar != spec.numbers.end()) fail(scalar->second.where, key + " takes three numbers");
      const Sym3 zero(Symbol(0), Symbol(0), Symbol(0));
      add_physical(spec.name + "." + key, unit, given ? triple(vector->second, key) : zero);
    } else {
      if (vector != spec.vectors.end()) fail(vector->second.where, key + " takes one number");
      const bool is_angle = unit == "rad";
      const Symbol value = !given     ? Symbol(0)
                           : is_angle ? angle(scalar->second, key)
                                      : number(scalar->second, key);
      add_physical(spec.name + "." + key, unit, value);
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

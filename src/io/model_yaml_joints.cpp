#include <fmt/format.h>

#include "io/model_yaml_sections.hpp"

namespace kinegrad::io {

namespace {

/// What other programs call our joints.
std::string_view our_word(std::string_view other) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"hinge", "revolute"},   {"pin", "revolute"},      {"rotary", "revolute"},
      {"slider", "prismatic"}, {"sliding", "prismatic"}, {"translational", "prismatic"},
      {"ball", "spherical"},   {"cardan", "universal"},  {"hooke", "universal"},
      {"weld", "fixed"},       {"rigid", "fixed"},       {"free", "floating"}};
  for (const auto& [theirs, ours] : kWords) {
    if (theirs == other) return ours;
  }
  return {};
}

NameSpec read_joint_type(ReadContext& context, const Field& field) {
  NameSpec type = read_name(context, field);
  if (type.name.empty() || context.catalogue().find_joint(type.name)) return type;
  std::vector<std::string> known;
  for (const JointModel* joint : context.catalogue().joints()) known.emplace_back(joint->name());
  const std::string_view ours = our_word(type.name);
  const std::string nearest = suggestion(type.name, known);
  context.report(field.where, field.label,
                 "unknown joint type \"" + type.name + "\"" +
                     (!ours.empty()     ? fmt::format(" (did you mean \"{}\"?)", ours)
                      : nearest.empty() ? fmt::format("; there are {}", fmt::join(known, ", "))
                                        : nearest));
  return {};
}

}  // namespace

void read_joints(const MapReader& model, ModelDescription& out) {
  ReadContext& context = model.context();
  for (const auto& [name, field] : find_elements(model, "joints", NameOf::kJoint)) {
    JointSpec& joint = out.joints.emplace_back();
    joint.name = name.name;
    joint.where = name.where;
    const MapReader map(context, field, joint_keys());
    if (const auto type = map.find("type")) joint.type = read_joint_type(context, *type);
    if (const auto bodies = map.find("bodies")) joint.bodies = read_names(context, *bodies, 2);
    joint.point = find_vector(map, "point");
    joint.axis = find_vector(map, "axis");
    joint.axis2 = find_vector(map, "axis2");
    joint.reference = find_vector(map, "reference");
    if (const auto points = map.find("points")) joint.points = read_vectors(context, *points, 2);
    if (const auto axes = map.find("axes")) joint.axes = read_vectors(context, *axes, 2);
    if (const auto references = map.find("references")) {
      joint.references = read_vectors(context, *references, 2);
    }
    if (const auto cut = map.find("cut")) joint.cut = read_flag(context, *cut);
    if (const auto closure = map.find("closure")) {
      joint.closure = read_word(context, *closure, joint_keys().find("closure")->words);
    }
  }
}

}  // namespace kinegrad::io

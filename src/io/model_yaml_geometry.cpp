#include "io/model_yaml_sections.hpp"

namespace kinegrad::io {

std::vector<NamedVectorSpec> read_named_vectors(const MapReader& owner, std::string_view key,
                                                NameOf what, const std::string& label) {
  std::vector<NamedVectorSpec> out;
  for (const auto& [name, field] : find_elements(owner, key, what, label)) {
    out.push_back({name.name, read_vector(owner.context(), field), name.where});
  }
  return out;
}

OrientationSpec read_orientation(ReadContext& context, const Field& field) {
  OrientationSpec out;
  out.where = field.where;
  const MapReader map(context, field, orientation_keys());
  if (!field.node->is_map()) return out;
  out.axis = find_vector(map, "axis");
  out.angle = find_number(map, "angle");
  out.x = find_vector(map, "x");
  out.z = find_vector(map, "z");
  const auto euler = map.find("euler_parameters");
  if (euler) out.euler_parameters = read_numbers(context, *euler, 4);

  const bool by_axis = out.axis || out.angle;
  const bool by_directions = out.x || out.z;
  const int ways = int{by_axis} + int{by_directions} + int{euler.has_value()};
  if (ways != 1) {
    context.report(field.where, field.label,
                   "give one of: axis and angle; x and z; euler_parameters");
  } else if (by_axis && !(out.axis && out.angle)) {
    context.report(field.where, field.label, "axis and angle go together");
  } else if (by_directions && !(out.x && out.z)) {
    context.report(field.where, field.label, "x and z go together");
  }
  return out;
}

PlacementSpec read_placement(ReadContext& context, const Field& field) {
  PlacementSpec out;
  out.where = field.where;
  const MapReader map(context, field, placement_keys());
  out.position = find_vector(map, "position");
  if (const auto orientation = map.find("orientation")) {
    out.orientation = read_orientation(context, *orientation);
  }
  return out;
}

}  // namespace kinegrad::io

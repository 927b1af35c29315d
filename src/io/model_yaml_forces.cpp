#include <fmt/format.h>

#include "io/model_yaml_sections.hpp"

namespace kinegrad::io {

namespace {

std::vector<std::string> force_type_names(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const ForceModel* force : catalogue.forces()) names.emplace_back(force->name());
  return names;
}

/// Six numbers, or six lists of six one after the other.
std::vector<NumberSpec> read_matrix(ReadContext& context, const Field& field) {
  std::vector<NumberSpec> out;
  const bool rows = field.node->is_sequence() && !field.node->items.empty() &&
                    field.node->items.front()->is_sequence();
  if (!rows) return read_numbers(context, field, 6);
  for (const Field& row : read_list(context, field, 6, "lists of six numbers")) {
    for (const NumberSpec& number : read_numbers(context, row, 6)) out.push_back(number);
  }
  return out;
}

/// The keys by which a frame is given in the initial configuration; null for an attribute.
std::optional<VectorSpec>* frame_key(JointSpec& frames, std::string_view key) {
  if (key == "point") return &frames.point;
  if (key == "axis") return &frames.axis;
  if (key == "reference") return &frames.reference;
  return nullptr;
}

void read_force_fields(ReadContext& context, const Field& field, const ForceModel& model,
                       ForceSpec& force) {
  const KeyTable table = force_keys(model);
  const MapReader map(context, field, table);
  for (const KeyInfo& info : table.keys) {
    const auto value = map.find(info.key);
    if (!value) continue;
    switch (info.kind) {
      case FieldKind::kTwoNames:
        (info.key == "bodies" ? force.frames.bodies : force.points) =
            read_names(context, *value, 2);
        break;
      case FieldKind::kTwoVectors:
        (info.key == "points" ? force.frames.points
         : info.key == "axes" ? force.frames.axes
                              : force.frames.references) = read_vectors(context, *value, 2);
        break;
      case FieldKind::kMatrix6: force.matrices[info.key] = read_matrix(context, *value); break;
      case FieldKind::kName:
        (info.key == "point"  ? force.point
         : info.key == "body" ? force.body
                              : force.joint) = read_name(context, *value);
        break;
      case FieldKind::kWord:
        if (info.key == "axes") {
          force.axes = read_word(context, *value, info.words);
        } else if (info.key != "type") {
          NumberSpec word(read_word(context, *value, info.words));
          word.where = value->where;
          force.numbers[info.key] = std::move(word);
        }
        break;
      case FieldKind::kVector:
        if (std::optional<VectorSpec>* frame = frame_key(force.frames, info.key)) {
          *frame = read_vector(context, *value);
        } else {
          force.vectors[info.key] = read_vector(context, *value);
        }
        break;
      case FieldKind::kNumber: force.numbers[info.key] = read_number(context, *value); break;
      default: break;  // the type, known already
    }
  }
}

}  // namespace

void read_forces(const MapReader& model, ModelDescription& out) {
  ReadContext& context = model.context();
  const std::vector<std::string> types = force_type_names(context.catalogue());
  for (const auto& [name, field] : find_elements(model, "forces", NameOf::kForce)) {
    // The type is looked up first: it decides which keys are known.
    const YamlEntry* type = field.node->is_map() ? field.node->find("type") : nullptr;
    if (!type) {
      context.report(
          field.where, field.label,
          fmt::format("a force is a map with a key \"type\": one of {}", fmt::join(types, ", ")));
      continue;
    }
    const Field type_field{type->value, field.label + ": \"type\"", context.place(*type)};
    ForceSpec force;
    force.name = name.name;
    force.where = name.where;
    force.frames.where = name.where;
    force.type = NameSpec(read_word(context, type_field, types), type_field.where);
    if (force.type.name.empty()) continue;
    read_force_fields(context, field, *context.catalogue().find_force(force.type.name), force);
    out.forces.push_back(std::move(force));
  }
}

}  // namespace kinegrad::io

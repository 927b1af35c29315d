#include <fmt/format.h>

#include "io/model_yaml_sections.hpp"

namespace kinegrad::io {

namespace {

void read_constraint_fields(ReadContext& context, const Field& field, const ConstraintModel& model,
                            ConstraintSpec& constraint) {
  const KeyTable table = constraint_keys(model);
  const MapReader map(context, field, table);
  for (const KeyInfo& info : table.keys) {
    const auto value = map.find(info.key);
    if (!value) continue;
    switch (info.kind) {
      case FieldKind::kVector: constraint.vectors[info.key] = {read_vector(context, *value)}; break;
      case FieldKind::kTwoVectors:
        constraint.vectors[info.key] = read_vectors(context, *value, 2);
        break;
      case FieldKind::kNumber:
      case FieldKind::kMotion: constraint.numbers[info.key] = {read_number(context, *value)}; break;
      case FieldKind::kNumbers:
      case FieldKind::kMotions:
        constraint.numbers[info.key] = read_numbers(context, *value, 0);
        break;
      default: break;  // the type, known already
    }
  }
}

}  // namespace

void read_constraints(const MapReader& model, ModelDescription& out) {
  ReadContext& context = model.context();
  std::vector<std::string> types;
  for (const ConstraintModel* c : context.catalogue().constraints()) types.emplace_back(c->name());
  for (const auto& [name, field] : find_elements(model, "constraints", NameOf::kConstraint)) {
    // The type is looked up first: it decides which keys are known.
    const YamlEntry* type = field.node->is_map() ? field.node->find("type") : nullptr;
    if (!type) {
      context.report(field.where, field.label,
                     fmt::format("a constraint is a map with a key \"type\": one of {}",
                                 fmt::join(types, ", ")));
      continue;
    }
    const Field type_field{type->value, field.label + ": \"type\"", context.place(*type)};
    ConstraintSpec constraint;
    constraint.name = name.name;
    constraint.where = name.where;
    constraint.type = NameSpec(read_word(context, type_field, types), type_field.where);
    if (constraint.type.name.empty()) continue;
    read_constraint_fields(context, field,
                           *context.catalogue().find_constraint(constraint.type.name), constraint);
    out.constraints.push_back(std::move(constraint));
  }
}

}  // namespace kinegrad::io

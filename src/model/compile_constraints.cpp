// Constraints of the file: type, fields, rows (docs/theory/constraints.md).
#include <fmt/format.h>

#include <algorithm>

#include "model/constraint_fields.hpp"

namespace kinegrad {

namespace {

using FieldKind = ConstraintField::Kind;

bool is_vector(FieldKind kind) { return kind <= FieldKind::kDirections; }

/// How many entries the field takes; 0: any number of them.
std::size_t entries_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::kPoints:
    case FieldKind::kDirections: return 2;
    case FieldKind::kCoordinates:
    case FieldKind::kNumbers: return 0;
    default: return 1;
  }
}

}  // namespace

/// The reader refuses such fields with a better place; a model built in C++ meets them here.
void ModelCompiler::check_constraint_fields(const ConstraintSpec& spec,
                                            const ConstraintModel& type) const {
  std::vector<std::string> known;
  for (const ConstraintField& field : type.fields()) known.emplace_back(field.name);
  const auto check = [&](const auto& given, bool vectors) {
    for (const auto& [key, entries] : given) {
      const ConstraintField* field = type.find(key);
      if (!field) {
        fail(spec.where,
             "a " + spec.type.name + " has no \"" + key + "\"" + suggestion(key, known));
      }
      const std::size_t wanted = entries_of(field->kind);
      if (is_vector(field->kind) != vectors) {
        fail(spec.where, key + (vectors ? " takes numbers" : " takes points or directions"));
      }
      if (entries.empty() || (wanted && entries.size() != wanted)) {
        fail(spec.where, fmt::format("{} takes {} entr{}, not {}", key, wanted ? wanted : 1,
                                     wanted == 2 ? "ies" : "y", entries.size()));
      }
    }
  };
  check(spec.vectors, true);
  check(spec.numbers, false);
  for (const ConstraintField& field : type.fields()) {
    const bool given = is_vector(field.kind) ? spec.vectors.contains(field.name)
                                             : spec.numbers.contains(field.name);
    if (field.required && !given) fail(spec.where, "needs " + std::string(field.name));
  }
}

void ModelCompiler::compile_constraint(const ConstraintSpec& spec) {
  for (const Constraint& other : model_.constraints_) {
    if (other.name == spec.name) fail(spec.where, "it is defined twice");
  }
  const ConstraintModel* type = catalogue_.find_constraint(spec.type.name);
  if (!type) {
    std::vector<std::string> known;
    for (const ConstraintModel* c : catalogue_.constraints()) known.emplace_back(c->name());
    fail(spec.type.where,
         "unknown constraint type \"" + spec.type.name + "\"" + suggestion(spec.type.name, known));
  }
  check_constraint_fields(spec, *type);
  const int index = static_cast<int>(model_.constraints_.size());
  model_.constraints_.push_back({spec.name, spec.type.name, -1, spec.where});
  ConstraintFields fields(*this, spec, *type, index);
  type->write(fields);
}

void ModelCompiler::compile_constraints() {
  for (const ConstraintSpec& spec : description_.constraints) {
    guard("constraint \"" + spec.name + "\"", spec.where, [&] { compile_constraint(spec); });
  }
}

/// A cut joint has no coordinates of its own to differentiate with respect to.
void ModelCompiler::check_constraint_joints() {
  for (const auto& [constraint, joint] : constraint_joints_) {
    const Joint& cut = model_.joints_[static_cast<std::size_t>(joint)];
    if (!cut.cut) continue;
    const Constraint& reader = model_.constraints_[static_cast<std::size_t>(constraint)];
    diagnostics_.add(reader.where, "constraint \"" + reader.name + "\" reads joint \"" + cut.name +
                                       "\", which is cut to open its loop: put cut: true on "
                                       "another joint of the loop");
  }
}

}  // namespace kinegrad

// The section `optimize`: what is to be minimised, over which parameters, and how far.
#include <fmt/format.h>

#include <cctype>

#include "io/model_yaml_sections.hpp"
#include "io/yaml_text.hpp"
#include "kinegrad/optimization/optimizer.hpp"

namespace kinegrad::io {

namespace {

/// "L", or an element of a list: "u[17]".
bool is_parameter_name(std::string_view text) {
  const std::size_t bracket = text.find('[');
  if (bracket == std::string_view::npos) return is_identifier(text);
  const std::string_view index = text.substr(bracket + 1);
  if (index.size() < 2 || index.back() != ']' || !is_identifier(text.substr(0, bracket))) {
    return false;
  }
  for (const char c : index.substr(0, index.size() - 1)) {
    if (!std::isdigit(static_cast<unsigned char>(c))) return false;
  }
  return true;
}

NameSpec read_parameter_name(ReadContext& context, const Field& field) {
  if (field.node->is_scalar() && is_parameter_name(field.node->text)) {
    return {field.node->text, field.where};
  }
  context.report(field.where, field.label,
                 fmt::format("expected the name of a parameter, found {}",
                             field.node->is_scalar() ? shown(field.node->text)
                                                     : std::string(kind_word(*field.node))));
  return {};
}

/// {name: number, …}; an empty map is reported.
std::vector<NamedNumberSpec> read_named_numbers(ReadContext& context, const Field& field,
                                                const char* wanted) {
  std::vector<NamedNumberSpec> out;
  if (!field.node->is_map() || field.node->entries.empty()) {
    context.report(field.where, field.label,
                   fmt::format("expected {}, found {}", wanted,
                               field.node->is_map() ? "an empty map" : kind_word(*field.node)));
    return out;
  }
  for (const YamlEntry& entry : field.node->entries) {
    const SourceLocation where = context.place(entry);
    const std::string label = field.label + ": " + shown(entry.key);
    if (entry.value->is_null()) {
      context.report(where, label, "has no value");
      continue;
    }
    NumberSpec number = read_number(
        context, {entry.value, label, entry.value->is_map() ? where : context.place(*entry.value)});
    out.push_back({NameSpec(entry.key, where), std::move(number)});
  }
  return out;
}

/// Objectives of equal weight.
std::vector<NamedNumberSpec> read_objective_list(ReadContext& context, const Field& field) {
  std::vector<NamedNumberSpec> out;
  for (NameSpec& name : read_names(context, field, 0)) out.push_back({std::move(name), 1});
  return out;
}

void read_minimize(ReadContext& context, const Field& field, OptimizeSpec& out) {
  static constexpr const char* kWanted =
      "an objective, a map from objectives to weights, or {minimax: [objectives]}";
  if (field.node->is_scalar()) {
    out.minimize.push_back({read_name(context, field), 1});
    return;
  }
  const YamlEntry* minimax = field.node->is_map() ? field.node->find("minimax") : nullptr;
  if (!minimax) {
    out.minimize = read_named_numbers(context, field, kWanted);
    return;
  }
  out.minimax = true;
  if (field.node->entries.size() > 1) {
    context.report(field.where, field.label, "\"minimax\" stands alone");
  }
  const Field inner{minimax->value, field.label + ": \"minimax\"", context.place(*minimax)};
  out.minimize = inner.node->is_map() ? read_named_numbers(context, inner, kWanted)
                                      : read_objective_list(context, inner);
}

void read_constraint_ranges(ReadContext& context, const Field& field, OptimizeSpec& out) {
  for (const auto& [name, range] : read_elements(context, field, NameOf::kObjective, field.label)) {
    ObjectiveRangeSpec& spec = out.constraints.emplace_back();
    spec.objective = name;
    const MapReader map(context, range, objective_range_keys());
    spec.at_least = find_number(map, "at_least");
    spec.at_most = find_number(map, "at_most");
    spec.equals = find_number(map, "equals");
  }
}

void read_scale(ReadContext& context, const Field& field, OptimizeSpec& out) {
  if (field.node->is_scalar() && field.node->text == "automatic") return;
  out.scale = read_named_numbers(context, field, "automatic or a map from parameters to numbers");
}

/// What the optimiser named here cannot do, said where it is named.
void check_optimizer(ReadContext& context, const OptimizeSpec& spec) {
  const OptimizerInfo* info = spec.optimizer ? find_optimizer(spec.optimizer->name) : nullptr;
  if (!info) return;
  bool equation = false;
  for (const ObjectiveRangeSpec& range : spec.constraints) equation |= range.equals.has_value();
  const std::string refusal =
      optimizer_refusal(*info, !spec.constraints.empty(), equation, spec.minimax);
  if (!refusal.empty()) {
    context.report(spec.optimizer->where, "\"optimize\": \"optimizer\"", refusal);
  }
}

}  // namespace

void read_optimize(const MapReader& model, ModelDescription& out) {
  const auto field = model.find("optimize");
  if (!field) return;
  ReadContext& context = model.context();
  OptimizeSpec& spec = out.optimize;
  spec.given = true;
  spec.where = field->where;
  const MapReader map(context, *field, optimize_keys());
  const auto find_choice = [&](std::string_view key) -> std::optional<NameSpec> {
    const auto choice = map.find(key);
    if (!choice) return {};
    return NameSpec(read_word(context, *choice, optimize_keys().find(key)->words), choice->where);
  };
  if (const auto minimize = map.find("minimize")) read_minimize(context, *minimize, spec);
  if (const auto names = map.find("parameters")) {
    for (const Field& entry : read_list(context, *names, 0, "parameters")) {
      spec.parameters.push_back(read_parameter_name(context, entry));
    }
  }
  if (const auto ranges = map.find("constraints")) read_constraint_ranges(context, *ranges, spec);
  spec.optimizer = find_choice("optimizer");
  spec.method = find_choice("method");
  spec.tolerance = find_number(map, "tolerance");
  spec.objective_tolerance = find_number(map, "objective_tolerance");
  spec.parameter_tolerance = find_number(map, "parameter_tolerance");
  spec.constraint_tolerance = find_number(map, "constraint_tolerance");
  spec.evaluations = find_number(map, "evaluations");
  spec.seconds = find_number(map, "seconds");
  spec.starts = find_number(map, "starts");
  spec.seed = find_number(map, "seed");
  if (const auto scale = map.find("scale")) read_scale(context, *scale, spec);
  if (const auto horizons = map.find("horizons")) {
    spec.horizons = read_numbers(context, *horizons, 0);
  }
  check_optimizer(context, spec);
}

}  // namespace kinegrad::io

// The sections about the motion: where it starts, what is observed of it, how it is computed.
#include <fmt/format.h>

#include "io/model_yaml_sections.hpp"
#include "io/yaml_text.hpp"
#include "kinegrad/model/joint_model.hpp"

namespace kinegrad::io {

namespace {

void read_initial_entry(ReadContext& context, const std::string& section, const YamlEntry& entry,
                        std::vector<InitialSpec>& out) {
  const std::string label = section + " " + shown(entry.key);
  const SourceLocation where = context.place(entry);
  if (!is_component(entry.key)) {
    context.report(where, label, "expected the name of a coordinate or speed, like A.q or A.v");
    return;
  }
  InitialSpec initial;
  initial.key = NameSpec(entry.key, where);
  const Field value{entry.value, label,
                    entry.value->is_sequence() ? context.place(*entry.value) : where};
  if (value.node->is_null()) {
    context.report(where, label, "has no value");
  } else if (!value.node->is_sequence()) {
    initial.values.push_back(read_number(context, value));
  } else if (value.node->items.size() > kMaxNamedCoordinates) {
    context.report(where, label,
                   fmt::format("{} values, but no joint has more than {} coordinates",
                               value.node->items.size(), kMaxNamedCoordinates));
  } else {
    initial.values = read_numbers(context, value, 0);
  }
  out.push_back(std::move(initial));
}

/// A section that maps coordinates and speeds to values.
void read_values(const MapReader& model, const std::string& section,
                 std::vector<InitialSpec>& out) {
  const auto field = model.find(section);
  if (!field) return;
  ReadContext& context = model.context();
  if (!field->node->is_map()) {
    context.report(field->where, field->label,
                   fmt::format("expected a map from coordinates to values, found {}",
                               kind_word(*field->node)));
    return;
  }
  for (const YamlEntry& entry : field->node->entries) {
    read_initial_entry(context, section, entry, out);
  }
}

/// A list of coordinates and components, as written.
std::vector<NameSpec> read_components(ReadContext& context, const Field& list) {
  std::vector<NameSpec> names;
  for (const Field& entry : read_list(context, list, 0, "coordinates, like A.q or P.x")) {
    if (entry.node->is_scalar() && is_component(entry.node->text)) {
      names.emplace_back(entry.node->text, entry.where);
    } else {
      context.report(entry.where, entry.label,
                     fmt::format("expected a coordinate, like A.q or P.x, found {}",
                                 entry.node->is_scalar() ? shown(entry.node->text)
                                                         : std::string(kind_word(*entry.node))));
    }
  }
  return names;
}

}  // namespace

void read_initial(const MapReader& model, ModelDescription& out) {
  read_values(model, "initial", out.initial);
  read_values(model, "guess", out.guess);
}

void read_signals(const MapReader& model, ModelDescription& out) {
  ReadContext& context = model.context();
  for (const auto& [name, field] : find_elements(model, "signals", NameOf::kSignal)) {
    SignalSpec& signal = out.signals.emplace_back();
    signal.name = name.name;
    signal.where = name.where;
    if (field.node->is_map()) {
      const MapReader map(context, field, signal_keys());
      signal.value = find_number(map, "value").value_or(NumberSpec{});
      signal.unit = find_text(map, "unit");
      signal.description = find_text(map, "description");
    } else {
      signal.value = read_number(context, field);
    }
  }
}

void read_objectives(const MapReader& model, ModelDescription& out) {
  ReadContext& context = model.context();
  for (const auto& [name, field] : find_elements(model, "objectives", NameOf::kObjective)) {
    ObjectiveSpec& objective = out.objectives.emplace_back();
    objective.name = name.name;
    objective.where = name.where;
    const MapReader map(context, field, objective_keys());
    objective.integral = find_number(map, "integral");
    objective.terminal = find_number(map, "terminal");
    objective.unit = find_text(map, "unit");
    objective.description = find_text(map, "description");
    if (field.node->is_map() && !objective.integral && !objective.terminal) {
      context.report(field.where, field.label, "needs \"integral\" or \"terminal\", or both");
    }
  }
}

void read_analysis(const MapReader& model, ModelDescription& out) {
  const auto field = model.find("analysis");
  if (!field) return;
  const MapReader map(model.context(), *field, analysis_keys());
  const auto find_choice = [&](std::string_view key) -> std::optional<NameSpec> {
    const auto choice = map.find(key);
    if (!choice) return {};
    const std::string word = read_word(map.context(), *choice, analysis_keys().find(key)->words);
    return NameSpec(word, choice->where);
  };
  out.analysis.coordinates = find_choice("coordinates");
  out.analysis.formulation = find_choice("formulation");
  out.analysis.integrator = find_choice("integrator");
  out.analysis.step = find_number(map, "step");
  out.analysis.end = find_number(map, "end");
  out.analysis.tolerance = find_number(map, "tolerance");
  out.analysis.max_step = find_number(map, "max_step");
  out.analysis.min_step = find_number(map, "min_step");
  out.analysis.steps = find_choice("steps");
  out.analysis.start = find_choice("start");
  if (const auto list = map.find("independent")) {
    out.analysis.independent = read_components(map.context(), *list);
  }
  out.analysis.where = field->where;
}

}  // namespace kinegrad::io

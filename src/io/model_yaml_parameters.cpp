#include <fmt/format.h>

#include "io/literal.hpp"
#include "io/model_yaml_sections.hpp"

namespace kinegrad::io {

namespace {

void read_bounds(ReadContext& context, const Field& field, ParameterSpec& parameter) {
  const std::vector<Field> entries = read_list(context, field, 2, "bounds");
  if (entries.empty()) return;
  if (!entries[0].node->is_null()) parameter.lower = read_number(context, entries[0]);
  if (!entries[1].node->is_null()) parameter.upper = read_number(context, entries[1]);
}

/// The k-th of n equidistant nodes, as a number if both ends are numbers, else as an expression.
NumberSpec equidistant_node(const NumberSpec& from, const NumberSpec& to, std::size_t k,
                            std::size_t n) {
  if (k == 0) return from;
  if (k == n - 1) return to;
  const auto a = literal<double>(from.text), b = literal<double>(to.text);
  const double fraction = static_cast<double>(k) / static_cast<double>(n - 1);
  NumberSpec node = a && b ? NumberSpec(*a + (*b - *a) * fraction)
                           : NumberSpec(fmt::format("({}) + {}/{}*(({}) - ({}))", from.text, k,
                                                    n - 1, to.text, from.text));
  node.where = from.where;
  return node;
}

/// Nodes given by their ends and number. That there is one per value is checked before they are
/// made: a short file must not ask for millions.
std::vector<NumberSpec> read_node_range(ReadContext& context, const Field& field,
                                        std::size_t value_count) {
  constexpr std::size_t kLongestEnd = 200;  // it is repeated in every node
  const MapReader map(context, field, node_range_keys());
  const auto from = find_number(map, "from"), to = find_number(map, "to");
  const auto count_field = map.find("count");
  if (!count_field || !from || !to) return {};
  const std::string& text = count_field->node->text;
  const auto count = literal<std::size_t>(text);
  if (!count_field->node->is_scalar() || !count || *count < 2) {
    context.report(count_field->where, count_field->label, "expected a whole number, at least 2");
    return {};
  }
  if (*count != value_count) {
    if (value_count) {
      context.report(count_field->where, count_field->label,
                     fmt::format("{} nodes for {} values", text, value_count));
    }
    return {};
  }
  if (from->text.size() > kLongestEnd || to->text.size() > kLongestEnd) {
    context.report(field.where, field.label, "the ends are too long; list the nodes instead");
    return {};
  }
  std::vector<NumberSpec> nodes;
  for (std::size_t k = 0; k < *count; ++k) {
    nodes.push_back(equidistant_node(*from, *to, k, *count));
  }
  return nodes;
}

SplineSpec read_spline(ReadContext& context, const NameSpec& name, const Field& field) {
  SplineSpec spline;
  spline.name = name.name;
  spline.where = name.where;
  const MapReader map(context, field, spline_keys());
  if (const auto type = map.find("type")) {
    spline.type = read_word(context, *type, spline_keys().find("type")->words);
  }
  if (const auto values = map.find("values")) spline.values = read_numbers(context, *values, 0);
  if (const auto nodes = map.find("nodes")) {
    if (nodes->node->is_map()) {
      spline.nodes = read_node_range(context, *nodes, spline.values.size());
    } else {
      spline.nodes = read_numbers(context, *nodes, 0);
      if (!spline.nodes.empty() && !spline.values.empty() &&
          spline.nodes.size() != spline.values.size()) {
        context.report(
            nodes->where, field.label,
            fmt::format("{} nodes for {} values", spline.nodes.size(), spline.values.size()));
      }
    }
  }
  spline.unit = find_text(map, "unit");
  spline.description = find_text(map, "description");
  return spline;
}

}  // namespace

void read_parameters(const MapReader& model, ModelDescription& out) {
  ReadContext& context = model.context();
  for (const auto& [name, field] : find_elements(model, "parameters", NameOf::kParameter)) {
    ParameterSpec& parameter = out.parameters.emplace_back();
    parameter.name = name.name;
    parameter.where = name.where;
    if (field.node->is_map()) {
      const MapReader map(context, field, parameter_keys());
      parameter.value = find_number(map, "value").value_or(NumberSpec{});
      parameter.unit = find_text(map, "unit");
      parameter.description = find_text(map, "description");
      if (const auto bounds = map.find("bounds")) read_bounds(context, *bounds, parameter);
    } else {
      parameter.value = read_number(context, field);
    }
  }
}

void read_splines(const MapReader& model, ModelDescription& out) {
  for (const auto& [name, field] : find_elements(model, "splines", NameOf::kSpline)) {
    out.splines.push_back(read_spline(model.context(), name, field));
  }
}

}  // namespace kinegrad::io

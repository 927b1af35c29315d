#include <fmt/format.h>

#include "io/literal.hpp"
#include "io/model_yaml_sections.hpp"
#include "io/noise.hpp"
#include "io/samples.hpp"

namespace kinegrad::io {

namespace {

/// As many as a model may ask for in one line.
constexpr std::size_t kLargestRange = 20'000;

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

/// The whole number of `count`; 0 after a finding.
std::size_t read_count(ReadContext& context, const Field& field, std::size_t least) {
  const auto count =
      field.node->is_scalar() ? literal<std::size_t>(field.node->text) : std::nullopt;
  if (count && *count >= least) return *count;
  context.report(field.where, field.label,
                 fmt::format("expected a whole number, at least {}", least));
  return 0;
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
  const std::size_t count =
      read_count(context, *count_field, node_range_keys().find("count")->least);
  if (count == 0) return {};
  if (count != value_count) {
    if (value_count) {
      context.report(count_field->where, count_field->label,
                     fmt::format("{} nodes for {} values", count, value_count));
    }
    return {};
  }
  if (from->text.size() > kLongestEnd || to->text.size() > kLongestEnd) {
    context.report(field.where, field.label, "the ends are too long; list the nodes instead");
    return {};
  }
  std::vector<NumberSpec> nodes;
  for (std::size_t k = 0; k < count; ++k) {
    nodes.push_back(equidistant_node(*from, *to, k, count));
  }
  return nodes;
}

/// Numbers, or the elements of the range whose name stands in their place.
std::vector<NumberSpec> read_values(ReadContext& context, const Field& field,
                                    const ModelDescription& model) {
  if (!field.node->is_scalar()) return read_numbers(context, field, 0);
  std::vector<NumberSpec> out;
  for (const ParameterSpec& parameter : model.parameters) {
    if (range_of(parameter.name) != field.node->text) continue;
    out.emplace_back(parameter.name).where = field.where;
  }
  if (out.empty()) {
    context.report(field.where, field.label,
                   fmt::format("expected a list of numbers or the name of a range of parameters, "
                               "found \"{}\"",
                               field.node->text));
  }
  return out;
}

/// How many nodes a spline has, without making them; 0 if that is not known.
std::size_t node_count(ReadContext& context, const MapReader& spline) {
  const auto nodes = spline.find("nodes");
  if (!nodes) return 0;
  if (nodes->node->is_sequence()) return nodes->node->items.size();
  if (!nodes->node->is_map() || names_samples(*nodes)) return 0;
  const MapReader map(context, *nodes, node_range_keys());
  const auto count = map.find("count");
  return count ? read_count(context, *count, node_range_keys().find("count")->least) : 0;
}

/// {noise: red, seed: 1, size: 0.01, correlation: 4}: size times numbers of variance 1.         [SP-10]
std::vector<NumberSpec> read_noise(ReadContext& context, const Field& field, std::size_t count) {
  constexpr std::size_t kMost = 20000, kLongestSize = 200;
  const MapReader map(context, field, noise_keys());
  const auto word = map.find("noise"), seed = map.find("seed"), like = map.find("correlation");
  const auto size = find_number(map, "size");
  if (!word || !seed || !size) return {};
  const std::string kind = read_word(context, *word, noise_keys().find("noise")->words);
  const auto number =
      seed->node->is_scalar() ? literal<std::size_t>(seed->node->text) : std::nullopt;
  if (!number) context.report(seed->where, seed->label, "expected a whole number");
  const std::size_t correlation = like ? read_count(context, *like, 1) : 0;
  if ((kind == "red") != like.has_value()) {
    context.report(
        field.where, field.label,
        kind == "red" ? "red noise needs correlation" : "white noise has no correlation");
    return {};
  }
  if (!number || kind.empty()) return {};
  if (count > kMost || size->text.size() > kLongestSize) {
    context.report(field.where, field.label, "too many nodes, or too long a size");
    return {};
  }
  std::vector<NumberSpec> out;
  for (const double x : noise(*number, count, static_cast<double>(correlation))) {
    out.emplace_back(fmt::format("({})*({:.17g})", size->text, x), field.where);
  }
  return out;
}

SplineSpec read_spline(ReadContext& context, const NameSpec& name, const Field& field,
                       const ModelDescription& model) {
  SplineSpec spline;
  spline.name = name.name;
  spline.where = name.where;
  const MapReader map(context, field, spline_keys());
  if (const auto type = map.find("type")) {
    spline.type = read_word(context, *type, spline_keys().find("type")->words);
  }
  if (const auto nodes = map.find("nodes"); nodes && names_samples(*nodes)) {
    spline.nodes = read_samples(context, *nodes, spline.files);
    require_increasing(context, *nodes, spline.nodes);
  }
  if (const auto values = map.find("values")) {
    if (names_samples(*values)) {
      spline.values = read_samples(context, *values, spline.files);
    } else if (values->node->is_map()) {
      const std::size_t nodes = spline.nodes.size();
      spline.values = read_noise(context, *values, nodes > 0 ? nodes : node_count(context, map));
    } else {
      spline.values = read_values(context, *values, model);
    }
  }
  if (const auto nodes = map.find("nodes"); nodes && !names_samples(*nodes)) {
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

/// A range of parameters: copies that differ in their names.
void add_range(ReadContext& context, const Field& count_field, const ParameterSpec& parameter,
               ModelDescription& out) {
  const std::size_t count = read_count(context, count_field, parameter_keys().find("count")->least);
  if (count > kLargestRange) {
    context.report(count_field.where, count_field.label,
                   fmt::format("{} parameters; a range has at most {}", count, kLargestRange));
    return;
  }
  for (std::size_t k = 0; k < count; ++k) {
    out.parameters.push_back(parameter);
    out.parameters.back().name = element_of(parameter.name, k);
  }
}

}  // namespace

void read_parameters(const MapReader& model, ModelDescription& out) {
  ReadContext& context = model.context();
  for (const auto& [name, field] : find_elements(model, "parameters", NameOf::kParameter)) {
    ParameterSpec parameter;
    parameter.name = name.name;
    parameter.where = name.where;
    if (!field.node->is_map()) {
      parameter.value = read_number(context, field);
      out.parameters.push_back(parameter);
      continue;
    }
    const MapReader map(context, field, parameter_keys());
    parameter.value = find_number(map, "value").value_or(NumberSpec{});
    parameter.unit = find_text(map, "unit");
    parameter.description = find_text(map, "description");
    if (const auto bounds = map.find("bounds")) read_bounds(context, *bounds, parameter);
    if (const auto count = map.find("count")) {
      add_range(context, *count, parameter, out);
    } else {
      out.parameters.push_back(parameter);
    }
  }
}

void read_splines(const MapReader& model, ModelDescription& out) {
  for (const auto& [name, field] : find_elements(model, "splines", NameOf::kSpline)) {
    out.splines.push_back(read_spline(model.context(), name, field, out));
  }
}

}  // namespace kinegrad::io

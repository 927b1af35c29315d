#include <fmt/format.h>

#include "io/model_yaml_sections.hpp"

namespace kinegrad::io {

namespace {

/// Reads a shape whose type is known. Which keys a type has is in its table alone.
void read_shape_fields(ReadContext& context, const Field& field, ShapeSpec& shape) {
  const KeyTable& table = shape_keys(shape.type);
  const MapReader map(context, field, table);
  const auto vector = [&](std::string_view key, std::optional<VectorSpec>& out) {
    if (table.find(key)) out = find_vector(map, key);
  };
  const auto number = [&](std::string_view key, std::optional<NumberSpec>& out) {
    if (table.find(key)) out = find_number(map, key);
  };
  vector("size", shape.size);
  vector("center", shape.center);
  vector("from", shape.from);
  vector("to", shape.to);
  number("radius", shape.radius);
  number("density", shape.density);
  number("scale", shape.scale);
  if (table.find("orientation")) {
    if (const auto f = map.find("orientation")) shape.orientation = read_orientation(context, *f);
  }
  if (table.find("file")) shape.file = find_text(map, "file");
  shape.color = find_text(map, "color");
}

ShapeSpec read_shape(ReadContext& context, const Field& field) {
  ShapeSpec shape;
  shape.where = field.where;
  // The type is looked up first: it decides which keys are known.
  const YamlEntry* type = field.node->is_map() ? field.node->find("type") : nullptr;
  if (!type) {
    context.report(field.where, field.label,
                   fmt::format("a shape is a map with a key \"type\": one of {}",
                               fmt::join(shape_types(), ", ")));
    return shape;
  }
  const Field type_field{type->value, field.label + ": \"type\"", context.place(*type)};
  shape.type = read_word(context, type_field, shape_types());
  if (!shape.type.empty()) read_shape_fields(context, field, shape);
  return shape;
}

}  // namespace

std::vector<ShapeSpec> read_shapes(const MapReader& body) {
  ReadContext& context = body.context();
  std::vector<ShapeSpec> out;
  if (const auto shape = body.find("shape")) out.push_back(read_shape(context, *shape));
  const auto shapes = body.find("shapes");
  if (!shapes) return out;
  if (!shapes->node->is_sequence()) {
    context.report(shapes->where, shapes->label,
                   fmt::format("expected a list of shapes, found {}", kind_word(*shapes->node)));
    return out;
  }
  for (std::size_t i = 0; i < shapes->node->items.size(); ++i) {
    const YamlNode* node = shapes->node->items[i];
    const SourceLocation where = node->is_null() ? shapes->where : context.place(*node);
    out.push_back(
        read_shape(context, {node, fmt::format("{}: shape {}", body.label(), i + 1), where}));
  }
  return out;
}

}  // namespace kinegrad::io

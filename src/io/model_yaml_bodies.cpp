#include "io/model_yaml_sections.hpp"

namespace kinegrad::io {

void read_bodies(const MapReader& model, ModelDescription& out) {
  ReadContext& context = model.context();
  for (const auto& [name, field] : find_elements(model, "bodies", NameOf::kBody)) {
    BodySpec& body = out.bodies.emplace_back();
    body.name = name.name;
    body.where = name.where;
    const MapReader map(context, field, body_keys());
    body.mass = find_number(map, "mass");
    body.com = find_vector(map, "com");
    if (const auto inertia = map.find("inertia")) body.inertia = read_inertia(context, *inertia);
    if (const auto placement = map.find("placement")) {
      body.placement = read_placement(context, *placement);
    }
    body.points = read_named_vectors(map, "points", NameOf::kPoint, map.label());
    body.vectors = read_named_vectors(map, "vectors", NameOf::kVector, map.label());
    body.shapes = read_shapes(map);
  }
}

}  // namespace kinegrad::io

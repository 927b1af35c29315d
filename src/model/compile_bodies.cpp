// Bodies: placement, mass properties, shapes, points and directions.
#include <fmt/format.h>

#include <filesystem>

#include "kinegrad/model/possible_mass.hpp"
#include "model/model_compiler.hpp"

namespace kinegrad {

std::vector<std::string> ModelCompiler::body_names() const {
  std::vector<std::string> names;
  for (const Body& b : model_.bodies_) names.push_back(b.name);
  return names;
}

int ModelCompiler::body_named(const NameSpec& name) const {
  const auto it = body_index_.find(name.name);
  if (it != body_index_.end()) return it->second;
  fail(name.where, "there is no body \"" + name.name + "\"" + suggestion(name.name, body_names()));
}

void ModelCompiler::declare_bodies() {
  model_.bodies_.push_back({"ground", {}, {}, {}, false, {}});
  body_index_.emplace("ground", 0);
  for (const BodySpec& spec : description_.bodies) {
    Body body;
    body.name = spec.name;
    body.where = spec.where;
    if (!body_index_.emplace(spec.name, static_cast<int>(model_.bodies_.size())).second) {
      diagnostics_.add(spec.where, "body \"" + spec.name + "\" is defined twice");
    }
    model_.bodies_.push_back(std::move(body));
  }
  const std::size_t n = model_.bodies_.size();
  placement_origin_.assign(n, Sym3(Symbol(0), Symbol(0), Symbol(0)));
  placement_R_.assign(n, SymMat3::Identity());
  placed_.assign(n, false);
  placed_[0] = true;
  if (description_.bodies.empty()) {
    diagnostics_.add({description_.file, 1, 1}, "the model has no bodies");
  }
}

void ModelCompiler::compile_placement(const BodySpec& spec, std::size_t body) {
  if (spec.placement.position) {
    placement_origin_[body] = triple_on(*spec.placement.position, 0, true, "placement.position");
  }
  placement_R_[body] = orientation(spec.placement.orientation, "placement.orientation", 0);
  placed_[body] = spec.placement.where.known() || spec.placement.position.has_value();
}

void ModelCompiler::compile_body(const BodySpec& spec, std::size_t index) {
  Body& body = model_.bodies_[index];
  body.auxiliary = spec.auxiliary;
  const MassProperties<Symbol> mass = mass_properties(spec, static_cast<int>(index));
  check_mass(mass, spec);
  body.mass.mass = add_physical(spec.name + ".mass", "kg", mass.mass);
  body.mass.com = add_physical(spec.name + ".com", "m", mass.com);
  const SymMat3& J = mass.inertia;
  body.mass.inertia = add_physical(spec.name + ".inertia.xx", "kg m^2", J(0, 0));
  add_physical(spec.name + ".inertia.yy", "kg m^2", J(1, 1));
  add_physical(spec.name + ".inertia.zz", "kg m^2", J(2, 2));
  add_physical(spec.name + ".inertia.xy", "kg m^2", J(0, 1));
  add_physical(spec.name + ".inertia.xz", "kg m^2", J(0, 2));
  add_physical(spec.name + ".inertia.yz", "kg m^2", J(1, 2));
  for (std::size_t i = 0; i < spec.shapes.size(); ++i) {
    body.shapes.push_back(compile_shape(spec.shapes[i], static_cast<int>(index),
                                        spec.name + ".shape" + std::to_string(i + 1)));
  }
}

MassProperties<Symbol> ModelCompiler::mass_properties(const BodySpec& spec, int body) {
  bool dense = false;
  MassProperties<Symbol> total;
  for (const ShapeSpec& shape : spec.shapes) {
    if (!shape.density) continue;
    const MassProperties<Symbol> mass = shape_mass(shape, body);
    total = dense ? combined(total, mass) : mass;
    dense = true;
  }
  if (!dense) return explicit_mass(spec, body);
  if (spec.mass || spec.com || spec.inertia) {
    fail(spec.where, "give mass, com and inertia, or a shape with a density, not both");
  }
  return total;
}

MassProperties<Symbol> ModelCompiler::explicit_mass(const BodySpec& spec, int body) {
  if (!spec.mass)
    fail(spec.where,
         "it has no mass: give mass (0 for a rotor that has inertia alone), or a shape with a "
         "density");
  MassProperties<Symbol> out;
  out.mass = number(*spec.mass, "mass");
  if (spec.com) out.com = triple_on(*spec.com, body, true, "com");
  if (!spec.inertia) return out;
  const InertiaSpec& J = *spec.inertia;
  const Symbol xx = number(J.xx, "inertia.xx"), yy = number(J.yy, "inertia.yy"),
               zz = number(J.zz, "inertia.zz"), xy = number(J.xy, "inertia.xy"),
               xz = number(J.xz, "inertia.xz"), yz = number(J.yz, "inertia.yz");
  SymMat3 tensor;
  tensor << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  out.inertia = rotated(tensor, orientation(J.axes, "inertia.axes", body));
  if (J.about == "origin") {
    out.inertia -= unit_inertia(out.com) * out.mass;
  } else if (J.about != "com") {
    fail(J.where, "inertia.about is \"com\" or \"origin\", not \"" + J.about + "\"");
  }
  return out;
}

Symbol ModelCompiler::shape_radius(const ShapeSpec& spec) {
  if (!spec.radius) fail(spec.where, "a " + spec.type + " needs a radius");
  const Symbol radius = number(*spec.radius, "shape.radius");
  positive(radius, spec.radius->where, "the radius");
  return radius;
}

Sym3 ModelCompiler::box_size(const ShapeSpec& spec) {
  if (!spec.size) fail(spec.where, "a box needs a size");
  const Sym3 size = triple(*spec.size, "shape.size");
  for (int i = 0; i < 3; ++i) positive(size(i), spec.size->where, "the size of the box");
  return size;
}

MassProperties<Symbol> ModelCompiler::shape_mass(const ShapeSpec& spec, int body) {
  const Symbol density = number(*spec.density, "shape.density");
  positive(density, spec.density->where, "the density");
  const Sym3 zero(Symbol(0), Symbol(0), Symbol(0));
  const Sym3 center = spec.center ? triple_on(*spec.center, body, true, "shape.center") : zero;
  if (spec.type == "box") {
    return box_mass<Symbol>(
        box_size(spec), orientation(spec.orientation, "shape.orientation", body), center, density);
  }
  if (spec.type == "sphere") {
    return sphere_mass<Symbol>(shape_radius(spec), center, density);
  }
  if (spec.type == "cylinder" || spec.type == "capsule") {
    const Sym3 from = triple_on(spec.from.value_or(VectorSpec{}), body, true, "shape.from");
    const Sym3 to = triple_on(spec.to.value_or(VectorSpec{}), body, true, "shape.to");
    const Symbol radius = shape_radius(spec);
    if (!(la::norm((to - from).eval()).value() > 0)) {
      fail(spec.where, "the ends of the " + spec.type + " are the same point");
    }
    return spec.type == "cylinder" ? cylinder_mass<Symbol>(from, to, radius, density)
                                   : capsule_mass<Symbol>(from, to, radius, density);
  }
  fail(spec.where, "a " + spec.type + " cannot have a density");
}

Shape ModelCompiler::compile_shape(const ShapeSpec& spec, int body, const std::string& name) {
  Shape shape{spec.type, static_cast<int>(p_.size()), {}, spec.color};
  const Sym3 zero(Symbol(0), Symbol(0), Symbol(0));
  const Sym3 center = spec.center ? triple_on(*spec.center, body, true, "shape.center") : zero;
  if (spec.type == "box") {
    add_physical(name + ".size", "m", box_size(spec));
    add_frame(name, orientation(spec.orientation, "shape.orientation", body), center);
  } else if (spec.type == "cylinder" || spec.type == "capsule") {
    if (!spec.from || !spec.to) fail(spec.where, "a " + spec.type + " needs from and to");
    add_physical(name + ".from", "m", triple_on(*spec.from, body, true, "shape.from"));
    add_physical(name + ".to", "m", triple_on(*spec.to, body, true, "shape.to"));
    add_physical(name + ".radius", "m", shape_radius(spec));
  } else if (spec.type == "sphere") {
    add_physical(name + ".center", "m", center);
    add_physical(name + ".radius", "m", shape_radius(spec));
  } else if (spec.type == "mesh") {
    const std::filesystem::path path =
        std::filesystem::path(description_.file).parent_path() / spec.file;
    std::error_code error;
    if (spec.file.empty() || !std::filesystem::is_regular_file(path, error)) {
      fail(spec.where, "there is no mesh file \"" + spec.file + "\"");
    }
    shape.file = path.string();
    add_frame(name, orientation(spec.orientation, "shape.orientation", body), center);
    const Symbol scale = spec.scale ? number(*spec.scale, "shape.scale") : Symbol(1);
    positive(scale, spec.scale ? spec.scale->where : spec.where, "the scale of the mesh");
    add_physical(name + ".scale", "1", scale);
  } else {
    fail(spec.where, "unknown shape \"" + spec.type + "\" (box, cylinder, sphere, capsule, mesh)");
  }
  return shape;
}

void ModelCompiler::check_mass(const MassProperties<Symbol>& mass, const BodySpec& spec) const {
  const double m = mass.mass.value();
  const std::string wrong_mass = mass_refusal(m);
  if (!wrong_mass.empty()) fail(spec.mass ? spec.mass->where : spec.where, wrong_mass);
  Mat3 J;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) J(i, j) = mass.inertia(i, j).value();
  }
  const SourceLocation& at = spec.inertia ? spec.inertia->where : spec.where;
  const std::string wrong_inertia = inertia_refusal(J);
  if (!wrong_inertia.empty()) fail(at, wrong_inertia);
}

/// A point or direction that is wrong keeps its name, so that what refers to it is not wrong too.
void ModelCompiler::add_vector(const NamedVectorSpec& spec, int body, bool is_point) {
  const std::string& owner = model_.bodies_[static_cast<std::size_t>(body)].name;
  const std::string own = (is_point ? "point \"" : "vector \"") + spec.name + "\"";
  guard(body == 0 ? own : "body \"" + owner + "\"", spec.where, [&] {
    const auto [entry, is_new] = vector_index_[spec.name].emplace(body, -1);
    if (!is_new) fail(spec.where, "\"" + spec.name + "\" is defined twice on " + owner);
    const Sym3 value = triple_on(spec.value, body, is_point, body == 0 ? "value" : own);
    const int first = add_physical(owner + "." + spec.name, is_point ? "m" : "1", value);
    entry->second = static_cast<int>(model_.vectors_.size());
    model_.vectors_.push_back({spec.name, body, first, is_point, spec.where});
    vector_values_.push_back(value);
  });
}

/// The file's points and vectors, and the centre of mass as the point "com".
void ModelCompiler::add_body_vectors(const BodySpec& spec, int body) {
  const MassBlock& mass = model_.bodies_[static_cast<std::size_t>(body)].mass;
  int& com = vector_index_["com"].emplace(body, -1).first->second;
  if (mass.com >= 0) {
    const auto first = static_cast<std::size_t>(mass.com);
    com = static_cast<int>(model_.vectors_.size());
    model_.vectors_.push_back({"com", body, mass.com, true, spec.where});
    vector_values_.emplace_back(p_[first], p_[first + 1], p_[first + 2]);
  }
  for (const NamedVectorSpec& point : spec.points) add_vector(point, body, true);
  for (const NamedVectorSpec& vector : spec.vectors) add_vector(vector, body, false);
}

}  // namespace kinegrad

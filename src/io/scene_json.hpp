// A model at given parameters, as the report draws and labels it: what every result JSON has under
// "model", so that a reader of results needs no model file.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "kinegrad/model/model.hpp"

namespace kinegrad {

/// {"file", "name", "description", "up", "ground", "bodies", "joints", "links", "parameters", "signals",
/// "objectives"}; lengths are those at p, vectors are in axes of their body, ground in world axes.
///   up          unit vector against gravity, z without any
///   bodies      {name, mass, com, points: {name: [x, y, z]}, shapes}
///   shapes      {type, color, …}: box size, position, rotation (row by row) · cylinder, capsule from,
///               to, radius · sphere center, radius · mesh file, position, rotation, scale
///   joints      {name, type, bodies, at: location on each, axes: axis on each or null, automatic}
///   links       {name, type, ends: [{body, at}, {body, at}]}: forces between two points
///   parameters  {name, unit, description, bounds: [lower, upper] or null each, derived}
///   signals     {name, unit, description}; the coordinates and speeds where the model has no signals
///   objectives  {name, unit, description}
nlohmann::ordered_json scene_json(const Model& model, std::span<const double> p);

}  // namespace kinegrad

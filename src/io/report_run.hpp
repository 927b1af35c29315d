// One run of a report: the frames of its animation and the curves of its signals.
#pragma once

#include <nlohmann/json.hpp>

#include "number_table.hpp"

namespace kinegrad::io {

/// Numbers that a page may hold, over all runs, before its samples get fewer.
struct ReportLimits {
  std::size_t frames = 600, samples = 2000;
  std::size_t pose_numbers = 150000, curve_samples = 80000, triangles = 20000;
};

/// {"t": […], "poses": {body: [x, y, z, e0, e1, e2, e3, x, …]}} of the bodies of the scene.
/// @throws InvalidArgument where a body has no columns.
nlohmann::ordered_json frames_json(const NumberTable& motion, const nlohmann::ordered_json& scene,
                                   const ReportLimits& limits);

/// [{"name", "t": […], "y": […]}] of the columns that begin with `prefix`, which the names lose.
nlohmann::ordered_json curves_json(const NumberTable& table, const std::string& prefix,
                                   const ReportLimits& limits);

/// Puts the triangles of mesh files into the shapes of the scene, or under "missing" why not.
void add_meshes(nlohmann::ordered_json& scene, const ReportLimits& limits);

}  // namespace kinegrad::io

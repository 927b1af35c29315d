#include "report_run.hpp"

#include <algorithm>

#include "kinegrad/base/error.hpp"
#include "mesh_file.hpp"
#include "thinning.hpp"

namespace kinegrad::io {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kPoseDigits = 6, kCurveDigits = 7;
constexpr const char* kPoseParts[] = {".x", ".y", ".z", ".e0", ".e1", ".e2", ".e3"};

Json pick(std::span<const double> all, const std::vector<std::size_t>& indices, int digits) {
  Json out = Json::array();
  for (const std::size_t k : indices) out.push_back(rounded(all[k], digits));
  return out;
}

/// Names of bodies: those of the scene, or, without one, of the columns.
std::vector<std::string> body_names(const NumberTable& motion, const Json& scene) {
  std::vector<std::string> names;
  if (scene.is_object() && scene.contains("bodies")) {
    for (const Json& body : scene["bodies"]) {
      if (body.is_object()) names.push_back(body.value("name", ""));
    }
    return names;
  }
  for (const std::string& column : motion.names()) {
    if (column.ends_with(".e0")) names.push_back(column.substr(0, column.size() - 3));
  }
  return names;
}

Json poses(const NumberTable& motion, const std::string& body,
           const std::vector<std::size_t>& frames) {
  std::array<std::span<const double>, 7> parts;
  for (std::size_t k = 0; k < 7; ++k) parts[k] = motion.column(body + kPoseParts[k]);
  Json out = Json::array();
  for (const std::size_t frame : frames) {
    for (const auto& part : parts) out.push_back(rounded(part[frame], kPoseDigits));
  }
  return out;
}

/// {NAME: numbers of every frame} of columns "PREFIX:NAME" + part, which a file need not have.
Json marks(const NumberTable& motion, const std::string& prefix,
           std::initializer_list<const char*> parts, const std::vector<std::size_t>& frames) {
  Json out = Json::object();
  for (const std::string& column : motion.names()) {
    if (!column.starts_with(prefix) || !column.ends_with(*parts.begin())) continue;
    const std::string stem = column.substr(0, column.size() - std::string(*parts.begin()).size());
    std::vector<std::span<const double>> columns;
    for (const char* part : parts) columns.push_back(motion.column(stem + part));
    Json numbers = Json::array();
    for (const std::size_t frame : frames) {
      for (const auto& one : columns) numbers.push_back(rounded(one[frame], kPoseDigits));
    }
    out[stem.substr(prefix.size())] = std::move(numbers);
  }
  return out;
}

void add_mesh(Json& shape, std::size_t limit) {
  try {
    Json triangles = Json::array();
    for (const double x : read_mesh(shape.value("file", ""), limit)) {
      triangles.push_back(rounded(x, kPoseDigits));
    }
    shape["triangles"] = std::move(triangles);
  } catch (const InvalidArgument& error) {
    shape["missing"] = error.what();
  }
}

}  // namespace

Json frames_json(const NumberTable& motion, const Json& scene, const ReportLimits& limits) {
  const std::vector<std::string> bodies = body_names(motion, scene);
  const std::size_t affordable = limits.pose_numbers / std::max<std::size_t>(7, 7 * bodies.size());
  const std::size_t limit = std::clamp<std::size_t>(affordable, 60, limits.frames);
  const std::vector<std::size_t> frames = thin_evenly(motion.t(), limit);
  Json all = Json::object();
  for (const std::string& body : bodies) all[body] = poses(motion, body, frames);
  return {{"t", pick(motion.t(), frames, kCurveDigits)},
          {"poses", all},
          {"contacts", marks(motion, "contact:", {".x", ".y", ".z", ".fx", ".fy", ".fz"}, frames)},
          {"grounds", marks(motion, "ground:", {".x", ".y", ".z"}, frames)}};
}

Json curves_json(const NumberTable& table, const std::string& prefix, const ReportLimits& limits) {
  std::vector<std::size_t> columns;
  for (std::size_t k = 1; k < table.names().size(); ++k) {
    if (table.names()[k].starts_with(prefix)) columns.push_back(k);
  }
  const std::size_t affordable = limits.curve_samples / std::max<std::size_t>(1, columns.size());
  const std::size_t limit = std::clamp<std::size_t>(affordable, 100, limits.samples);
  Json out = Json::array();
  for (const std::size_t k : columns) {
    const std::vector<std::size_t> kept = thin_curve(table.t(), table.column(k), limit);
    out.push_back({{"name", table.names()[k].substr(prefix.size())},
                   {"t", pick(table.t(), kept, kCurveDigits)},
                   {"y", pick(table.column(k), kept, kCurveDigits)}});
  }
  return out;
}

void add_meshes(Json& scene, const ReportLimits& limits) {
  if (!scene.is_object()) return;
  std::vector<Json*> bodies;
  if (scene.contains("ground")) bodies.push_back(&scene["ground"]);
  if (scene.contains("bodies")) {
    for (Json& body : scene["bodies"]) bodies.push_back(&body);
  }
  for (Json* body : bodies) {
    if (!body->is_object() || !body->contains("shapes")) continue;
    for (Json& shape : (*body)["shapes"]) {
      if (shape.is_object() && shape.value("type", "") == "mesh") add_mesh(shape, limits.triangles);
    }
  }
}

}  // namespace kinegrad::io

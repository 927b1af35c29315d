#include "scene_json.hpp"

#include <cmath>
#include <filesystem>

#include "kinegrad/io/run_output.hpp"
#include "kinegrad/model/markers.hpp"
#include "kinegrad/model/physical.hpp"

namespace kinegrad {

namespace {

using Json = nlohmann::ordered_json;
using Numbers = std::span<const double>;

template <typename Vector>
Json numbers(const Vector& x) {
  Json out = Json::array();
  for (Eigen::Index k = 0; k < x.size(); ++k) out.push_back(x(k));
  return out;
}

Json vector_json(Numbers p, int first) { return numbers(vector_at(p, first)); }

double number_at(Numbers p, int at) { return p[static_cast<std::size_t>(at)]; }

const std::string& body_name(const Model& model, int body) {
  return model.bodies()[static_cast<std::size_t>(body)].name;
}

void add_frame(Json& out, Numbers p, FrameBlock block) {
  out["position"] = vector_json(p, block.origin());
  Json rotation = Json::array();
  for (int k = 0; k < 9; ++k) rotation.push_back(number_at(p, block.rotation() + k));
  out["rotation"] = rotation;
}

Json shape_json(const Shape& shape, Numbers p) {
  Json out{{"type", shape.type}};
  if (!shape.color.empty()) out["color"] = shape.color;
  const int first = shape.numbers;
  if (shape.type == "box") {
    out["size"] = vector_json(p, first);
    add_frame(out, p, {first + 3});
  } else if (shape.type == "cylinder" || shape.type == "capsule") {
    out["from"] = vector_json(p, first);
    out["to"] = vector_json(p, first + 3);
    out["radius"] = number_at(p, first + 6);
  } else if (shape.type == "sphere") {
    out["center"] = vector_json(p, first);
    out["radius"] = number_at(p, first + 3);
  } else if (shape.type == "mesh") {
    out["file"] = std::filesystem::absolute(shape.file).lexically_normal().string();
    add_frame(out, p, {first});
    out["scale"] = number_at(p, first + FrameBlock::kSize);
  }
  return out;
}

Json body_json(const Model& model, std::size_t index, Numbers p) {
  const Body& body = model.bodies()[index];
  Json out{{"name", body.name}}, points = Json::object(), shapes = Json::array();
  if (body.mass.mass >= 0) {
    out["mass"] = number_at(p, body.mass.mass);
    out["com"] = vector_json(p, body.mass.com);
  }
  for (const BodyVector& point : model.vectors()) {
    if (point.body != static_cast<int>(index) || !point.is_point || point.hidden) continue;
    if (point.name == "com") continue;  // every body has it
    points[point.name] = vector_json(p, point.first);
  }
  for (const Shape& shape : body.shapes) shapes.push_back(shape_json(shape, p));
  out["points"] = points;
  out["shapes"] = shapes;
  return out;
}

Json joint_json(const Model& model, const Joint& joint, Numbers p) {
  const bool has_axis = joint.type->axes() != JointAxes::kNone;
  const auto axis = [&](FrameBlock block) -> Json {
    if (!has_axis) return nullptr;
    return numbers(frame_at(p, block).R.col(2).eval());
  };
  return {
      {"name", joint.name},
      {"type", joint.type->name()},
      {"bodies", Json::array({body_name(model, joint.body1), body_name(model, second_body(model.start(), joint))})},
      {"at", Json::array({vector_json(p, joint.F.origin()), vector_json(p, joint.M.origin())})},
      {"axes", Json::array({axis(joint.F), axis(joint.M)})},
      {"automatic", joint.automatic},
  };
}

Json link_json(const Model& model, const Force& force, Numbers p) {
  const auto end = [&](int index) -> Json {
    const BodyVector& point = model.vectors()[static_cast<std::size_t>(index)];
    return {{"body", body_name(model, point.body)}, {"at", vector_json(p, point.first)}};
  };
  return {{"name", force.name},
          {"type", force.type->name()},
          {"ends", Json::array({end(force.point1), end(force.point2)})}};
}

/// Against the sum of the uniform fields.
Json up_json(const Model& model, Numbers p) {
  Vec3 g = Vec3::Zero();
  for (const Force& force : model.forces()) {
    if (force.type->uniform()) g += vector_at(p, force.attributes);
  }
  const double size = g.norm();
  const Vec3 up = Vec3::Zero() - g / size;  // no negative zeros
  return size > 0 ? numbers(up) : Json::array({0, 0, 1});
}

/// JSON has no infinity: an open bound is null.
Json bound(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json parameter_json(const Parameter& p) {
  return {{"name", p.name},
          {"unit", p.unit},
          {"description", p.description},
          {"bounds", Json::array({bound(p.lower), bound(p.upper)})},
          {"derived", p.derived}};
}

template <typename Named>
Json labels(const std::vector<Named>& all) {
  Json out = Json::array();
  for (const Named& one : all) {
    out.push_back({{"name", one.name}, {"unit", one.unit}, {"description", one.description}});
  }
  return out;
}

/// What a recorder writes where there are no signals: coordinates, then speeds.
Json coordinate_labels(const Model& model) {
  std::vector<std::string> units;
  for (const NaturalElement& element : model.natural().elements) {
    if (element.first >= 0) units.insert(units.end(), 3, element.is_point ? "m" : "1");
  }
  for (const TreeNode& node : model.topology().nodes) {
    const Joint& joint = model.joints()[static_cast<std::size_t>(node.joint)];
    if (!model.natural().empty() && joint.type->name() == "triad") continue;
    for (const CoordinateInfo& info : joint.type->coordinates()) {
      units.emplace_back(unit_of(info.kind));
    }
  }
  const std::vector<std::string> names = recorded_names(model);
  Json out = Json::array();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string& unit = units[k % units.size()];
    const std::string rate = unit == "1" ? "1/s" : unit + "/s";
    out.push_back(
        {{"name", names[k]}, {"unit", k < units.size() ? unit : rate}, {"description", ""}});
  }
  return out;
}

}  // namespace

Json scene_json(const Model& model, Numbers p) {
  Json bodies = Json::array(), joints = Json::array(), links = Json::array();
  const Model& start = model.start();
  // joints as the file has them, whatever coordinates describe the motion
  for (std::size_t b = 1; b < model.bodies().size(); ++b) {
    if (!model.bodies()[b].auxiliary) bodies.push_back(body_json(model, b, p));
  }
  for (const Joint& joint : start.joints()) {
    const bool seen = !carries_state(start, joint) && !joint_of_weld(start, joint);
    if (seen) joints.push_back(joint_json(model, joint, p));
  }
  for (const Force& force : model.forces()) {
    if (force.point1 >= 0) links.push_back(link_json(model, force, p));
  }
  Json parameters = Json::array();
  for (const Parameter& parameter : model.parameters()) {
    parameters.push_back(parameter_json(parameter));
  }
  return {{"file", model.file()},
          {"name", model.name()},
          {"description", model.description()},
          {"up", up_json(model, p)},
          {"ground", body_json(model, 0, p)},
          {"bodies", bodies},
          {"joints", joints},
          {"links", links},
          {"parameters", parameters},
          {"signals", model.signals().empty() ? coordinate_labels(model) : labels(model.signals())},
          {"objectives", labels(model.objectives())}};
}

}  // namespace kinegrad

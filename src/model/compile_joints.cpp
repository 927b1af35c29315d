// Joints: which bodies, and frames F and M in their axes. Geometry is given once in the initial
// configuration (world axes) or per body; either way the result is the pair of frames as
// expressions of the parameters (docs/theory/parameters.md, [P-2]).
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "model/model_compiler.hpp"

namespace kinegrad {

namespace {

constexpr double kUnitTolerance = 1e-6;      // axes typed with seven digits are unit vectors
constexpr double kParallelTolerance = 1e-6;  // sine of the angle between axis and reference
constexpr double kPlaceTolerance = 1e-6;     // metres between two statements of one place

Vec3 values(const Sym3& x) { return {x(0).value(), x(1).value(), x(2).value()}; }

Mat3 values(const SymMat3& A) {
  Mat3 out;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out(i, j) = A(i, j).value();
  }
  return out;
}

std::string text(const Vec3& x) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", x(0), x(1), x(2));
}

/// The axes [x y z] of M when x is the joint's second axis and z its reference.
SymMat3 second_axis_frame(const SymMat3& axis_as_z) {
  SymMat3 R;
  R.col(0) = axis_as_z.col(2);
  R.col(1) = -axis_as_z.col(1);
  R.col(2) = axis_as_z.col(0);
  return R;
}

}  // namespace

std::vector<std::string> ModelCompiler::joint_names() const {
  std::vector<std::string> names;
  for (const JointSpec& j : description_.joints) names.push_back(j.name);
  return names;
}

std::vector<std::string> ModelCompiler::vector_names() const {
  std::vector<std::string> names;
  for (const BodyVector& v : model_.vectors_) {
    if (v.hidden) continue;
    const std::string& owner = model_.bodies_[static_cast<std::size_t>(v.body)].name;
    if (vector_index_.at(v.name).size() == 1) names.push_back(v.name);
    names.push_back(owner + "." + v.name);
  }
  return names;
}

int ModelCompiler::vector_on(std::string_view name, int body) const {
  const auto named = vector_index_.find(name);
  if (named == vector_index_.end()) return -1;
  const auto it = named->second.find(body);
  if (it == named->second.end()) return -1;
  if (it->second < 0) throw AlreadyReported{};
  return it->second;
}

/// All points and directions that "P", or the one that "body.P" may mean.
std::vector<int> ModelCompiler::vectors_called(std::string_view name) const {
  const std::size_t dot = name.find('.');
  if (dot != std::string_view::npos) {
    const auto body = body_index_.find(name.substr(0, dot));
    const int index =
        body == body_index_.end() ? -1 : vector_on(name.substr(dot + 1), body->second);
    return index < 0 ? std::vector<int>{} : std::vector<int>{index};
  }
  std::vector<int> found;
  const auto named = vector_index_.find(name);
  if (named == vector_index_.end()) return found;
  for (const auto& [body, index] : named->second) {
    if (index < 0) throw AlreadyReported{};
    found.push_back(index);
    if (found.size() == 2) break;  // enough to know that there are several
  }
  return found;
}

int ModelCompiler::vector_named(const std::string& name, const SourceLocation& where,
                                bool point) const {
  const std::vector<int> found = vectors_called(name);
  const std::string kind = point ? "point" : "vector";
  if (found.empty()) {
    fail(where, "there is no " + kind + " \"" + name + "\"" + suggestion(name, vector_names()));
  }
  if (found.size() > 1) {
    fail(where, "\"" + name + "\" is on several bodies: write body." + name);
  }
  if (model_.vectors_[static_cast<std::size_t>(found.front())].is_point != point) {
    fail(where, "\"" + name + "\" is not a " + kind);
  }
  refuse_state_body(model_.vectors_[static_cast<std::size_t>(found.front())].body, where,
                    kind + " \"" + name + "\" is on");
  return found.front();
}

Sym3 ModelCompiler::checked_axis(const Sym3& axis, const SourceLocation& where,
                                 const std::string& what) const {
  const double length = values(axis).norm();
  if (!(std::abs(length - 1) <= kUnitTolerance)) {
    fail(where, fmt::format("{} is not a unit vector: its length is {:.6g}", what, length));
  }
  return la::normalized(axis);
}

/// R = [x, z×x, z] with z along the axis and x the reference direction projected across it [P-1].
SymMat3 ModelCompiler::frame_of(const Sym3& axis, const std::optional<Sym3>& reference,
                                const SourceLocation& where, const std::string& what) const {
  if (reference) {
    const Vec3 z = values(axis), x = values(*reference);
    if (!(z.cross(x).norm() > kParallelTolerance * std::max(x.norm(), 1e-300))) {
      fail(where, x.norm() > 0 ? what + " is parallel to the axis" : what + " is zero");
    }
    return frame_from_axis<Symbol>(axis, *reference);
  }
  // x unless the axis is near it; decided once, at the parameters' values in the file
  const int helper = std::abs(axis(0).value()) > 0.9 ? 1 : 0;
  return frame_from_axis<Symbol>(axis, la::unit<Symbol>(helper));
}

Sym3 ModelCompiler::point_on(const VectorSpec& spec, int body, const std::string& field) {
  if (spec.name.empty()) return triple(spec, field);
  // a bare name first means a point of this very body
  const std::string& owner = model_.bodies_[static_cast<std::size_t>(body)].name;
  const int own = vector_on(spec.name, body);
  if (own >= 0 && model_.vectors_[static_cast<std::size_t>(own)].is_point) {
    return vector_values_[static_cast<std::size_t>(own)];
  }
  const int index = vector_named(spec.name, spec.where, true);
  if (model_.vectors_[static_cast<std::size_t>(index)].body != body) {
    fail(spec.where, field + ": point \"" + spec.name + "\" is not on body \"" + owner + "\"");
  }
  return vector_values_[static_cast<std::size_t>(index)];
}

Sym3 ModelCompiler::direction_on(const VectorSpec& spec, int body, const std::string& field) {
  if (spec.name.empty() || axis_word(spec.name)) return triple(spec, field);
  const int index = vector_named(spec.name, spec.where, false);
  const BodyVector& v = model_.vectors_[static_cast<std::size_t>(index)];
  if (v.body != body) {
    fail(spec.where, field + ": vector \"" + spec.name + "\" is not on body \"" +
                         model_.bodies_[static_cast<std::size_t>(body)].name + "\"");
  }
  return vector_values_[static_cast<std::size_t>(index)];
}

Sym3 ModelCompiler::point_in_world(const VectorSpec& spec, const std::string& field) {
  if (spec.name.empty()) return triple(spec, field);
  const int index = vector_named(spec.name, spec.where, true);
  const auto body = static_cast<std::size_t>(model_.vectors_[static_cast<std::size_t>(index)].body);
  return placement_origin_[body] +
         placement_R_[body] * vector_values_[static_cast<std::size_t>(index)];
}

Sym3 ModelCompiler::direction_in_world(const VectorSpec& spec, const std::string& field) {
  if (spec.name.empty() || axis_word(spec.name)) return triple(spec, field);
  const int index = vector_named(spec.name, spec.where, false);
  const auto body = static_cast<std::size_t>(model_.vectors_[static_cast<std::size_t>(index)].body);
  return placement_R_[body] * vector_values_[static_cast<std::size_t>(index)];
}

void ModelCompiler::check_geometry_keys(const JointSpec& spec, const JointModel& type) const {
  const bool world = spec.point || spec.axis || spec.axis2 || spec.reference;
  const bool in_bodies = !spec.points.empty() || !spec.axes.empty() || !spec.references.empty();
  if (world && in_bodies) {
    fail(spec.where,
         "give point, axis, … once in the initial configuration, or points, axes, … per body, "
         "not both");
  }
  const auto pair = [&](const std::vector<VectorSpec>& list, const char* key) {
    if (!list.empty() && list.size() != 2) {
      fail(spec.where, std::string(key) + " takes two entries, one for each body");
    }
  };
  pair(spec.points, "points");
  pair(spec.axes, "axes");
  pair(spec.references, "references");
  const std::string name(type.name());
  if (type.axes() == JointAxes::kNone) {
    if (spec.axis || spec.axis2 || !spec.axes.empty() || spec.reference ||
        !spec.references.empty()) {
      fail(spec.where, "a " + name + " joint has no axis");
    }
  } else if (!spec.axis && spec.axes.empty()) {
    fail(spec.where, "a " + name + " joint needs an axis");
  }
  if (type.axes() == JointAxes::kTwo) {
    if (spec.axis && !spec.axis2) fail(spec.where, "a " + name + " joint needs axis2");
    if (spec.reference) fail(spec.where, "a " + name + " joint has no reference: axis2 is it");
  } else if (spec.axis2) {
    fail(spec.where, "a " + name + " joint has one axis only");
  }
}

ModelCompiler::SideFrames ModelCompiler::frames_in_bodies(const JointSpec& spec,
                                                          const JointModel& type,
                                                          const int (&body)[2]) {
  SideFrames frames;
  for (std::size_t s = 0; s < 2; ++s) {
    const std::string side = "[" + std::to_string(s + 1) + "]";
    frames.origin[s] = spec.points.empty() ? Sym3(Symbol(0), Symbol(0), Symbol(0))
                                           : point_on(spec.points[s], body[s], "points" + side);
    if (spec.axes.empty()) {
      frames.R[s] = SymMat3::Identity();
      continue;
    }
    const Sym3 axis = checked_axis(direction_on(spec.axes[s], body[s], "axes" + side),
                                   place(spec.axes[s].where), "axes" + side);
    std::optional<Sym3> reference;
    if (!spec.references.empty()) {
      reference = direction_on(spec.references[s], body[s], "references" + side);
    } else if (type.axes() == JointAxes::kTwo) {
      // zero where the two axes are as written, the bodies' own axes side by side
      reference = direction_on(spec.axes[1 - s], body[1 - s], "axes" + side);
    }
    frames.R[s] = frame_of(axis, reference, spec.where, "references" + side);
    if (type.axes() == JointAxes::kTwo && s == 1) frames.R[s] = second_axis_frame(frames.R[s]);
  }
  return frames;
}

ModelCompiler::SideFrames ModelCompiler::frames_in_world(const JointSpec& spec,
                                                         const JointModel& type,
                                                         const int (&body)[2]) {
  SymMat3 R_W = SymMat3::Identity();
  if (spec.axis) {
    const Sym3 axis =
        checked_axis(direction_in_world(*spec.axis, "axis"), place(spec.axis->where), "axis");
    std::optional<Sym3> reference;
    if (spec.reference) reference = direction_in_world(*spec.reference, "reference");
    if (type.axes() == JointAxes::kTwo) {
      reference =
          checked_axis(direction_in_world(*spec.axis2, "axis2"), place(spec.axis2->where), "axis2");
      const double cosine = values(axis).dot(values(*reference));
      if (!(std::abs(cosine) <= kUnitTolerance)) {
        fail(
            spec.where,
            fmt::format("axis and axis2 are not perpendicular: the cosine of their angle is {:.6g}",
                        cosine));
      }
    }
    R_W = frame_of(axis, reference, spec.where, "the reference direction");
  }
  SideFrames frames;
  for (std::size_t s = 0; s < 2; ++s) {
    const auto b = static_cast<std::size_t>(body[s]);
    frames.R[s] = placement_R_[b].transpose() * R_W;
    if (spec.point) {
      const Sym3 r_W = point_in_world(*spec.point, "point");
      frames.origin[s] = placement_R_[b].transpose() * (r_W - placement_origin_[b]);
    }
  }
  if (!spec.point) {
    // Without a point the joint sits at the second body's origin; a floating joint measures that
    // origin in the axes of the first body.
    const auto first = static_cast<std::size_t>(body[0]),
               second = static_cast<std::size_t>(body[1]);
    const bool floating = type.name() == "floating";
    frames.origin[1] = Sym3(Symbol(0), Symbol(0), Symbol(0));
    frames.origin[0] = floating ? frames.origin[1]
                                : (placement_R_[first].transpose() *
                                   (placement_origin_[second] - placement_origin_[first]))
                                      .eval();
    if (floating) {
      frames.R[0] = SymMat3::Identity();
      frames.R[1] = SymMat3::Identity();
    }
  }
  return frames;
}

/// Where both bodies are placed, the joint must allow their relative pose: there are coordinates
/// that give it.
void ModelCompiler::check_placements(const JointSpec& spec, const JointModel& type,
                                     JointDraft& draft, const int (&body)[2]) const {
  const SideFrames& frames = draft.frames;
  Pose<double> X_W[2];
  for (std::size_t s = 0; s < 2; ++s) {
    const auto b = static_cast<std::size_t>(body[s]);
    if (!placed_[b]) return;
    X_W[s].R = values(placement_R_[b]) * values(frames.R[s]);
    X_W[s].p = values(placement_origin_[b]) + values(placement_R_[b]) * values(frames.origin[s]);
    if (!X_W[s].R.allFinite() || !X_W[s].p.allFinite()) return;  // reported with the frames
  }
  const Pose<double> X_FM = X_W[0].inverse() * X_W[1];
  draft.placed_at = type.coordinates_of(X_FM);
  const Pose<double> reached = type.pose(draft.placed_at);
  const double size = 1 + X_W[0].p.norm();
  if (!((reached.p - X_FM.p).norm() <= kPlaceTolerance * size)) {
    fail(spec.where,
         fmt::format("a body is in two places: the placements put the joint at {} on "
                     "\"{}\" and at {} on \"{}\"",
                     text(X_W[0].p), spec.bodies[0].name, text(X_W[1].p), spec.bodies[1].name));
  }
  if (!((reached.R - X_FM.R).norm() <= kPlaceTolerance)) {
    fail(spec.where, fmt::format("a body is in two places: the placements of \"{}\" and \"{}\" "
                                 "turn the two sides of the joint out of line",
                                 spec.bodies[0].name, spec.bodies[1].name));
  }
}

void ModelCompiler::compile_joint(const JointSpec& spec, std::size_t index) {
  Joint& joint = model_.joints_[index];
  joint.where = spec.where;
  const JointModel* type = catalogue_.find_joint(spec.type.name);
  if (!type) {
    std::vector<std::string> known;
    for (const JointModel* j : catalogue_.joints()) known.emplace_back(j->name());
    fail(spec.type.where,
         "unknown joint type \"" + spec.type.name + "\"" + suggestion(spec.type.name, known));
  }
  joint.type = type;
  if (spec.bodies.size() != 2) fail(spec.where, "a joint joins exactly two bodies");
  const int body[2] = {body_named(spec.bodies[0]), body_named(spec.bodies[1])};
  for (const std::size_t s : {0u, 1u}) {
    if (spec.bodies[s].name != spec.name) {  // the axis of a state is named like it
      refuse_state_body(body[s], spec.bodies[s].where, "it joins");
    }
  }
  if (body[0] == body[1]) {
    fail(spec.bodies[1].where, "it joins body \"" + spec.bodies[0].name + "\" to itself");
  }
  joint.body1 = body[0];
  joint.body2 = body[1];
  check_geometry_keys(spec, *type);
  const bool in_bodies = !spec.points.empty() || !spec.axes.empty() || !spec.references.empty();
  JointDraft& draft = drafts_[index];
  draft.form = in_bodies ? JointDraft::kInBodies : JointDraft::kInWorld;
  if (in_bodies) draft.frames = frames_in_bodies(spec, *type, body);
}

/// Where unplaced bodies are in the reference configuration, all coordinates zero: on the bodies
/// that joints given per body hang them on. A body that only joints given in the world reach has its
/// axes and origin there. [P-3]
void ModelCompiler::locate_bodies() {
  std::vector<std::vector<std::size_t>> joints_of(model_.bodies_.size());
  for (std::size_t k = 0; k < drafts_.size(); ++k) {
    if (drafts_[k].form != JointDraft::kInBodies) continue;
    joints_of[static_cast<std::size_t>(model_.joints_[k].body1)].push_back(k);
    joints_of[static_cast<std::size_t>(model_.joints_[k].body2)].push_back(k);
  }
  std::vector<bool> located = placed_;
  std::vector<std::size_t> queue;
  const auto spread = [&] {
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const std::size_t from = queue[head];
      for (const std::size_t k : joints_of[from]) {
        const Joint& joint = model_.joints_[k];
        const std::size_t side = static_cast<std::size_t>(joint.body1) == from ? 0 : 1;
        const auto to = static_cast<std::size_t>(side == 0 ? joint.body2 : joint.body1);
        if (located[to]) continue;
        const SideFrames& f = drafts_[k].frames;
        const SymMat3 R = placement_R_[from] * f.R[side];
        placement_R_[to] = R * f.R[1 - side].transpose();
        placement_origin_[to] = placement_origin_[from] + placement_R_[from] * f.origin[side] -
                                placement_R_[to] * f.origin[1 - side];
        located[to] = true;
        queue.push_back(to);
      }
    }
    queue.clear();
  };
  for (std::size_t b = 0; b < located.size(); ++b) {
    if (located[b]) queue.push_back(b);
  }
  spread();
  for (std::size_t k = 0; k < drafts_.size(); ++k) {
    if (drafts_[k].form != JointDraft::kInWorld) continue;
    for (const int body : {model_.joints_[k].body1, model_.joints_[k].body2}) {
      const auto b = static_cast<std::size_t>(body);
      if (located[b]) continue;
      located[b] = true;
      queue.push_back(b);
    }
    spread();
  }
}

/// The frames of a joint, now that its bodies are located.
void ModelCompiler::finish_joint(const JointSpec& spec, std::size_t index) {
  Joint& joint = model_.joints_[index];
  JointDraft& draft = drafts_[index];
  if (draft.form == JointDraft::kWrong) throw AlreadyReported{};
  const int body[2] = {joint.body1, joint.body2};
  if (draft.form == JointDraft::kInWorld) {
    draft.frames = frames_in_world(spec, *joint.type, body);
  } else {
    check_placements(spec, *joint.type, draft, body);
  }
  joint.F = add_frame(spec.name + ".F", draft.frames.R[0], draft.frames.origin[0]);
  joint.M = add_frame(spec.name + ".M", draft.frames.R[1], draft.frames.origin[1]);
}

}  // namespace kinegrad

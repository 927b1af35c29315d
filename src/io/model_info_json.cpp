#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kinegrad/io/model_info.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/markers.hpp"
#include "kinegrad/model/physical.hpp"
#include "kinegrad/simulation/mobility.hpp"
#include "kinegrad/simulation/unique_reactions.hpp"

namespace kinegrad {

namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity: an open bound is null.
Json bound(double x) { return std::isinf(x) ? Json(nullptr) : Json(x); }

Json triple(const Vec3& x) { return Json::array({x(0), x(1), x(2)}); }

Json bodies(const Model& model, std::span<const double> p) {
  Json out = Json::array();
  for (std::size_t b = 1; b < model.bodies().size(); ++b) {
    const Body& body = model.bodies()[b];
    if (body.auxiliary) continue;
    const Mat3 J = inertia_at(p, body.mass.inertia);
    out.push_back({{"name", body.name},
                   {"mass", p[static_cast<std::size_t>(body.mass.mass)]},
                   {"com", triple(vector_at(p, body.mass.com))},
                   {"inertia",
                    {{"xx", J(0, 0)},
                     {"yy", J(1, 1)},
                     {"zz", J(2, 2)},
                     {"xy", J(0, 1)},
                     {"xz", J(0, 2)},
                     {"yz", J(1, 2)}}}});
  }
  return out;
}

bool is_state(const Model& model, const TreeNode& node) {
  return carries_state(model, model.joints()[static_cast<std::size_t>(node.joint)]);
}

Json tree(const Model& model) {
  Json out = Json::array();
  for (const TreeNode& node : model.topology().nodes) {
    if (is_state(model, node)) continue;
    const Joint& joint = model.joints()[static_cast<std::size_t>(node.joint)];
    out.push_back({{"body", model.bodies()[static_cast<std::size_t>(node.body)].name},
                   {"parent", model.bodies()[static_cast<std::size_t>(node.parent)].name},
                   {"joint", joint.name},
                   {"type", joint.type->name()},
                   {"reversed", node.reversed},
                   {"automatic", joint.automatic},
                   {"depth", node.depth}});
  }
  return out;
}

Json loops(const Model& model) {
  Json out = Json::array();
  for (const Loop& loop : model.topology().loops) {
    const Joint& cut = model.joints()[static_cast<std::size_t>(loop.cut_joint)];
    Json joints = Json::array();
    for (int j : loop.joints) joints.push_back(model.joints()[static_cast<std::size_t>(j)].name);
    const Joint* kept = joint_of_weld(model, cut);
    out.push_back({{"cut", cut.name},
                   {"type", (kept ? kept : &cut)->type->name()},
                   {"keeps_coordinates", kept != nullptr},
                   {"reason", describe(loop.reason)},
                   {"joints", joints},
                   {"closure_rows", 6 - cut.type->freedom()}});
  }
  return out;
}

Json states(const Model& model, std::span<const double> p) {
  Json out = Json::array();
  for (const StateStart& state : states_of(model, p)) {
    out.push_back({{"name", state.name}, {"unit", state.unit}, {"start", state.start}});
  }
  return out;
}

Json coordinates(const Model& model, std::span<const double> p) {
  Json out = Json::array();
  for (const TreeNode& node : model.topology().nodes) {
    if (is_state(model, node)) continue;
    const Joint& joint = model.joints()[static_cast<std::size_t>(node.joint)];
    for (int c = 0; c < joint.type->nq(); ++c) {
      const auto k = static_cast<std::size_t>(joint.q_first + c);
      const CoordinateInfo& info = joint.type->coordinates()[static_cast<std::size_t>(c)];
      out.push_back({{"name", model.coordinate_names()[k]},
                     {"kind", info.name},
                     {"unit", unit_of(info.kind)},
                     {"start", p[static_cast<std::size_t>(model.initial_q()) + k]},
                     {"speed", p[static_cast<std::size_t>(model.initial_v()) + k]},
                     {"start_given", static_cast<bool>(model.initial_q_given()[k])},
                     {"speed_given", static_cast<bool>(model.initial_v_given()[k])}});
    }
  }
  return out;
}

Json constraints(const Model& model) {
  Json out = Json::array();
  const std::vector<RowCount> counts = count_rows(model);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const Constraint& c = model.constraints()[k];
    const Json joint =
        c.joint < 0 ? Json(nullptr) : Json(model.joints()[static_cast<std::size_t>(c.joint)].name);
    out.push_back({{"name", c.name},
                   {"type", c.type},
                   {"rows", counts[k].holonomic + counts[k].nonholonomic},
                   {"nonholonomic_rows", counts[k].nonholonomic},
                   {"joint", joint}});
  }
  return out;
}

Json parameters(const Model& model) {
  Json out = Json::object();
  // operator[] of an ordered object searches all of it; names are unique, so append
  auto& entries = out.get_ref<Json::object_t&>();
  for (const Parameter& p : model.parameters()) {
    Json entry{{"value", p.value},        {"unit", p.unit},       {"lower", bound(p.lower)},
               {"upper", bound(p.upper)}, {"derived", p.derived}, {"description", p.description},
               {"used_by", p.users}};
    entries.Json::object_t::Container::emplace_back(p.name, std::move(entry));
  }
  return out;
}

/// Both reference points have the same equations.
constexpr std::string_view kAllJoint = "joint-com";

template <typename Elements>
Json names(const Elements& elements) {
  Json out = Json::array();
  for (const auto& e : elements) out.push_back(e.name);
  return out;
}

/// Of every joint of the file whether its reaction is unique at the start, and what of it is not; null: not known.
Json reactions(const Model& model, std::span<const double> p, const Mobility& mobility) {
  if (mobility.freedom < 0) return nullptr;
  if (!mobility.redundant.empty() && !can_judge_reactions(model)) return nullptr;
  std::vector<AmbiguousReaction> ambiguous;
  if (!mobility.redundant.empty()) ambiguous = ambiguous_reactions(model, p, in(mobility.q));
  Json out = Json::array();
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    if (joint.automatic || carries_state(model, joint)) continue;
    const auto one =
        std::find_if(ambiguous.begin(), ambiguous.end(),
                     [&](const AmbiguousReaction& a) { return a.joint == static_cast<int>(j); });
    Json entry{{"joint", joint.name}, {"unique", one == ambiguous.end()}};
    if (one != ambiguous.end()) entry["not_unique"] = names_of(one->components);
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace

std::string model_info_json(const Model& model, const std::vector<CoordinateSize>& sets) {
  const std::vector<double> p = model.default_physical();
  const CoordinateCount count = count_coordinates(model);
  const Mobility mobility = mobility_of(model, p);
  const auto state_count = static_cast<int>(states_of(model, p).size());
  const auto without_states = [&](int freedom) {
    return freedom < 0 ? freedom : freedom - state_count;
  };
  Json redundant = Json::array();
  for (const Mobility::Redundancy& r : mobility.redundant) {
    const Constraint& c = model.constraints()[static_cast<std::size_t>(r.constraint)];
    redundant.push_back({{"constraint", c.name}, {"rows", r.rows}});
  }
  Json coordinate_sets{{"joint",
                        {{"coordinates", count.coordinates},
                         {"normalisations", count.normalisations},
                         {"closure_rows", count.closure_rows},
                         {"constraint_rows", count.constraint_rows},
                         {"mobility", count.mobility()},
                         {"rank", mobility.rank},
                         {"rows", mobility.rows},
                         {"degrees_of_freedom", without_states(mobility.freedom)},
                         {"position_freedom", without_states(mobility.position_freedom)},
                         {"assembled", mobility.assembled},
                         {"redundant", redundant}}}};
  for (const CoordinateSize& set : sets) {
    Json& entry = coordinate_sets[set.name == kAllJoint ? "joint" : set.name];
    entry["coordinates"] = set.coordinates - state_count;
    entry["normalisations"] = set.normalisations;
    entry["rows"] = set.rows;
    entry["mass_entries"] = set.mass_entries;
    entry["row_entries"] = set.row_entries;
    entry["estimated_step_seconds"] = set.step * 1e-6;
    entry["auto"] = &set.name == &fastest(sets);
  }
  Json forces = Json::array();
  for (const Force& f : model.forces()) {
    if (is_rate(model, f)) continue;
    forces.push_back(
        {{"name", f.name}, {"type", f.type->name()}, {"acts_on", force_place(model, f)}});
  }
  for (const ReactiveForce& f : model.reactive_forces()) {
    forces.push_back({{"name", f.name},
                      {"type", "joint-force"},
                      {"acts_on", coordinate_place(model, f.joint, f.coordinate)},
                      {"reads_reactions", true}});
  }
  const Json out{{"name", model.name()},
                 {"file", model.file()},
                 {"description", model.description()},
                 {"start", model.analysis().start.empty() ? "given" : model.analysis().start},
                 {"bodies", bodies(model, p)},
                 {"tree", tree(model)},
                 {"loops", loops(model)},
                 {"coordinate_sets", coordinate_sets},
                 {"coordinates", coordinates(model, p)},
                 {"states", states(model, p)},
                 {"constraints", constraints(model)},
                 {"reactions", reactions(model, p, mobility)},
                 {"parameters", parameters(model)},
                 {"forces", forces},
                 {"signals", names(model.signals())},
                 {"objectives", names(model.objectives())}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kinegrad

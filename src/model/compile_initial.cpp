// Initial coordinates and speeds as expressions of the parameters.
#include <fmt/format.h>

#include <cmath>

#include "kinegrad/math/euler_parameters.hpp"
#include "kinegrad/math/rotation.hpp"
#include "kinegrad/math/spatial.hpp"
#include "kinegrad/model/physical.hpp"
#include "model/model_compiler.hpp"

namespace kinegrad {

namespace {

/// First of the joint's Euler parameters, -1 if it has none.
int euler_first(const JointModel& type) {
  const auto coordinates = type.coordinates();
  for (std::size_t c = 0; c < coordinates.size(); ++c) {
    if (coordinates[c].kind == CoordinateKind::kEulerParameter) return static_cast<int>(c);
  }
  return -1;
}

/// What the file calls the giver of a joint's start: the state that the joint stands for, or `section`.
const std::string& giver_of_start(const ModelDescription& description, const Joint& joint,
                                  const std::string& section) {
  const auto state = description.stands_for.find(joint.name);
  return state == description.stands_for.end() ? section : state->second;
}

}  // namespace

std::string ModelCompiler::coordinate_refusal(int joint, std::string_view suffix) const {
  const Joint& j = model_.joints_[static_cast<std::size_t>(joint)];
  if (!j.type) return {};
  const int n = j.type->nq();
  const std::string name = "joint \"" + j.name + "\"";
  if (n == 0) return name + " is " + std::string(j.type->name()) + " and has no coordinates";
  if (n == 1)
    return name + " has one coordinate: " + j.name + ".q, .v, .a, not ." + std::string(suffix);
  return name + " has " + std::to_string(n) + " coordinates: " + j.name + ".q1 … " + j.name + ".q" +
         std::to_string(n) + ", not ." + std::string(suffix);
}

ModelCompiler::CoordinateName ModelCompiler::coordinate_name(const std::string& text,
                                                             const SourceLocation& where) const {
  const std::size_t dot = text.rfind('.');
  const std::string head = text.substr(0, dot);
  const auto it = joint_index_.find(head);
  if (dot == std::string::npos || it == joint_index_.end()) {
    std::vector<std::string> known;
    for (const std::string& name : joint_names()) {
      known.push_back(name + ".q");
      known.push_back(name + ".v");
    }
    for (const std::string& name : vector_names()) {
      for (const char* axis : {".x", ".y", ".z"}) known.push_back(name + axis);
    }
    fail(where, "\"" + text + "\" is not a joint coordinate or speed" + suggestion(text, known));
  }
  const std::string suffix = text.substr(dot + 1);
  const Joint& joint = model_.joints_[static_cast<std::size_t>(it->second)];
  if (!joint.type) throw AlreadyReported{};
  CoordinateName name{it->second, suffix.empty() ? '?' : suffix[0], -1};
  const bool euler = euler_first(*joint.type) >= 0;
  if (suffix == "w" && euler) return name;
  if (suffix == "q" || suffix == "v") {
    if (joint.type->nq() == 0) fail(where, coordinate_refusal(name.joint, suffix));
    return name;
  }
  if ((name.level == 'q' || name.level == 'v') && suffix.size() == 2) {
    name.component = suffix[1] - '1';
    if (name.component >= 0 && name.component < joint.type->nq()) return name;
  }
  if (name.level == 'a') fail(where, text + " is an acceleration, not a coordinate or speed");
  fail(where, coordinate_refusal(name.joint, suffix));
}

ModelCompiler::ComponentName ModelCompiler::component_name(const std::string& text,
                                                           const SourceLocation& where) const {
  ComponentName name;
  const std::size_t dot = text.rfind('.');
  if (dot == std::string::npos) return name;
  std::string suffix = text.substr(dot + 1);
  name.rate = suffix.size() == 2 && suffix[0] == 'v';
  if (name.rate) suffix.erase(0, 1);
  if (suffix.size() != 1 || suffix[0] < 'x' || suffix[0] > 'z') return name;
  name.axis = suffix[0] - 'x';
  const std::vector<int> found = vectors_called(text.substr(0, dot));
  if (found.empty()) return name;
  if (found.size() > 1) {
    fail(where, "\"" + text.substr(0, dot) + "\" is on several bodies: write body." + text);
  }
  if (model_.vectors_[static_cast<std::size_t>(found[0])].body == 0) {
    fail(where, text + " is fixed on the ground");
  }
  refuse_state_body(model_.vectors_[static_cast<std::size_t>(found[0])].body, where,
                    text + " is on");
  name.vector = found[0];
  return name;
}

bool ModelCompiler::declare_target(const InitialSpec& spec) {
  const std::string& text = spec.key.name;
  const ComponentName name = component_name(text, spec.key.where);
  if (name.vector < 0) return false;
  if (spec.values.size() != 1) fail(spec.key.where, text + " takes one number");
  for (const InitialTarget& other : model_.initial_targets_) {
    const auto row = static_cast<std::size_t>(other.row);
    const ConstraintTerm& term = model_.initial_rows_[row].terms.front();
    if (other.rate == name.rate && term.A.plus == name.vector && term.axis == name.axis) {
      fail(spec.key.where, text + " is given twice");
    }
  }
  InitialTarget target{text, static_cast<int>(model_.initial_rows_.size()), name.rate, -1,
                       spec.key.where};
  target.value =
      add_physical("initial." + text, name.rate ? "m/s" : "m", number(spec.values[0], text));
  ConstraintRow row;
  row.terms = {{ConstraintTerm::Product::kComponent, {name.vector, -1}, {}, name.axis, 1}};
  model_.initial_rows_.push_back(std::move(row));
  model_.initial_targets_.push_back(std::move(target));
  return true;
}

/// Which joints `initial` and `guess` name; the choice of cuts wants to know before the tree is made.
void ModelCompiler::declare_initial() {
  declare_names(initial_, true);
  declare_names(guess_, false);
}

void ModelCompiler::declare_names(StartSection& section, bool components) {
  for (const InitialSpec& spec : *section.specs) {
    CoordinateName name;
    guard(section.name, spec.key.where, [&] {
      if (components && declare_target(spec)) return;
      if (!components && component_name(spec.key.name, spec.key.where).vector >= 0) {
        fail(spec.key.where,
             spec.key.name + " is of a point: a guess is of a joint's coordinate or speed");
      }
      name = coordinate_name(spec.key.name, spec.key.where);
      used_joints_.insert(name.joint);
      if (name.level == 'q') {
        initial_where_.emplace(model_.joints_[static_cast<std::size_t>(name.joint)].name,
                               spec.key.where);
      }
    });
    section.names.push_back(name);
  }
}

/// Zero, the identity for Euler parameters, and where both bodies are placed what puts them there.
void ModelCompiler::default_initial() {
  const auto n = static_cast<std::size_t>(model_.nq_);
  q0_.assign(n, Symbol(0));
  v0_.assign(n, Symbol(0));
  for (StartSection* section : {&initial_, &guess_}) {
    section->q.assign(n, false);
    section->v.assign(n, false);
  }
  for (std::size_t k = 0; k < model_.joints_.size(); ++k) {
    const Joint& joint = model_.joints_[k];
    if (joint.cut) continue;
    const int e = euler_first(*joint.type);
    if (e >= 0) q0_[static_cast<std::size_t>(joint.q_first + e)] = Symbol(1);
    place_joint(k);
  }
}

/// X_FM of the bodies as they are placed.
Pose<Symbol> ModelCompiler::placed_pose(const Joint& joint) const {
  const auto side = [&](int body, FrameBlock block) {
    Pose<Symbol> X;
    for (int i = 0; i < 3; ++i) {
      X.p(i) = p_[static_cast<std::size_t>(block.origin() + i)];
      for (int j = 0; j < 3; ++j) {
        X.R(i, j) = p_[static_cast<std::size_t>(block.rotation() + 3 * i + j)];
      }
    }
    const auto b = static_cast<std::size_t>(body);
    return Pose<Symbol>{placement_R_[b], placement_origin_[b]} * X;
  };
  return side(joint.body1, joint.F).inverse() * side(joint.body2, joint.M);
}

/// A joint whose bodies are both placed starts where they are placed; so do one that floats and one that was
/// added. Its
/// coordinates are expressions of what the placements are expressions of.
void ModelCompiler::place_joint(std::size_t k) {
  const Joint& joint = model_.joints_[k];
  const bool floating = joint.type->name() == "floating" || joint.automatic;
  if (!floating && (k >= drafts_.size() || drafts_[k].placed_at.size() == 0)) return;
  const std::vector<Symbol> placed = joint.type->placed_coordinates(placed_pose(joint));
  // as far as the digits of placements go, a joint drawn at its zero is at its zero
  constexpr double kTyped = 1e-6, kLength = 1e-12;
  for (std::size_t c = 0; c < placed.size(); ++c) {
    Symbol& q = q0_[static_cast<std::size_t>(joint.q_first) + c];
    const bool length = joint.type->coordinates()[c].kind == CoordinateKind::kLength;
    const bool there = std::abs(placed[c].value() - q.value()) <= (length ? kLength : kTyped);
    if (floating || !there || !placed[c].is_constant()) q = placed[c];
  }
}

/// Of every body of the tree where the coordinates start.
std::vector<Pose<double>> ModelCompiler::initial_poses(std::span<const double> p) const {
  std::vector<Pose<double>> X(model_.bodies_.size());
  for (const TreeNode& node : model_.topology_.nodes) {
    const Joint& joint = model_.joints_[static_cast<std::size_t>(node.joint)];
    JointVector<double> q(joint.type->nq());
    for (Eigen::Index c = 0; c < q.size(); ++c) {
      q(c) = q0_[static_cast<std::size_t>(joint.q_first + c)].value();
    }
    const JointModel& type = node.reversed ? joint.type->reversed() : *joint.type;
    const Pose<double> near = frame_at(p, node.reversed ? joint.M : joint.F);
    const Pose<double> far = frame_at(p, node.reversed ? joint.F : joint.M);
    X[static_cast<std::size_t>(node.body)] =
        X[static_cast<std::size_t>(node.parent)] * near * type.pose(q) * far.inverse();
  }
  return X;
}

/// Coordinates of a joint that carries a marker start from where its bodies are, but for those of which something is said.
void ModelCompiler::place_markers() {
  std::vector<double> p;
  for (const Symbol& s : p_) p.push_back(s.value());
  if (welds_.empty()) return;
  const std::vector<Pose<double>> X = initial_poses(p);
  for (const auto& [weld, index] : welds_) {
    const Joint& joint = model_.joints_[static_cast<std::size_t>(index)];
    const auto first = static_cast<std::size_t>(joint.q_first);
    const auto k = static_cast<std::size_t>(index);
    if (k < drafts_.size() && drafts_[k].placed_at.size() > 0) continue;
    const int body2 = model_.joints_[static_cast<std::size_t>(weld)].body2;
    const Pose<double> X_FM =
        (X[static_cast<std::size_t>(joint.body1)] * frame_at(std::span<const double>(p), joint.F))
            .inverse() *
        X[static_cast<std::size_t>(body2)] * frame_at(std::span<const double>(p), joint.M);
    const JointVector<double> q = joint.type->coordinates_of(X_FM);
    for (Eigen::Index c = 0; c < q.size(); ++c) {
      const std::size_t at = first + static_cast<std::size_t>(c);
      const bool said = initial_.q[at] || guess_.q[at];
      if (!said && std::isfinite(q(c))) q0_[at] = Symbol(q(c));
    }
  }
}

/// No value twice, and no guess beside a value.
void ModelCompiler::check_free(const StartSection& section, const InitialSpec& spec, char level,
                               std::size_t k) const {
  const std::string name = (level == 'q' ? "" : "the speed of ") + model_.coordinate_names_[k];
  const auto has = [&](const StartSection& s) { return (level == 'q' ? s.q : s.v)[k]; };
  if (has(section)) fail(spec.key.where, name + " is given twice");
  if (has(initial_)) {
    fail(spec.key.where, name + " is given in initial: a guess is for what initial leaves free");
  }
}

void ModelCompiler::apply_values(StartSection& section, const InitialSpec& spec,
                                 const CoordinateName& name) {
  const Joint& joint = model_.joints_[static_cast<std::size_t>(name.joint)];
  const int n = name.component < 0 ? joint.type->nq() : 1;
  if (static_cast<int>(spec.values.size()) != n) {
    fail(spec.key.where, fmt::format("{} takes {} number{}, not {}", spec.key.name, n,
                                     n == 1 ? "" : "s", spec.values.size()));
  }
  for (int i = 0; i < n; ++i) {
    const int c = name.component < 0 ? i : name.component;
    const auto k = static_cast<std::size_t>(joint.q_first + c);
    check_free(section, spec, name.level, k);
    const auto kind = joint.type->coordinates()[static_cast<std::size_t>(c)].kind;
    const NumberSpec& value = spec.values[static_cast<std::size_t>(i)];
    const Symbol symbol =
        kind == CoordinateKind::kAngle ? angle(value, spec.key.name) : number(value, spec.key.name);
    (name.level == 'q' ? q0_ : v0_)[k] = symbol;
    (name.level == 'q' ? section.q : section.v)[k] = true;
  }
}

/// J.w: angular velocity of the second body relative to the first, in axes of F: ṗ = ½Ēᵀω [EP-2].
void ModelCompiler::apply_angular_velocity(StartSection& section, const InitialSpec& spec,
                                           const Joint& joint) {
  if (spec.values.size() != 3) fail(spec.key.where, spec.key.name + " takes three numbers");
  const auto first = static_cast<std::size_t>(joint.q_first + euler_first(*joint.type));
  Vec<Symbol, 4> p;
  Sym3 omega;
  for (std::size_t i = 0; i < 4; ++i) p(static_cast<int>(i)) = q0_[first + i];
  for (std::size_t i = 0; i < 3; ++i)
    omega(static_cast<int>(i)) = angle(spec.values[i], spec.key.name);
  const Vec<Symbol, 4> rate = euler_E(p).transpose() * omega * Symbol(0.5);
  for (std::size_t i = 0; i < 4; ++i) {
    if (initial_.v[first + i] || section.v[first + i]) {
      fail(spec.key.where, spec.key.name + " contradicts " + joint.name + ".v");
    }
    v0_[first + i] = rate(static_cast<int>(i));
    section.v[first + i] = true;
  }
}

/// Where `initial` gives coordinates of the joint; else the joint itself.
const SourceLocation& ModelCompiler::initial_place(const Joint& joint) const {
  const auto it = initial_where_.find(joint.name);
  return it == initial_where_.end() ? joint.where : it->second;
}

/// Given Euler parameters have length 1 to the digits typed, and are normalised exactly.
void ModelCompiler::check_euler_parameters() {
  constexpr double kTyped = 1e-6;
  for (const Joint& joint : model_.joints_) {
    const int e = joint.cut ? -1 : euler_first(*joint.type);
    if (e < 0) continue;
    const auto first = static_cast<std::size_t>(joint.q_first + e);
    Symbol squared(0);
    for (std::size_t i = 0; i < 4; ++i) squared += q0_[first + i] * q0_[first + i];
    const double length = std::sqrt(squared.value());
    if (!(std::abs(length - 1) <= kTyped)) {
      fail(initial_place(joint),
           fmt::format("the Euler parameters of joint \"{}\" have length {:.6g}, not 1", joint.name,
                       length));
    }
    if (!initial_.q[first] && !guess_.q[first]) continue;
    const Symbol scale = Symbol(1) / sqrt(squared);
    for (std::size_t i = 0; i < 4; ++i) q0_[first + i] *= scale;
  }
}

/// Speeds of Euler parameters keep their length: pᵀv = 0.
void ModelCompiler::check_euler_speeds() {
  constexpr double kTyped = 1e-6;
  for (const Joint& joint : model_.joints_) {
    const int e = joint.cut ? -1 : euler_first(*joint.type);
    if (e < 0) continue;
    const auto first = static_cast<std::size_t>(joint.q_first + e);
    double along = 0, size = 1;
    for (std::size_t i = 0; i < 4; ++i) {
      along += q0_[first + i].value() * v0_[first + i].value();
      size += std::abs(v0_[first + i].value());
    }
    if (std::abs(along) <= kTyped * size) continue;
    fail(initial_place(joint),
         fmt::format("the speeds of the Euler parameters of joint \"{0}\" change their length: "
                     "give the angular velocity instead, {0}.w: [x, y, z]",
                     joint.name));
  }
}

/// A joint of a type whose coordinates are not known from placements must be given where it is.
void ModelCompiler::check_placed_start() {
  for (std::size_t k = 0; k < drafts_.size(); ++k) {
    const Joint& joint = model_.joints_[k];
    const JointVector<double>& placed = drafts_[k].placed_at;
    if (joint.cut || placed.size() == 0 || joint.type->name() == "floating") continue;
    const auto first = static_cast<std::size_t>(joint.q_first);
    double away = 0;
    for (Eigen::Index c = 0; c < placed.size(); ++c) {
      const std::size_t i = first + static_cast<std::size_t>(c);
      if (initial_.q[i] || guess_.q[i]) continue;
      away = std::max(away, std::abs(placed(c) - q0_[i].value()));
    }
    if (away <= 1e-6) continue;
    std::string values;
    for (const double q : placed) values += fmt::format("{}{:.6g}", values.empty() ? "" : ", ", q);
    fail(joint.where, fmt::format("the placements put joint \"{0}\" at q = ({1}), but it starts at "
                                  "its zero: give {0}.q in initial, or leave a placement out",
                                  joint.name, values));
  }
}

/// The values of one level: q, v, or w.
void ModelCompiler::apply_section(StartSection& section, char level) {
  for (std::size_t k = 0; k < section.names.size(); ++k) {
    const InitialSpec& spec = (*section.specs)[k];
    const CoordinateName& name = section.names[k];
    if (name.joint < 0 || name.level != level) continue;
    const Joint& joint = model_.joints_[static_cast<std::size_t>(name.joint)];
    guard(giver_of_start(description_, joint, section.name), spec.key.where, [&] {
      if (joint.cut) {
        fail(spec.key.where, "joint \"" + joint.name + "\" is cut to open its loop, so " +
                                 spec.key.name +
                                 " cannot be given: put cut: true on another joint of the loop");
      }
      if (level == 'w') {
        apply_angular_velocity(section, spec, joint);
      } else {
        apply_values(section, spec, name);
      }
    });
  }
}

/// The values of `initial` one by one, in the order of the file.
void ModelCompiler::order_conditions() {
  int target = 0;
  for (const CoordinateName& name : initial_.names) {
    if (name.joint < 0) {
      const bool rate = model_.initial_targets_[static_cast<std::size_t>(target)].rate;
      model_.initial_conditions_.push_back({-1, target++, rate});
      continue;
    }
    const Joint& joint = model_.joints_[static_cast<std::size_t>(name.joint)];
    int first = joint.q_first, n = joint.type->nq();
    if (name.level == 'w') {
      first += euler_first(*joint.type);
      n = 4;
    } else if (name.component >= 0) {
      first += name.component;
      n = 1;
    }
    for (int c = first; c < first + n; ++c) {
      model_.initial_conditions_.push_back({c, -1, name.level != 'q'});
    }
  }
}

void ModelCompiler::compile_initial() {
  default_initial();
  for (StartSection* section : {&initial_, &guess_}) apply_section(*section, 'q');
  if (diagnostics_.empty()) place_markers();
  guard("initial", element_where_, [&] { check_euler_parameters(); });
  for (StartSection* section : {&initial_, &guess_}) {
    apply_section(*section, 'v');
    apply_section(*section, 'w');
  }
  guard("initial", element_where_, [&] {
    check_euler_speeds();
    check_placed_start();
  });
  model_.initial_q_given_ = initial_.q;
  model_.initial_v_given_ = initial_.v;
  if (diagnostics_.empty()) order_conditions();
  model_.initial_q_ = static_cast<int>(p_.size());
  add_initial("initial.", q0_);
  model_.initial_v_ = static_cast<int>(p_.size());
  add_initial("initial.speed.", v0_);
}

/// One value per coordinate of the tree, joint by joint.
void ModelCompiler::add_initial(const std::string& prefix, const std::vector<Symbol>& x) {
  for (const TreeNode& node : model_.topology_.nodes) {
    const Joint& joint = model_.joints_[static_cast<std::size_t>(node.joint)];
    guard(giver_of_start(description_, joint, "initial"), initial_place(joint), [&] {
      for (int c = 0; c < joint.type->nq(); ++c) {
        const auto k = static_cast<std::size_t>(joint.q_first + c);
        add_physical(prefix + model_.coordinate_names_[k], "", x[k]);
      }
    });
  }
}

}  // namespace kinegrad

// Signals and objectives: expressions of time, parameters, splines and the motion.
#include "model/model_compiler.hpp"

namespace kinegrad {

namespace {

/// "x", "vy", "az": component and order of a point's motion.
bool motion_suffix(std::string_view suffix, int& component, int& order) {
  order = 0;
  if (suffix.size() == 2) {
    if (suffix[0] != 'v' && suffix[0] != 'a') return false;
    order = suffix[0] == 'v' ? 1 : 2;
    suffix.remove_prefix(1);
  }
  if (suffix.size() != 1 || suffix[0] < 'x' || suffix[0] > 'z') return false;
  component = suffix[0] - 'x';
  return true;
}

constexpr std::array<std::string_view, 3> kEnergies = {"energy", "kinetic_energy",
                                                       "potential_energy"};

/// Total, kinetic, potential; -1 if the name is none of them.
int energy_called(std::string_view name) {
  const auto it = std::find(kEnergies.begin(), kEnergies.end(), name);
  return it == kEnergies.end() ? -1 : static_cast<int>(it - kEnergies.begin());
}

}  // namespace

struct SignalScope final : ExpressionScope {
  ModelCompiler& compiler;
  int place;                ///< the point whose coordinates x, y, z are; -1: none
  const LocalNames* local;  ///< what means something here alone; may be null
  explicit SignalScope(ModelCompiler& c, int at = -1, const LocalNames* names = nullptr)
      : compiler(c), place(at), local(names) {}

  std::optional<NodeId> variable(std::string_view name, ExpressionGraph&) const override {
    using Kind = SignalInput::Kind;
    if (local) {
      if (const auto own = local->find(name); own != local->end()) return own->second;
    }
    if (name == "t") return compiler.signal_input({Kind::kTime, 0, 0, 0});
    if (place >= 0 && name.size() == 1 && name[0] >= 'x' && name[0] <= 'z') {
      return compiler.signal_input({Kind::kVector, place, name[0] - 'x', 0});
    }
    if (const auto p = compiler.parameter_index_.find(name); p != compiler.parameter_index_.end()) {
      if (!compiler.parameter_known_[p->second]) throw AlreadyReported{};
      compiler.note_user(p->second);
      return compiler.signal_input({Kind::kPhysical, -1 - static_cast<int>(p->second), 0, 0});
    }
    const int energy = energy_called(name);
    if (const auto s = compiler.signal_index_.find(name); s != compiler.signal_index_.end()) {
      const NodeId node = compiler.signal_nodes_[s->second];
      if (node >= 0) return node;
      // signals are compiled in the order of dependence; one called energy reads the energy itself
      if (energy < 0) throw AlreadyReported{};
    }
    if (energy >= 0) return compiler.signal_input({Kind::kEnergy, 0, energy, 0});
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return {};
    const std::string head(name.substr(0, dot));
    const std::string_view suffix = name.substr(dot + 1);
    if (const auto joint = joint_coordinate(head, suffix)) return joint;
    if (const auto turn = angular_velocity(head, suffix)) return turn;
    if (const auto turn = joint_angular_velocity(head, suffix)) return turn;
    int component = 0, order = 0;
    const bool motion = motion_suffix(suffix, component, order);
    int vector = motion ? find_vector(head) : -1;
    if (motion && vector == -1) vector = centre_of(head);
    if (vector < 0) {
      const auto motion_of_force = compiler.force_motion(head, suffix);
      return motion_of_force ? motion_of_force : compiler.force_signal(head, suffix);
    }
    return compiler.signal_input({Kind::kVector, vector, component, order});
  }

  /// reaction(joint, fx): what the joint does to its second body, in world axes; reaction(joint, fx, joint): in axes of
  /// the joint, z along its axis.
  std::optional<NodeId> word_call(std::string_view name, std::span<const std::string_view> words,
                                  ExpressionGraph&) const override {
    if (name == "multiplier") return compiler.multiplier_signal(words);
    constexpr std::string_view kComponents[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    if (words.size() != 2 && words.size() != 3) {
      throw ExpressionError(
          "reaction takes a joint, one of fx, fy, fz, tx, ty, tz, and world or joint for its axes",
          0);
    }
    if (words.size() == 3 && words[2] != "world" && words[2] != "joint") {
      throw ExpressionError(
          "a reaction is in axes of the world or of the joint, not " + std::string(words[2]), 0);
    }
    const bool own = words.size() == 3 && words[2] == "joint";
    const auto joint = compiler.joint_index_.find(words[0]);
    if (joint == compiler.joint_index_.end()) {
      throw ExpressionError("there is no joint \"" + std::string(words[0]) + "\"" +
                                suggestion(words[0], compiler.joint_names()),
                            0);
    }
    for (int k = 0; k < 6; ++k) {
      if (words[1] != kComponents[k]) continue;
      if (own) return own_reaction(joint->second, k);
      return compiler.signal_input({SignalInput::Kind::kReaction, joint->second, k, 0});
    }
    throw ExpressionError("a reaction has fx, fy, fz, tx, ty, tz, not " + std::string(words[1]), 0);
  }

  /// f_c·F or f_c·T with the axes f of the joint's frame F.                                    [SG-8]
  NodeId own_reaction(int index, int component) const {
    const Joint& joint = compiler.model_.joints()[static_cast<std::size_t>(index)];
    if (joint.F.first < 0) throw AlreadyReported{};
    ExpressionGraph& graph = compiler.signal_graph_;
    const int axis = compiler.axis_of(joint.F, component % 3, joint.name + ".F.");
    const int f = direction(joint.body1, axis), first = component < 3 ? 0 : 3;
    NodeId sum = graph.constant(0);
    for (int k = 0; k < 3; ++k) {
      const NodeId f_k = compiler.signal_input({SignalInput::Kind::kVector, f, k, 0});
      const NodeId w = compiler.signal_input({SignalInput::Kind::kReaction, index, first + k, 0});
      sum = graph.binary(Op::kAdd, sum, graph.binary(Op::kMul, f_k, w));
    }
    return sum;
  }

  std::optional<int> spline(std::string_view name) const override {
    const auto it = compiler.spline_index_.find(name);
    if (it == compiler.spline_index_.end()) return {};
    return compiler.signal_spline(it->second);
  }

  std::vector<std::string> names() const override {
    std::vector<std::string> names = compiler.parameter_names();
    names.push_back("t");
    if (place >= 0) names.insert(names.end(), {"x", "y", "z"});
    for (const auto& [name, index] : compiler.signal_index_) names.push_back(name);
    for (const std::string& joint : compiler.joint_names()) names.push_back(joint + ".q");
    for (const std::string& vector : compiler.vector_names()) names.push_back(vector + ".x");
    for (const auto& [name, index] : compiler.body_index_) {
      names.insert(names.end(), {name + ".wx", name + ".x"});
    }
    for (const ForceSpec& force : compiler.description_.forces) {
      if (compiler.force_between_points(force.name)) names.push_back(force.name + ".length");
      for (const ForceSignal& signal : compiler.signals_of(force)) {
        names.push_back(force.name + "." + std::string(signal.name));
      }
    }
    if (local) {
      for (const auto& [name, node] : *local) names.push_back(name);
    }
    for (const std::string& joint : compiler.joint_names()) names.push_back(joint + ".wx");
    return names;
  }

  std::string refusal(std::string_view name) const override {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return {};
    const std::string head(name.substr(0, dot)), suffix(name.substr(dot + 1));
    const int vector = find_vector(head);
    const auto joint = compiler.joint_index_.find(head);
    if (joint != compiler.joint_index_.end() && vector == -1) {
      const std::string turn =
          suffix.starts_with('w') ? "; its angular velocity is " + head + ".wx, .wy, .wz" : "";
      return compiler.coordinate_refusal(joint->second, suffix) + turn;
    }
    if (vector >= 0) return "\"" + head + "\" has x, y, z, vx, vy, vz, ax, ay, az, not ." + suffix;
    if (vector == -2) return "\"" + head + "\" is on several bodies: write body." + head;
    if (body_called(head) >= 0) {
      return "body \"" + head +
             "\" has wx, wy, wz, its angular velocity, x, vx, … of its centre of " +
             "mass, and points, as in " + head + ".com.x; not ." + suffix;
    }
    return compiler.force_refusal(head, suffix);
  }

 private:
  std::optional<NodeId> joint_coordinate(const std::string& head, std::string_view suffix) const {
    const auto it = compiler.joint_index_.find(head);
    if (it == compiler.joint_index_.end() || suffix.empty()) return {};
    const Joint& joint = compiler.model_.joints()[static_cast<std::size_t>(it->second)];
    if (!joint.type) throw AlreadyReported{};
    const int order = suffix[0] == 'q' ? 0 : suffix[0] == 'v' ? 1 : suffix[0] == 'a' ? 2 : -1;
    const int n = joint.type->nq();
    if (order < 0 || suffix.size() > 2) return {};
    const int component = suffix.size() == 2 ? suffix[1] - '1' : 0;
    if (component < 0 || component >= n || (suffix.size() == 1 && n > 1)) return {};
    compiler.used_joints_.insert(it->second);
    return compiler.signal_input({SignalInput::Kind::kJoint, it->second, component, order});
  }

  /// Index of a body, -1 if there is none of that name; a state is none.
  int body_called(const std::string& name) const {
    const auto it = compiler.body_index_.find(name);
    if (it == compiler.body_index_.end()) return -1;
    return compiler.carries_state(it->second) ? -1 : it->second;
  }

  /// 0, 1, 2 of wx, wy, wz; -1 if the suffix is none of them.
  static int turn_component(std::string_view suffix) {
    const bool is = suffix.size() == 2 && suffix[0] == 'w' && suffix[1] >= 'x' && suffix[1] <= 'z';
    return is ? suffix[1] - 'x' : -1;
  }

  /// body.wx, wy, wz in world axes.
  std::optional<NodeId> angular_velocity(const std::string& head, std::string_view suffix) const {
    const int body = body_called(head), c = turn_component(suffix);
    if (body < 0 || c < 0) return {};
    return turn_of(body, c);
  }

  /// J.w of a joint with one angle: its rate. J.wx, wy, wz: of the second body relative to the first, in
  /// axes of F, f_c·(ω₂ − ω₁).                                                                [SG-7]
  std::optional<NodeId> joint_angular_velocity(const std::string& head,
                                               std::string_view suffix) const {
    const auto it = compiler.joint_index_.find(head);
    if (it == compiler.joint_index_.end()) return {};
    if (suffix == "w") return rate_of_angle(it->second);
    const int c = turn_component(suffix);
    if (c < 0) return {};
    const Joint& joint = compiler.model_.joints()[static_cast<std::size_t>(it->second)];
    if (joint.F.first < 0) throw AlreadyReported{};
    if (compiler.carries_state(joint.body2)) return {};
    ExpressionGraph& graph = compiler.signal_graph_;
    const int axis = compiler.axis_of(joint.F, c, joint.name + ".F.");
    const int f = direction(joint.body1, axis);
    NodeId sum = graph.constant(0);
    for (int k = 0; k < 3; ++k) {
      const NodeId f_k = compiler.signal_input({SignalInput::Kind::kVector, f, k, 0});
      const NodeId w = graph.binary(Op::kSub, turn_of(joint.body2, k), turn_of(joint.body1, k));
      sum = graph.binary(Op::kAdd, sum, graph.binary(Op::kMul, f_k, w));
    }
    return sum;
  }

  std::optional<NodeId> rate_of_angle(int index) const {
    const Joint& joint = compiler.model_.joints()[static_cast<std::size_t>(index)];
    if (!joint.type) throw AlreadyReported{};
    const auto coordinates = joint.type->coordinates();
    int angle = -1;
    for (std::size_t c = 0; c < coordinates.size(); ++c) {
      if (coordinates[c].kind == CoordinateKind::kLength) continue;
      if (angle >= 0 || coordinates[c].kind != CoordinateKind::kAngle) return {};
      angle = static_cast<int>(c);
    }
    if (angle < 0) return {};
    compiler.used_joints_.insert(index);
    return compiler.signal_input({SignalInput::Kind::kJoint, index, angle, 1});
  }

  /// Component c of ω in world axes, from the axes of the body: ω = ½ Σ e_i × ė_i.             [SG-6]
  NodeId turn_of(int body, int c) const {
    ExpressionGraph& graph = compiler.signal_graph_;
    const int next = (c + 1) % 3, last = (c + 2) % 3;
    NodeId sum = graph.constant(0);
    if (body == 0) return sum;
    for (int i = 0; i < 3; ++i) {
      const int axis = body_axis(body, i);
      const auto part = [&](int component, int order) {
        return compiler.signal_input({SignalInput::Kind::kVector, axis, component, order});
      };
      const NodeId cross =
          graph.binary(Op::kSub, graph.binary(Op::kMul, part(next, 0), part(last, 1)),
                       graph.binary(Op::kMul, part(last, 0), part(next, 1)));
      sum = graph.binary(Op::kAdd, sum, cross);
    }
    return graph.binary(Op::kMul, graph.constant(0.5), sum);
  }

  /// A direction along axis i of a body, made where it is asked for at first.
  int body_axis(int body, int i) const {
    const std::string& name = compiler.model_.bodies()[static_cast<std::size_t>(body)].name;
    Sym3 e;
    for (int k = 0; k < 3; ++k) e(k) = k == i ? 1.0 : 0.0;
    const auto& vectors = compiler.model_.vectors();
    for (std::size_t k = 0; k < vectors.size(); ++k) {
      const BodyVector& v = vectors[k];
      if (v.hidden && !v.is_point && v.body == body && is_constant(v.first, e))
        return static_cast<int>(k);
    }
    const int first = compiler.add_physical(name + ".axis_" + static_cast<char>('x' + i), "1", e);
    return compiler.hidden_vector(body, first, false);
  }
  /// The direction of that body whose numbers begin there, made where it is asked for at first.
  int direction(int body, int first) const {
    const auto& vectors = compiler.model_.vectors();
    for (std::size_t k = 0; k < vectors.size(); ++k) {
      const BodyVector& v = vectors[k];
      if (v.hidden && !v.is_point && v.body == body && v.first == first) return static_cast<int>(k);
    }
    return compiler.hidden_vector(body, first, false);
  }
  bool is_constant(int first, const Sym3& e) const {
    for (int k = 0; k < 3; ++k) {
      const Symbol& p = compiler.p_[static_cast<std::size_t>(first + k)];
      if (!p.is_constant() || p.value() != e(k).value()) return false;
    }
    return true;
  }

  /// The centre of mass of a body of that name, -1 if there is none.
  int centre_of(const std::string& name) const {
    const int body = body_called(name);
    return body < 1 ? -1 : compiler.vector_on("com", body);
  }

  /// Index, -1 if there is none, -2 if there are several.
  int find_vector(const std::string& name) const {
    const std::vector<int> found = compiler.vectors_called(name);
    return found.empty() ? -1 : found.size() > 1 ? -2 : found.front();
  }
};

NodeId ModelCompiler::own_reaction(int joint, int component) {
  return SignalScope(*this).own_reaction(joint, component);
}

/// Each thing the expressions read is one input of their tape; a parameter, given as −1 − k, is an
/// entry of p of its own.
NodeId ModelCompiler::signal_input(const SignalInput& input) {
  const auto key =
      std::tuple{static_cast<int>(input.kind), input.element, input.component, input.order};
  const auto [it, inserted] =
      signal_input_index_.emplace(key, static_cast<int>(model_.signal_inputs_.size()));
  if (inserted) {
    SignalInput resolved = input;
    if (input.kind == SignalInput::Kind::kPhysical && input.element < 0) {
      const auto k = static_cast<std::size_t>(-1 - input.element);
      const Parameter& parameter = model_.parameters_[k];
      resolved.element =
          add_physical("parameter." + parameter.name, parameter.unit, parameter_values_[k]);
    }
    model_.signal_inputs_.push_back(resolved);
  }
  return signal_graph_.input(it->second);
}

int ModelCompiler::signal_spline(std::size_t spline) {
  const auto it = signal_spline_.find(spline);
  if (it != signal_spline_.end()) return it->second;
  const SplineBlock& block = splines_[spline];
  const int first = static_cast<int>(model_.signal_inputs_.size());
  for (int i = 0; i < 2 * block.spline.size(); ++i) {
    model_.signal_inputs_.push_back({SignalInput::Kind::kPhysical, block.first + i, 0, 0});
  }
  const int id = signal_graph_.add_spline(block.spline.knots(), first);
  signal_spline_.emplace(spline, id);
  return id;
}

NodeId ModelCompiler::signal_expression(const NumberSpec& spec, const std::string& field, int place,
                                        const LocalNames* names) {
  const SignalScope scope(*this, place, names);
  try {
    return parse_expression(spec.text, signal_graph_, scope);
  } catch (const ExpressionError& error) {
    fail(spec.where, field + ": " + error.what());
  }
}

void ModelCompiler::compile_signal(std::size_t k) {
  const SignalSpec& spec = description_.signals[k];
  if (parameter_index_.contains(spec.name) || spline_index_.contains(spec.name)) {
    fail(spec.where, "a parameter or spline has the same name");
  }
  signal_nodes_[k] = signal_expression(spec.value, "value");
}

void ModelCompiler::compile_signals() {
  const auto& specs = description_.signals;
  signal_nodes_.assign(specs.size(), -1);
  std::vector<std::string_view> texts;
  for (const SignalSpec& spec : specs) texts.emplace_back(spec.value.text);
  DependencyOrder order = dependency_order(texts, signal_index_);
  std::erase_if(order.cycles, [&](const std::vector<std::size_t>& ring) {  // `energy: energy`
    return ring.size() == 1 && energy_called(specs[ring.front()].name) >= 0;
  });
  report_cycles(
      order, "signal", [&](std::size_t k) -> const std::string& { return specs[k].name; },
      [&](std::size_t k) -> const SourceLocation& { return specs[k].where; });
  for (const std::size_t k : order.order) {
    guard(element_called("signal", specs[k].name), specs[k].where, [&] { compile_signal(k); });
  }
  for (std::size_t k = 0; k < specs.size(); ++k) {
    const SignalSpec& spec = specs[k];
    model_.signals_.push_back({spec.name, spec.unit, spec.description,
                               static_cast<int>(signal_outputs_.size()), spec.where});
    signal_outputs_.push_back(signal_nodes_[k]);
  }
  compile_objectives();
}

void ModelCompiler::compile_objectives() {
  for (const ObjectiveSpec& spec : description_.objectives) {
    guard("objective \"" + spec.name + "\"", spec.where, [&] {
      for (const Objective& other : model_.objectives_) {
        if (other.name == spec.name) fail(spec.where, "it is defined twice");
      }
      if (!spec.terminal && !spec.integral) fail(spec.where, "needs terminal or integral");
      Objective objective{spec.name, spec.unit, spec.description, -1, -1, spec.where};
      const auto part = [&](const std::optional<NumberSpec>& number, const char* field) {
        if (!number) return -1;
        signal_outputs_.push_back(signal_expression(*number, field));
        return static_cast<int>(signal_outputs_.size()) - 1;
      };
      objective.terminal = part(spec.terminal, "terminal");
      objective.integral = part(spec.integral, "integral");
      model_.objectives_.push_back(std::move(objective));
    });
  }
}

}  // namespace kinegrad

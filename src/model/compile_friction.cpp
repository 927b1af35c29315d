// Friction in joints: forces along free directions that read the joint's reaction (docs/theory/friction_in_joints.md, [BF]).
#include <cmath>
#include <numbers>

#include "model/model_compiler.hpp"
#include "model/states.hpp"

namespace kinegrad {

/// A node of an expression, so that equations read as they are printed.
struct FrictionTerm {
  ExpressionGraph* graph = nullptr;
  NodeId node = -1;

  using Term = FrictionTerm;
  Term with(Op op, const Term& b) const { return {graph, graph->binary(op, node, b.node)}; }
  Term of(Op op) const { return {graph, graph->unary(op, node)}; }
  Term number(double x) const { return {graph, graph->constant(x)}; }
};
using Term = FrictionTerm;

namespace {

Term operator+(const Term& a, const Term& b) { return a.with(Op::kAdd, b); }
Term operator-(const Term& a, const Term& b) { return a.with(Op::kSub, b); }
Term operator*(const Term& a, const Term& b) { return a.with(Op::kMul, b); }
Term operator/(const Term& a, const Term& b) { return a.with(Op::kDiv, b); }
Term operator-(const Term& a) { return a.of(Op::kNeg); }
Term operator*(double a, const Term& b) { return b.number(a) * b; }
Term operator-(double a, const Term& b) { return b.number(a) - b; }
Term sqrt(const Term& a) { return a.of(Op::kSqrt); }
Term tanh(const Term& a) { return a.of(Op::kTanh); }
Term exp(const Term& a) { return a.of(Op::kExp); }
Term max(const Term& a, const Term& b) { return a.with(Op::kMax, b); }
Term max(const Term& a, double b) { return max(a, a.number(b)); }
Term min(const Term& a, double b) { return a.with(Op::kMin, a.number(b)); }

}  // namespace

/// μ⃗ of a law along sliding velocities of one or two numbers: the force is −N μ⃗.
struct FrictionLaw {
  FrictionKind kind = FrictionKind::kBrownMcPhee;
  Term mu_d, mu_s, v_s, v_0, viscous;
  Term stiffness, damping, dwell_time;  // of bristles
  bool has_bristles() const {
    return kind == FrictionKind::kLuGre || kind == FrictionKind::kGonthier;
  }

  /// μ⃗/v as a function of |v|², which is smooth at rest.                                  [BF-1], [BF-2]
  Term slope(const Term& square) const {
    constexpr double kRest = 1e-3;  // of v_s: |v| is √(v·v + (kRest v_s)²) where it divides
    const Term one = square.number(1);
    if (kind == FrictionKind::kAmbrosio) {
      const Term rest = kRest * v_s, speed = sqrt(square + rest * rest);
      const Term s = min(max((speed - v_0) / (v_s - v_0), 0), 1);
      return mu_d * s * s * (one.number(3) - 2 * s) / speed + viscous;
    }
    const Term x2 = square / (v_s * v_s), x = sqrt(x2 + one.number(kRest * kRest));
    const Term hump = 0.25 * x2 + one.number(0.75);
    return (mu_d * tanh(4 * x) / x + (mu_s - mu_d) / (hump * hump)) / v_s + viscous;
  }
  Term along(const Term& v) const {
    if (kind == FrictionKind::kAmbrosio) return slope(v * v) * v;
    const Term x = v / v_s, hump = 0.25 * x * x + x.number(0.75);  // [BF-1], without a root
    return mu_d * tanh(4 * x) + (mu_s - mu_d) * x / (hump * hump) + viscous * v;
  }
  /// ẇ/v and −ẇ/w of LuGre's bristles.                                                         [FL-4]
  Term lugre_decay(const Term& square) const {
    const Term rest = kBristleRest * v_s;
    const Term g = mu_d + (mu_s - mu_d) * stuck(square);
    return stiffness * square / (sqrt(square + rest * rest) * g);
  }
  /// 1 at rest, 0 in sliding.
  Term stuck(const Term& square) const { return exp(-(square / (v_s * v_s))); }
  /// dir(v)/v, dir(v) = v/|v| beyond v_s/100 and without a corner below.                         [FL-5]
  Term direction(const Term& square) const {
    const Term rest = kBristleRest * v_s, part = square / (rest * rest);
    return (1.5 - 0.5 * min(part, 1)) / (rest * sqrt(max(part, 1)));
  }
  static constexpr double kBristleRest = 1e-2;  // of v_s
};

/// What a joint carries, in its own axes, the torque about end 1; and how it is smoothed.
struct FrictionLoad {
  Term fx, fy, fz, tx, ty, tz, epsilon;
  Term length;  // between the ends; node −1: there are none
  bool has_ends() const { return length.node >= 0; }

  Term magnitude(const Term& x) const { return sqrt(x * x + epsilon * epsilon); }
  Term magnitude(const Term& x, const Term& y) const {
    return sqrt(x * x + y * y + epsilon * epsilon);
  }
  /// Σ|f| of the ends of a round bearing.                                                       [BF-4]
  Term radial() const {
    if (!has_ends()) return magnitude(fx, fy);
    return magnitude(ty / length - fx, -(fy + tx / length)) + magnitude(ty / length, tx / length);
  }
  /// Of a square one.                                                                           [BF-5]
  Term square() const {
    if (!has_ends()) return magnitude(fx) + magnitude(fy);
    return magnitude(ty / length - fx) + magnitude(fy + tx / length) + magnitude(ty / length) +
           magnitude(tx / length);
  }
};

/// An attribute as a node, and the default where it is not given.
FrictionTerm ModelCompiler::friction_number(const ForceSpec& spec, const std::string& key,
                                            double other, double least) {
  const auto given = spec.numbers.find(key);
  if (given == spec.numbers.end()) return {&signal_graph_, signal_graph_.constant(other)};
  const NumberSpec& number = given->second;
  const NodeId node = signal_expression(number, key);
  check_force_inputs(node, number.where, key);
  if (!varies(number, key) && !(this->number(number, key).value() >= least)) {
    fail(number.where, key + (least > 0 ? " must be positive" : " must not be negative"));
  }
  return {&signal_graph_, node};
}

namespace {

constexpr double kPositive = 1e-300;  // the least of what must be positive

bool is_round(std::string_view type) { return type == "revolute" || type == "cylindrical"; }

}  // namespace

/// The joint, of a type that takes friction.
int ModelCompiler::friction_joint(const ForceSpec& spec) const {
  if (!spec.joint) fail(spec.where, "friction acts in a joint");
  const auto found = joint_index_.find(spec.joint->name);
  if (found == joint_index_.end()) {
    fail(spec.joint->where, "there is no joint \"" + spec.joint->name + "\"" +
                                suggestion(spec.joint->name, joint_names()));
  }
  const Joint& joint = model_.joints_[static_cast<std::size_t>(found->second)];
  if (!joint.type) throw AlreadyReported{};
  check_force_target(spec, found->second);
  const std::string_view type = joint.type->name();
  if (!is_round(type) && type != "prismatic" && type != "planar") {
    fail(spec.joint->where,
         "friction acts in revolute, prismatic, cylindrical and planar joints; \"" + joint.name +
             "\" is " + std::string(type));
  }
  return found->second;
}

/// Refuses attributes that the joint or the law has no use for, and wrong pairs of them.
void ModelCompiler::check_friction(const ForceSpec& spec, std::string_view type,
                                   FrictionKind kind) {
  const auto given = [&](const char* key) { return spec.numbers.contains(key); };
  const auto refuse = [&](bool here, const char* key, const char* why) {
    if (here && given(key)) fail(spec.numbers.at(key).where, std::string(key) + ": " + why);
  };
  const auto value = [&](const char* key) {  // NaN where it varies
    const NumberSpec& number = spec.numbers.at(key);
    return varies(number, key) ? std::nan("") : this->number(number, key).value();
  };
  const bool ramp = kind == FrictionKind::kAmbrosio;
  if (!given("friction")) fail(spec.where, "needs friction, the coefficient of sliding");
  if (is_round(type) && !given("radius")) {
    fail(spec.where, "needs radius, at which a round joint rubs");
  }
  refuse(type != "revolute", "thrust_radius", "only revolute joints carry thrust");
  refuse(type != "prismatic", "width", "only prismatic joints have a width");
  refuse(type == "prismatic", "radius", "a prismatic joint does not turn");
  refuse(!is_round(type), "pressure_factor", "it belongs to round joints");
  refuse(type == "planar", "end1", "a plane has no ends");
  refuse(type == "planar", "end2", "a plane has no ends");
  refuse(ramp, "static_friction", "ambrosio has none");
  refuse(!ramp, "rest_speed", "it belongs to ambrosio");
  if (given("static_friction") && value("static_friction") < value("friction")) {
    fail(spec.numbers.at("static_friction").where, "static_friction is below friction");
  }
  if (given("end1") != given("end2")) fail(spec.where, "give both end1 and end2, or none of them");
  if (given("end1") && value("end1") == value("end2")) {
    fail(spec.numbers.at("end2").where, "end1 and end2 are the same place");
  }
  check_bristles(spec, kind);
}

/// The numbers of laws with states.
void ModelCompiler::check_bristles(const ForceSpec& spec, FrictionKind kind) {
  const auto given = [&](const char* key) { return spec.numbers.contains(key); };
  const bool gonthier = kind == FrictionKind::kGonthier;
  const bool bristles = gonthier || kind == FrictionKind::kLuGre;
  for (const char* key : {"bristle_stiffness", "bristle_damping"}) {
    if (bristles && !given(key)) fail(spec.where, std::string("needs ") + key);
    if (!bristles && given(key)) {
      fail(spec.numbers.at(key).where, std::string(key) + ": this friction law has no bristles");
    }
  }
  if (gonthier && !given("dwell_time")) fail(spec.where, "needs dwell_time");
  for (const char* key : {"dwell_time", "dwell"}) {
    if (!gonthier && given(key)) {
      fail(spec.numbers.at(key).where, std::string(key) + ": it belongs to gonthier");
    }
  }
  for (const char* key : {"friction", "slip_speed"}) {  // the rates of bristles divide by them
    if (bristles && given(key)) friction_number(spec, key, 0, kPositive);
  }
  if (!given("dwell")) return;
  const NumberSpec& dwell = spec.numbers.at("dwell");
  const double start = number(dwell, "dwell").value();
  if (!(start >= 0 && start <= 1)) fail(dwell.where, "dwell must be between 0 and 1");
}

FrictionLaw ModelCompiler::friction_law(const ForceSpec& spec, FrictionKind kind) {
  const Term mu_d = friction_number(spec, "friction", 0, 0);
  const bool given = spec.numbers.contains("static_friction");
  return {kind,
          mu_d,
          given ? friction_number(spec, "static_friction", 0, 0) : mu_d,
          friction_number(spec, "slip_speed", 1e-2, kPositive),
          friction_number(spec, "rest_speed", 0, 0),
          friction_number(spec, "viscous_friction", 0, 0),
          friction_number(spec, "bristle_stiffness", 1, kPositive),
          friction_number(spec, "bristle_damping", 1,
                          kind == FrictionKind::kGonthier ? kPositive : 0),
          friction_number(spec, "dwell_time", 1, kPositive)};
}

/// The state FRICTION.NAME, which with_states_as_coordinates() has made a coordinate.
FrictionTerm ModelCompiler::friction_state(const ForceSpec& spec, const std::string& name) {
  const auto found = joint_index_.find(spec.name + "." + name);
  if (found == joint_index_.end()) throw AlreadyReported{};
  used_joints_.insert(found->second);
  return {&signal_graph_, signal_input({SignalInput::Kind::kJoint, found->second, 0, 1})};
}

/// ṡ of a state: the force on its coordinate [OS-1].
void ModelCompiler::add_state_rate(const ForceSpec& spec, const std::string& name,
                                   const FrictionTerm& rate) {
  Force force;
  force.name = spec.name + "." + name;
  force.where = spec.where;
  force.type = catalogue_.find_force("joint-force");
  KINEGRAD_DEMAND(force.type != nullptr);
  force.joint = joint_index_.at(force.name);
  force.attributes = static_cast<int>(p_.size());
  add_variable_attribute(force, force.name + ".value", "", rate.node);
  model_.forces_.push_back(std::move(force));
}

/// [BF-7]
std::vector<FrictionTerm> ModelCompiler::friction_along(const ForceSpec& spec,
                                                        const FrictionLaw& law,
                                                        const std::vector<FrictionTerm>& v,
                                                        const std::string& surface) {
  if (!law.has_bristles() && v.size() == 1) return {law.along(v.front())};
  Term square = v.front() * v.front();
  for (std::size_t i = 1; i < v.size(); ++i) square = square + v[i] * v[i];
  std::vector<Term> mu;
  if (!law.has_bristles()) {
    const Term slope = law.slope(square);
    for (const Term& component : v) mu.push_back(slope * component);
    return mu;
  }
  const bool gonthier = law.kind == FrictionKind::kGonthier;
  const Term s = law.stuck(square);
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::string name =
        surface + "deflection" + (v.size() == 1 ? "" : std::to_string(i + 1));
    const Term w = friction_state(spec, name), held = law.stiffness * w;
    const Term slides = law.mu_d * law.direction(square) * v[i];
    const Term rate = gonthier ? s * v[i] + (1 - s) * (slides - held) / law.damping
                               : v[i] - law.lugre_decay(square) * w;
    add_state_rate(spec, name, rate);
    mu.push_back(gonthier ? s * (held + law.damping * v[i]) + (1 - s) * slides
                          : held + law.damping * rate);
  }
  if (gonthier) {
    const Term d = friction_state(spec, surface + "dwell"), away = s - d;
    add_state_rate(spec, surface + "dwell",
                   max(away, 0) / law.dwell_time + min(away, 0) * law.stiffness / law.damping);
    const Term most = law.mu_d + (law.mu_s - law.mu_d) * d;
    Term length = mu.front() * mu.front();
    for (std::size_t i = 1; i < mu.size(); ++i) length = length + mu[i] * mu[i];
    const Term part = most / sqrt(max(length, most * most));
    for (Term& component : mu) component = part * component;
  }
  for (std::size_t i = 0; i < v.size(); ++i) mu[i] = mu[i] + law.viscous * v[i];
  return mu;
}

/// The reaction in axes of the joint, its torque about end 1: T − e₁ z × F.                           [BF-3]
FrictionLoad ModelCompiler::friction_load(const ForceSpec& spec, int joint) {
  const auto reaction = [&](int component) {
    return Term{&signal_graph_, own_reaction(joint, component)};
  };
  FrictionLoad load{reaction(0),
                    reaction(1),
                    reaction(2),
                    reaction(3),
                    reaction(4),
                    reaction(5),
                    friction_number(spec, "load_smoothing", 1e-6, kPositive),
                    {}};
  if (!spec.numbers.contains("end1")) return load;
  const Term end1 = friction_number(spec, "end1", 0, -HUGE_VAL);
  load.length = friction_number(spec, "end2", 0, -HUGE_VAL) - end1;
  load.tx = load.tx + end1 * load.fy;
  load.ty = load.ty - end1 * load.fx;
  return load;
}

namespace {

constexpr std::pair<std::string_view, FrictionKind> kLaws[] = {
    {"brown-mcphee", FrictionKind::kBrownMcPhee},
    {"ambrosio", FrictionKind::kAmbrosio},
    {"lugre", FrictionKind::kLuGre},
    {"gonthier", FrictionKind::kGonthier}};

}  // namespace

FrictionKind ModelCompiler::friction_kind(const ForceSpec& spec) const {
  const auto word = spec.numbers.find("friction_law");
  if (word == spec.numbers.end()) return FrictionKind::kBrownMcPhee;
  for (const auto& [name, kind] : kLaws) {
    if (word->second.text == name) return kind;
  }
  fail(word->second.where,
       "friction_law is brown-mcphee, ambrosio, lugre or gonthier, not \"" + word->second.text +
           "\"");
}

/// One force for every free direction: [BF-4], [BF-5], [BF-6].
void ModelCompiler::compile_friction(const ForceSpec& spec) {
  const int index = friction_joint(spec);
  const std::string_view type = model_.joints_[static_cast<std::size_t>(index)].type->name();
  const FrictionKind kind = friction_kind(spec);
  check_friction(spec, type, kind);
  const FrictionLaw law = friction_law(spec, kind);
  const FrictionLoad load = friction_load(spec, index);
  used_joints_.insert(index);
  const auto speed = [&](int c) {
    return Term{&signal_graph_, signal_input({SignalInput::Kind::kJoint, index, c, 1})};
  };
  const auto act = [&](int c, const Term& force) {
    model_.reactive_forces_.push_back(
        {spec.name, index, c, static_cast<int>(signal_outputs_.size()), spec.where});
    signal_outputs_.push_back(force.node);
  };
  constexpr double kParabola = std::numbers::pi * std::numbers::pi * std::numbers::pi / 24;
  const Term r = friction_number(spec, "radius", 0, is_round(type) ? kPositive : 0);
  const Term factor = friction_number(spec, "pressure_factor", kParabola, 0);
  if (type == "revolute") {
    const Term mu = friction_along(spec, law, {r * speed(0)}, "").front();
    const bool given = spec.numbers.contains("thrust_radius");
    const Term r_t = given ? friction_number(spec, "thrust_radius", 0, 0) : r;
    const Term thrust =
        given ? friction_along(spec, law, {r_t * speed(0)}, "thrust_").front() : mu;
    act(0, -(r * factor * load.radial() * mu + r_t * load.magnitude(load.fz) * thrust));
  } else if (type == "prismatic") {
    Term N = load.square();
    if (spec.numbers.contains("width")) {
      N = N + 2 * load.magnitude(load.tz / (2 * friction_number(spec, "width", 0, kPositive)));
    }
    act(0, -(N * friction_along(spec, law, {speed(0)}, "").front()));
  } else if (type == "cylindrical") {
    const Term N = factor * load.radial();
    const std::vector<Term> mu = friction_along(spec, law, {speed(0), r * speed(1)}, "");
    act(0, -(N * mu[0]));
    act(1, -(r * N * mu[1]));
  } else {
    const Term N = load.magnitude(load.fz);
    const std::vector<Term> mu = friction_along(spec, law, {speed(0), speed(1)}, "");
    act(0, -(N * mu[0]));
    act(1, -(N * mu[1]));
    if (spec.numbers.contains("radius")) {
      act(2, -(r * N * friction_along(spec, law, {r * speed(2)}, "spin_").front()));
    }
  }
}

/// Of a law with bristles; names of states by the type of joint, [BF-7].
std::vector<StateInfo> bearing_states(const ForceSpec& spec, std::string_view joint) {
  const auto word = spec.numbers.find("friction_law");
  if (word == spec.numbers.end()) return {};
  const bool gonthier = word->second.text == "gonthier";
  if (!gonthier && word->second.text != "lugre") return {};
  std::vector<StateInfo> out;
  const auto surface = [&](std::span<const std::string_view> bristles, std::string_view dwell) {
    for (const std::string_view bristle : bristles) out.push_back({bristle, "m", ""});
    if (gonthier) out.push_back({dwell, "1", "dwell"});
  };
  static constexpr std::string_view kOne[] = {"deflection"},
                                    kTwo[] = {"deflection1", "deflection2"},
                                    kThrust[] = {"thrust_deflection"},
                                    kSpin[] = {"spin_deflection"};
  const bool two = joint == "cylindrical" || joint == "planar";
  surface(two ? std::span<const std::string_view>(kTwo) : kOne, "dwell");
  if (spec.numbers.contains("thrust_radius")) surface(kThrust, "thrust_dwell");
  if (joint == "planar" && spec.numbers.contains("radius")) surface(kSpin, "spin_dwell");
  return out;
}

}  // namespace kinegrad

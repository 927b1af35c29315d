// Friction in joints: forces along free directions that read the joint's reaction (docs/theory/friction_in_joints.md, [BF]).
#include <cmath>
#include <numbers>

#include "model/model_compiler.hpp"

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
Term sqrt(const Term& a) { return a.of(Op::kSqrt); }
Term tanh(const Term& a) { return a.of(Op::kTanh); }

}  // namespace

/// μ⃗ of a law along sliding velocities of one or two numbers: the force is −N μ⃗.
struct FrictionLaw {
  bool ramp = false;  // Ambrósio, else Brown and McPhee
  Term mu_d, mu_s, v_s, v_0, viscous;

  /// μ⃗/v as a function of |v|², which is smooth at rest.                                  [BF-1], [BF-2]
  Term slope(const Term& square) const {
    constexpr double kRest = 1e-3;  // of v_s: |v| is √(v·v + (kRest v_s)²) where it divides
    const Term one = square.number(1);
    if (ramp) {
      const Term rest = kRest * v_s, speed = sqrt(square + rest * rest);
      const Term s =
          ((speed - v_0) / (v_s - v_0)).with(Op::kMax, one.number(0)).with(Op::kMin, one);
      return mu_d * s * s * (one.number(3) - 2 * s) / speed + viscous;
    }
    const Term x2 = square / (v_s * v_s), x = sqrt(x2 + one.number(kRest * kRest));
    const Term hump = 0.25 * x2 + one.number(0.75);
    return (mu_d * tanh(4 * x) / x + (mu_s - mu_d) / (hump * hump)) / v_s + viscous;
  }
  Term along(const Term& v) const {
    if (ramp) return slope(v * v) * v;
    const Term x = v / v_s, hump = 0.25 * x * x + x.number(0.75);  // [BF-1], without a root
    return mu_d * tanh(4 * x) + (mu_s - mu_d) * x / (hump * hump) + viscous * v;
  }
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
void ModelCompiler::check_friction(const ForceSpec& spec, std::string_view type, bool ramp) {
  const auto given = [&](const char* key) { return spec.numbers.contains(key); };
  const auto refuse = [&](bool here, const char* key, const char* why) {
    if (here && given(key)) fail(spec.numbers.at(key).where, std::string(key) + ": " + why);
  };
  const auto value = [&](const char* key) {  // NaN where it varies
    const NumberSpec& number = spec.numbers.at(key);
    return varies(number, key) ? std::nan("") : this->number(number, key).value();
  };
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
}

FrictionLaw ModelCompiler::friction_law(const ForceSpec& spec, bool ramp) {
  const Term mu_d = friction_number(spec, "friction", 0, 0);
  const bool given = spec.numbers.contains("static_friction");
  return {ramp,
          mu_d,
          given ? friction_number(spec, "static_friction", 0, 0) : mu_d,
          friction_number(spec, "slip_speed", 1e-2, kPositive),
          friction_number(spec, "rest_speed", 0, 0),
          friction_number(spec, "viscous_friction", 0, 0)};
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
                    friction_number(spec, "load_smoothing", 1e-6, 0),
                    {}};
  if (!spec.numbers.contains("end1")) return load;
  const Term end1 = friction_number(spec, "end1", 0, -HUGE_VAL);
  load.length = friction_number(spec, "end2", 0, -HUGE_VAL) - end1;
  load.tx = load.tx + end1 * load.fy;
  load.ty = load.ty - end1 * load.fx;
  return load;
}

/// One force for every free direction: [BF-4], [BF-5], [BF-6].
void ModelCompiler::compile_friction(const ForceSpec& spec) {
  const int index = friction_joint(spec);
  const std::string_view type = model_.joints_[static_cast<std::size_t>(index)].type->name();
  const auto word = spec.numbers.find("friction_law");
  const bool ramp = word != spec.numbers.end() && word->second.text == "ambrosio";
  if (word != spec.numbers.end() && !ramp && word->second.text != "brown-mcphee") {
    fail(word->second.where,
         "friction_law is brown-mcphee or ambrosio, not \"" + word->second.text + "\"");
  }
  check_friction(spec, type, ramp);
  const FrictionLaw law = friction_law(spec, ramp);
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
    const bool given = spec.numbers.contains("thrust_radius");
    const Term r_t = given ? friction_number(spec, "thrust_radius", 0, 0) : r;
    act(0, -(r * factor * load.radial() * law.along(r * speed(0)) +
             r_t * load.magnitude(load.fz) * law.along(r_t * speed(0))));
  } else if (type == "prismatic") {
    Term N = load.square();
    if (spec.numbers.contains("width")) {
      N = N + 2 * load.magnitude(load.tz / (2 * friction_number(spec, "width", 0, kPositive)));
    }
    act(0, -(N * law.along(speed(0))));
  } else if (type == "cylindrical") {
    const Term v = speed(0), w = r * speed(1);
    const Term mu = factor * load.radial() * law.slope(v * v + w * w);
    act(0, -(mu * v));
    act(1, -(r * mu * w));
  } else {
    const Term N = load.magnitude(load.fz), x = speed(0), y = speed(1);
    const Term mu = N * law.slope(x * x + y * y);
    act(0, -(mu * x));
    act(1, -(mu * y));
    if (spec.numbers.contains("radius")) act(2, -(r * N * law.along(r * speed(2))));
  }
}

}  // namespace kinegrad

// Fields given by expressions of the place (docs/theory/forces.md, [GF]): one force for each body, on its
// centre of mass.
#include "model/model_compiler.hpp"

namespace kinegrad {

void ModelCompiler::compile_field(const ForceSpec& spec) {
  const ForceModel* part = catalogue_.find_part("gravity-field");
  if (!part) fail(spec.type.where, "the catalogue has no force that a field could be made of");
  if (spec.numbers.contains("acceleration") || spec.vectors.contains("potential")) {
    fail(spec.where, "acceleration takes three numbers, potential one");
  }
  if (spec.numbers.contains("potential") == spec.vectors.contains("acceleration")) {
    fail(spec.where, "give potential or acceleration: one of them is the field");
  }
  for (std::size_t b = 1; b < model_.bodies_.size(); ++b) {
    const Body& body = model_.bodies_[b];
    if (body.mass.mass < 0) throw AlreadyReported{};
    const Symbol& mass = p_[static_cast<std::size_t>(body.mass.mass)];
    const bool massless = mass.is_constant() && mass.value() == 0;
    if (!body.auxiliary && !massless) add_field_force(spec, *part, static_cast<int>(b));
  }
}

/// −∂V/∂x, V and ∂V/∂t per unit mass. What else moves would take part in the energy, so it is refused. [GF-1]
std::array<NodeId, 5> ModelCompiler::potential_nodes(const NumberSpec& potential, int com) {
  using Kind = SignalInput::Kind;
  const NodeId V = signal_expression(potential, "potential", com);
  for (const int input : signal_graph_.inputs_of(V)) {
    const SignalInput& in = model_.signal_inputs_[static_cast<std::size_t>(input)];
    const bool own = in.kind == Kind::kVector && in.element == com && in.order == 0;
    if (own || in.kind == Kind::kTime || in.kind == Kind::kPhysical) continue;
    fail(potential.where,
         "potential: it depends on x, y, z, t and parameters alone; a field that depends on other "
         "motion is given by its acceleration");
  }
  const auto slope = [&](const SignalInput& along) {
    const int input = signal_graph_.node(signal_input(along)).index;
    return signal_graph_.derivative(V, input);
  };
  std::array<NodeId, 5> out{};
  for (int i = 0; i < 3; ++i) {
    out[static_cast<std::size_t>(i)] =
        signal_graph_.unary(Op::kNeg, slope({Kind::kVector, com, i, 0}));
  }
  out[3] = V;
  out[4] = slope({Kind::kTime, 0, 0, 0});
  return out;
}

/// The acceleration, and no potential.
std::array<NodeId, 5> ModelCompiler::acceleration_nodes(const VectorSpec& acceleration, int com) {
  if (!acceleration.name.empty()) {
    fail(acceleration.where, "acceleration takes three numbers or expressions");
  }
  const NodeId zero = signal_graph_.constant(0);
  std::array<NodeId, 5> out{zero, zero, zero, zero, zero};
  for (std::size_t i = 0; i < 3; ++i) {
    NumberSpec entry = acceleration.entries[i];
    if (!entry.where.known()) entry.where = acceleration.where;
    const std::string field =
        std::string("acceleration.") + static_cast<char>('x' + static_cast<int>(i));
    out[i] = signal_expression(entry, field, com);
    check_force_inputs(out[i], entry.where, field);
  }
  return out;
}

/// f = m·(…), U = m V, U_t = m V_t.                                                           [GF-2]
void ModelCompiler::add_field_force(const ForceSpec& spec, const ForceModel& part, int body) {
  const Body& owner = model_.bodies_[static_cast<std::size_t>(body)];
  Force force;
  force.name = spec.name;
  force.type = &part;
  force.where = spec.where;
  force.point2 = vector_on("com", body);
  const auto potential = spec.numbers.find("potential");
  const bool conservative = potential != spec.numbers.end();
  const std::array<NodeId, 5> per_mass =
      conservative ? potential_nodes(potential->second, force.point2)
                   : acceleration_nodes(spec.vectors.at("acceleration"), force.point2);
  const NodeId m = signal_input({SignalInput::Kind::kPhysical, owner.mass.mass, 0, 0});
  force.attributes = static_cast<int>(p_.size());
  const std::string name = spec.name + "." + owner.name + ".";
  constexpr std::array<const char*, 5> kNames{"force.x", "force.y", "force.z", "potential",
                                              "potential_rate"};
  constexpr std::array<const char*, 5> kUnits{"N", "N", "N", "J", "W"};
  for (std::size_t i = 0; i < per_mass.size(); ++i) {
    if (signal_graph_.is_constant(per_mass[i]) && signal_graph_.constant_value(per_mass[i]) == 0) {
      add_physical(name + kNames[i], kUnits[i], Symbol(0));  // it does not vary
      continue;
    }
    add_variable_attribute(force, name + kNames[i], kUnits[i],
                           signal_graph_.binary(Op::kMul, m, per_mass[i]));
  }
  add_physical(name + "conservative", "1", Symbol(conservative ? 1 : 0));
  model_.forces_.push_back(std::move(force));
}

}  // namespace kinegrad

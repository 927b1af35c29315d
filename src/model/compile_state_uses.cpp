// What may be done with a state: read it. A reaction or a force on its auxiliary coordinate would be a
// second term in its rate,
//
//   J ω̇ = f + (Φ_ωᵀλ or a force),      not      ṡ = f                                          [OS-3]
//
// so every element that would act there is refused by name (docs/theory/states.md).
#include <fmt/format.h>

#include "model/model_compiler.hpp"

namespace kinegrad {

bool ModelCompiler::carries_state(int body) const {
  return model_.bodies_[static_cast<std::size_t>(body)].auxiliary;
}

std::string ModelCompiler::state_read(const SignalInput& input) const {
  int body = 0;
  if (input.kind == SignalInput::Kind::kJoint) {
    body = model_.joints_[static_cast<std::size_t>(input.element)].body2;
  } else if (input.kind == SignalInput::Kind::kVector) {
    body = model_.vectors_[static_cast<std::size_t>(input.element)].body;
  }
  return carries_state(body) ? model_.bodies_[static_cast<std::size_t>(body)].name : "";
}

void ModelCompiler::refuse_state_body(int body, const SourceLocation& where,
                                      const std::string& how) const {
  if (!carries_state(body)) return;
  const std::string& name = model_.bodies_[static_cast<std::size_t>(body)].name;
  fail(where, fmt::format("{} \"{}\", which is a state and no body: nothing can be fixed to it or "
                          "act on it but its rate; forces may read it, as in value: {}",
                          how, name, name));
}

/// Equations have a multiplier for each coordinate that their slopes reach: those of positions (lowest
/// order 0) for everything they read, those of rates (1) for every rate. What stands beside the rates
/// of a nonholonomic equation has no slope, hence no reaction: a state's integral may be read there.
void ModelCompiler::check_row_states(NodeId node, int lowest_order,
                                     const SourceLocation& where) const {
  for (const int input : signal_graph_.inputs_of(node)) {
    const SignalInput& in = model_.signal_inputs_[static_cast<std::size_t>(input)];
    const std::string state = state_read(in);
    if (state.empty() || in.order < lowest_order) continue;
    fail(where,
         fmt::format("it reads {}, which belongs to the state \"{}\": its reaction would act on "
                     "the state, which must obey its rate alone. Let a force follow the state "
                     "(a joint-force with value: k*({}.q - J.q) + c*({} - J.v)), or prescribe "
                     "the motion as a function of t",
                     input_name(in), state, state, state));
  }
}

/// The rate itself is a force, named like its state; a file cannot name another one so.
void ModelCompiler::check_force_target(const ForceSpec& spec, int joint) const {
  const Joint& target = model_.joints_[static_cast<std::size_t>(joint)];
  if (!carries_state(target.body2) || spec.name == target.name) return;
  fail(spec.joint->where,
       fmt::format(
           "a {} acts on \"{}\", which is a state and must obey its rate alone: add the term "
           "to that rate",
           spec.type.name, spec.joint->name));
}

}  // namespace kinegrad

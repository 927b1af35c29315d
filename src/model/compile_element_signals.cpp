// What forces and constraints tell of themselves: FORCE.name and multiplier(CONSTRAINT) (docs/theory/signals.md). Expressions are read
// before the elements are there: until the model is finished an input holds −1 − k, the place of the element in the file.
#include "model/model_compiler.hpp"

namespace kinegrad {

namespace {

/// Of two lists the place in the second one that has the name of the first one's k; −1 if there is none.
template <typename Specs, typename Elements>
int place_among(const Specs& specs, int k, const Elements& elements) {
  const std::string& name = specs[static_cast<std::size_t>(k)].name;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

/// The row number `component` of a constraint among those of the model, −1 if it has fewer.
int row_of(const Model& model, int constraint, int component) {
  const auto& rows = model.constraint_rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].constraint == constraint && component-- == 0) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

/// Friction from reactions has become other forces.
std::span<const ForceSignal> ModelCompiler::signals_of(const ForceSpec& spec) const {
  const ForceModel* type = catalogue_.find_force(spec.type.name);
  if (!type || type->name() == "friction") return {};
  return type->signals();
}

std::optional<NodeId> ModelCompiler::force_signal(std::string_view name, std::string_view which) {
  for (std::size_t k = 0; k < description_.forces.size(); ++k) {
    const ForceSpec& spec = description_.forces[k];
    if (spec.name != name) continue;
    const std::span<const ForceSignal> signals = signals_of(spec);
    for (std::size_t i = 0; i < signals.size(); ++i) {
      if (signals[i].name != which) continue;
      return signal_input(
          {SignalInput::Kind::kForce, -1 - static_cast<int>(k), static_cast<int>(i), 0});
    }
  }
  return {};
}

/// multiplier(C), or multiplier(C, k) of its equation number k.
NodeId ModelCompiler::multiplier_signal(std::span<const std::string_view> words) {
  if (words.size() > 2) {
    throw ExpressionError("multiplier takes a constraint, and the number of one of its equations",
                          0);
  }
  const bool numbered = words.size() == 2;
  const bool digit = numbered && words[1].size() == 1 && words[1][0] >= '1' && words[1][0] <= '9';
  if (numbered && !digit) {
    throw ExpressionError("the equations of a constraint have the numbers 1, 2, …", 0);
  }
  std::vector<std::string> known;
  for (std::size_t k = 0; k < description_.constraints.size(); ++k) {
    known.push_back(description_.constraints[k].name);
    if (known.back() != words[0]) continue;
    return signal_input({SignalInput::Kind::kMultiplier, -1 - static_cast<int>(k),
                         numbered ? words[1][0] - '1' : 0, 0});
  }
  throw ExpressionError(
      "there is no constraint \"" + std::string(words[0]) + "\"" + suggestion(words[0], known), 0);
}

std::string ModelCompiler::force_refusal(std::string_view name, std::string_view which) const {
  for (const ForceSpec& spec : description_.forces) {
    if (spec.name != name) continue;
    std::string has = force_between_points(name) ? "length, rate" : "";
    for (const ForceSignal& signal : signals_of(spec)) {
      has += (has.empty() ? "" : ", ") + std::string(signal.name);
    }
    if (has.empty()) return "force \"" + spec.name + "\" has no signals";
    return "force \"" + spec.name + "\" has " + has + "; not ." + std::string(which);
  }
  return {};
}

/// Elements that have become something else, or failed.
void ModelCompiler::check_element_signals() {
  for (const SignalInput& in : model_.signal_inputs_) {
    const int k = -1 - in.element;
    if (in.kind == SignalInput::Kind::kForce && k >= 0) {
      if (place_among(description_.forces, k, model_.forces_) >= 0) continue;
      const ForceSpec& spec = description_.forces[static_cast<std::size_t>(k)];
      if (place_among(description_.forces, k, model_.reactive_forces_) < 0) continue;  // it failed
      diagnostics_.add(spec.where,
                       "force \"" + spec.name +
                           "\" reads reactions and has no signals of its own: write its "
                           "value as a signal, and let the force read that");
    } else if (in.kind == SignalInput::Kind::kMultiplier && k >= 0) {
      const ConstraintSpec& spec = description_.constraints[static_cast<std::size_t>(k)];
      const int c = place_among(description_.constraints, k, model_.constraints_);
      if (c < 0 || row_of(model_, c, in.component) >= 0) continue;
      diagnostics_.add(spec.where, "constraint \"" + spec.name + "\" has no equation " +
                                       std::to_string(in.component + 1) +
                                       ", whose multiplier a signal reads");
    }
  }
}

void ModelCompiler::resolve_element_signals(Model& model) const {
  for (SignalInput& in : model.signal_inputs_) {
    const int k = -1 - in.element;
    if (k < 0) continue;
    if (in.kind == SignalInput::Kind::kForce) {
      in.element = place_among(description_.forces, k, model.forces_);
    } else if (in.kind == SignalInput::Kind::kMultiplier) {
      in.element =
          row_of(model, place_among(description_.constraints, k, model.constraints_), in.component);
      in.component = 0;
    }
  }
}

}  // namespace kinegrad

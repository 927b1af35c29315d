#include "kinegrad/simulation/spline_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kinegrad/math/views.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

namespace {

struct Owner {
  std::string where, element;
};
using Owners = std::vector<Owner>;  // of the outputs of a tape

Owners owners_of(const Tape& tape) { return Owners(static_cast<std::size_t>(tape.output_count())); }

void own(Owners& owners, int output, const char* kind, const std::string& name) {
  if (output < 0) return;
  owners[static_cast<std::size_t>(output)] = {fmt::format("{} \"{}\"", kind, name), name};
}

Owners force_owners(const Model& model) {
  Owners owners = owners_of(model.force_tape());
  for (const Force& force : model.forces()) {
    for (const auto& [place, output] : force.variable) own(owners, output, "force", force.name);
  }
  return owners;
}

Owners constraint_owners(const Model& model) {
  Owners owners = owners_of(model.constraint_tape());
  for (const ConstraintRow& row : model.constraint_rows()) {
    if (row.expression < 0) continue;
    const auto& values =
        model.constraint_expressions()[static_cast<std::size_t>(row.expression)].value;
    const std::string& name = model.constraints()[static_cast<std::size_t>(row.constraint)].name;
    for (const int output : values) own(owners, output, "constraint", name);
  }
  return owners;
}

Owners signal_owners(const Model& model) {
  Owners owners = owners_of(model.signal_tape());
  for (const Objective& objective : model.objectives()) {
    own(owners, objective.terminal, "objective", objective.name);
    own(owners, objective.integral, "objective", objective.name);
  }
  for (const Signal& signal : model.signals()) {
    own(owners, signal.output, "signal", signal.name);
  }
  for (const ReactiveForce& force : model.reactive_forces()) {
    own(owners, force.output, "force", force.name);
  }
  return owners;
}

}  // namespace

SplineWatch::SplineWatch(const Model& model)
    : model_(model), inputs_(model.signal_inputs().size()), signals_(model) {
  const auto add = [&](const Tape& tape, const Owners& owners) {
    if (!tape.has_splines()) return;
    add_tape(tape, [&](int output) { return owners[static_cast<std::size_t>(output)]; });
  };
  add(model.force_tape(), force_owners(model));
  add(model.constraint_tape(), constraint_owners(model));
  add(model.signal_tape(), signal_owners(model));
  find_needs();
}

template <typename NameOf>
void SplineWatch::add_tape(const Tape& tape, const NameOf& name_of) {
  Expressions out{&tape, {}, {}, {}, true};
  for (const Tape::SplineUse& use : tape.spline_uses()) {
    std::vector<std::string> seen;
    for (const int output : use.outputs) {
      const Owner owner = name_of(output);
      if (owner.where.empty() || std::count(seen.begin(), seen.end(), owner.where)) continue;
      seen.push_back(owner.where);
      out.uses.push_back({use, owner.where, owner.element});
      out.plain = out.plain && use.plain;
    }
  }
  if (out.uses.empty()) return;
  out.registers.resize(static_cast<std::size_t>(tape.register_count()));
  out.outputs.resize(static_cast<std::size_t>(tape.output_count()));
  tapes_.push_back(std::move(out));
}

/// Most splines are read at the time, and models have thousands of inputs: values of splines, which rest.
void SplineWatch::find_needs() {
  using Kind = SignalInput::Kind;
  for (const Expressions& expressions : tapes_) {
    for (const Use& use : expressions.uses) {
      for (const int k : use.spline.reads) {
        const Kind kind = model_.signal_inputs()[static_cast<std::size_t>(k)].kind;
        if (kind != Kind::kPhysical) moving_.push_back(k);
        const bool forces = kind == Kind::kReaction || kind == Kind::kEnergy ||
                            kind == Kind::kForce || kind == Kind::kMultiplier;
        if (kind == Kind::kPhysical || kind == Kind::kTime) continue;
        needs_ = std::max(needs_, forces ? Needs::kForces : Needs::kMotion);
      }
    }
  }
  std::sort(moving_.begin(), moving_.end());
  moving_.erase(std::unique(moving_.begin(), moving_.end()), moving_.end());
}

void SplineWatch::start(std::span<const double> p) {
  p_.assign(p.begin(), p.end());
  const std::vector<SignalInput>& inputs = model_.signal_inputs();
  for (std::size_t k = 0; !tapes_.empty() && k < inputs.size(); ++k) {
    if (inputs[k].kind == SignalInput::Kind::kPhysical)
      inputs_[k] = p_[static_cast<std::size_t>(inputs[k].element)];
  }
  for (Expressions& expressions : tapes_) {
    for (Use& use : expressions.uses) use.farthest = 0;
  }
}

void SplineWatch::read_inputs(const StepState<double>& x) {
  if (needs_ == Needs::kMotion) signals_.move(p_, in(x.q), in(x.v), in(x.a));
  if (needs_ == Needs::kForces) signals_.evaluate(p_, x.t, in(x.q), in(x.v), in(x.a), in(x.lambda));
  for (const int k : moving_) {
    const SignalInput& input = model_.signal_inputs()[static_cast<std::size_t>(k)];
    const bool time = input.kind == SignalInput::Kind::kTime;
    inputs_[static_cast<std::size_t>(k)] = time ? x.t : signals_.input_value(input);
  }
}

void SplineWatch::see(const StepState<double>& x) {
  if (tapes_.empty()) return;
  read_inputs(x);
  for (Expressions& expressions : tapes_) {
    // inputs that no argument reads are not up to date, nor is what depends on them
    if (!expressions.plain)
      expressions.tape->evaluate<double>(inputs_, expressions.registers, expressions.outputs);
    for (Use& use : expressions.uses) {
      const Tape::SplineUse& spline = use.spline;
      const double from = spline.from, to = spline.to;
      const double at = spline.plain
                            ? inputs_[static_cast<std::size_t>(spline.reads.front())]
                            : expressions.registers[static_cast<std::size_t>(spline.argument)];
      const double beyond = std::max(from - at, at - to) / (to - from);
      if (!(beyond > use.farthest)) continue;
      use.farthest = beyond;
      use.argument = at;
      use.t = x.t;
    }
  }
}

void SplineWatch::report(Warnings& warnings) const {
  // of the spline's length: a last step that ends where it should
  constexpr double kRounding = 1e-9;
  for (const Expressions& expressions : tapes_) {
    for (const Use& use : expressions.uses) {
      if (use.farthest <= kRounding) continue;
      warnings.push_back(
          {"spline",
           fmt::format("{} reads a spline at {:.6g}, beyond its nodes from {:.6g} to {:.6g}, where "
                       "it goes on along its end tangent; give nodes that reach as far as the run, "
                       "or keep the argument inside by min and max",
                       use.where, use.argument, use.spline.from, use.spline.to),
           use.element, use.t});
    }
  }
}

}  // namespace kinegrad

// Why a formulation cannot take a model, and who can.
#include "kinegrad/base/error.hpp"
#include "kinegrad/formulations/all.hpp"

namespace kinegrad {

namespace {

/// Why a formulation cannot take a model; `theirs`: others may.
struct Refusal {
  std::string reason;
  bool theirs = true;
  explicit operator bool() const { return !reason.empty(); }
};

/// Independent coordinates that the model names are a matter of positions.
Refusal independent_refused(const FormulationEntry& entry, const Model& model) {
  if (model.independent().empty()) return {};
  if (!entry.takes.named_independent) {
    return {"does not integrate the coordinates that analysis.independent names"};
  }
  if (!model.reactive_forces().empty()) {
    return {
        "does not integrate the coordinates that analysis.independent names together with "
        "force \"" +
            model.reactive_forces().front().name +
            "\", which reads reactions; leave them out, and it chooses its own",
        false};
  }
  for (const ConstraintRow& row : model.constraint_rows()) {
    if (row.holonomic) continue;
    return {"cannot integrate the coordinates that analysis.independent names: constraint \"" +
                model.constraints()[static_cast<std::size_t>(row.constraint)].name +
                "\" is on speeds alone, which leaves more coordinates than speeds independent; "
                "leave them out",
            false};
  }
  return {};
}

/// Forces that read reactions make the equations unsymmetric and not affine in accelerations [RL-1].
Refusal reactive_refused(const FormulationEntry& entry, const Model& model) {
  if (entry.takes.reactive_forces || model.reactive_forces().empty()) return {};
  return {"does not take force \"" + model.reactive_forces().front().name +
          "\", which reads reactions"};
}

Refusal constraints_refused(const FormulationEntry& entry, const Model& model) {
  if (model.constraints().empty()) {
    if (entry.takes.open_chains) return {};
    return {"needs prescribed motions, and there are none", false};
  }
  const bool global = model.coordinate_set() != CoordinateSet::kJoint;
  if (global && !entry.takes.global_coordinates) {
    return {"is made for joint coordinates: in " +
            std::string(coordinate_set_name(model.coordinate_set())) +
            " ones every joint is a constraint"};
  }
  if (entry.takes.constraints) return {};
  const Constraint& first = model.constraints().front();
  return {"takes open chains only, and " +
          (first.joint >= 0 ? "joint \"" + first.name + "\" closes a loop"
                            : "constraint \"" + first.name + "\" needs multipliers")};
}

/// Normalisations are completed into matrices that take for granted that constraint equations do not change along
/// Euler parameters [FO-1]. Vectors do not; the parameters themselves do.
Refusal euler_refused(const FormulationEntry& entry, const Model& model) {
  if (entry.takes.euler_equations) return {};
  for (const ConstraintRow& row : model.constraint_rows()) {
    if (row.expression < 0) continue;
    const auto e = static_cast<std::size_t>(row.expression);
    for (const ConstraintSlope& slope : model.constraint_expressions()[e].slopes) {
      if (!slope.coordinate) continue;
      const Joint& joint = model.joints()[static_cast<std::size_t>(slope.element)];
      const auto c = static_cast<std::size_t>(slope.component);
      if (joint.type->coordinates()[c].kind != CoordinateKind::kEulerParameter) continue;
      return {"does not take constraint \"" +
              model.constraints()[static_cast<std::size_t>(row.constraint)].name +
              "\", which reads an Euler parameter of \"" + joint.name + "\""};
    }
  }
  return {};
}

Refusal refusal(const FormulationEntry& entry, const Model& model) {
  for (const auto refused :
       {independent_refused, reactive_refused, constraints_refused, euler_refused}) {
    if (Refusal found = refused(entry, model)) return found;
  }
  return {};
}

/// "; ali3p and matrix-r do": those of the list that take the model, whatever its motion is.
std::string takers(const Model& model) {
  std::vector<std::string> names;
  for (const FormulationEntry& entry : formulations()) {
    if (entry.takes.freedom && !refusal(entry, model)) names.emplace_back(entry.name);
  }
  if (names.empty()) return {};
  return "; " + enumerate(names) + (names.size() == 1 ? " does" : " do");
}

}  // namespace

std::string formulation_refusal(const FormulationEntry& entry, const Model& model) {
  const Refusal found = refusal(entry, model);
  if (!found) return {};
  return "the formulation " + std::string(entry.name) + " " + found.reason +
         (found.theirs ? takers(model) : std::string());
}

}  // namespace kinegrad

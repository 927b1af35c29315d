#include "kinegrad/formulations/all.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/formulations/bordered.hpp"
#include "kinegrad/formulations/fully_recursive.hpp"
#include "kinegrad/formulations/matrix_r.hpp"
#include "kinegrad/formulations/matrix_r_chosen.hpp"
#include "kinegrad/formulations/reactive.hpp"
#include "kinegrad/formulations/semi_recursive.hpp"
#include "kinegrad/signals/reactive_partials.hpp"

namespace kinegrad {

namespace {

constexpr std::array kCoordinateSets{
    NamedChoice{"joint-com", "joint coordinates, bodies referred to their centres of mass"},
    NamedChoice{"joint-origin", "joint coordinates, bodies referred to the world origin"},
    NamedChoice{"cartesian", "place and Euler parameters of every body, every joint a constraint"},
    NamedChoice{"natural", "points and unit vectors that bodies share at their joints"},
    NamedChoice{kAutomatic, "the set whose steps should be the fastest, see kinegrad info"}};

constexpr std::string_view kNeedsPositions =
    "it holds the constraints at position level, which needs an implicit method";

constexpr std::string_view kOscillates =
    "without numerical damping the multipliers of constraints at position level oscillate and "
    "grow; "
    "take hht or generalized-alpha, or the formulation ali3p, which projects";

/// Everything that makes index1, penalty, index3 and ali3p different from each other.
constexpr std::array kBorderRules{
    BorderRule{.name = "ali3p",
               .position_level = true,
               .augmented = true,
               .projects = true,
               .refuses_explicit = kNeedsPositions},
    BorderRule{.name = "penalty", .soft = true, .omega = 10, .penalty = 1e9},
    BorderRule{.name = "index1"},
    BorderRule{.name = "index3",
               .position_level = true,
               .refuses_explicit = kNeedsPositions,
               .needs_damping = kOscillates}};

constexpr std::array kFormulations{
    NamedChoice{"ali3p", "augmented Lagrangian with projections: the robust choice for loops"},
    NamedChoice{MatrixR<double>::kName, "independent coordinates, chosen anew where needed"},
    NamedChoice{kKinematic, "driven mechanisms without degrees of freedom: positions, then forces"},
    NamedChoice{"penalty", "constraints as stiff springs and dampers; converges to O(1/penalty)"},
    NamedChoice{"index1", "multipliers, constraints at acceleration level; drifts"},
    NamedChoice{"index3", "multipliers, constraints at position level"},
    NamedChoice{SemiRecursive<double>::kName, "trees: dense mass matrix, best for few joints"},
    NamedChoice{FullyRecursive<double>::kName, "O(n), no matrix: long chains, few constraints"}};

[[noreturn]] void unknown(const std::string& what, std::string_view name,
                          std::span<const NamedChoice> choices) {
  std::vector<std::string> known;
  std::string list;
  for (const NamedChoice& choice : choices) {
    known.emplace_back(choice.name);
    list += (list.empty() ? "" : ", ") + std::string(choice.name);
  }
  throw InvalidArgument("unknown " + what + " \"" + std::string(name) + "\"" +
                        suggestion(name, known) + "; there are " + list);
}

/// Trees only: a closed loop needs a formulation with constraints.
void require_tree(std::string_view name, const Model& model) {
  if (model.constraints().empty()) return;
  const Constraint& first = model.constraints().front();
  throw InvalidArgument("the formulation " + std::string(name) + " takes open chains only, and " +
                        (first.joint >= 0 ? "joint \"" + first.name + "\" closes a loop"
                                          : "constraint \"" + first.name + "\" needs multipliers") +
                        "; ali3p and matrix-r take both");
}

/// Recursions need a tree of joints; in global coordinates there is none, but for bodies that fly freely.
void require_recursion(std::string_view name, const Model& model) {
  if (model.coordinate_set() == CoordinateSet::kJoint || model.constraints().empty()) return;
  throw InvalidArgument("the formulation " + std::string(name) +
                        " is made for joint coordinates: in " +
                        std::string(coordinate_set_name(model.coordinate_set())) +
                        " ones every joint is a constraint; ali3p, matrix-r, index1, index3 and "
                        "penalty take all coordinate sets");
}

/// Normalisations are completed into the border's matrix, which takes for granted that rows do not
/// change along Euler parameters [FO-1]. Vectors do not; the parameters themselves do.
void require_no_euler_rows(std::string_view name, const Model& model) {
  for (const ConstraintRow& row : model.constraint_rows()) {
    if (row.expression < 0) continue;
    const auto e = static_cast<std::size_t>(row.expression);
    for (const ConstraintSlope& slope : model.constraint_expressions()[e].slopes) {
      if (!slope.coordinate) continue;
      const Joint& joint = model.joints()[static_cast<std::size_t>(slope.element)];
      const auto c = static_cast<std::size_t>(slope.component);
      if (joint.type->coordinates()[c].kind != CoordinateKind::kEulerParameter) continue;
      const auto k = static_cast<std::size_t>(row.constraint);
      throw InvalidArgument("the formulation " + std::string(name) +
                            " does not take constraint \"" + model.constraints()[k].name +
                            "\", which reads an Euler parameter of \"" + joint.name +
                            "\"; matrix-r and fully-recursive do");
    }
  }
}

/// Independent coordinates that the model names are a matter of Matrix R, and of positions.
void require_choice(std::string_view name, const Model& model) {
  if (model.independent().empty()) return;
  if (name != MatrixR<double>::kName) {
    throw InvalidArgument("the formulation " + std::string(name) +
                          " does not integrate the coordinates that analysis.independent names; "
                          "matrix-r does");
  }
  for (const ConstraintRow& row : model.constraint_rows()) {
    if (row.holonomic) continue;
    const auto c = static_cast<std::size_t>(row.constraint);
    throw InvalidArgument("constraint \"" + model.constraints()[c].name +
                          "\" is on speeds alone, which leaves more coordinates than speeds "
                          "independent: analysis.independent cannot name them, leave it out");
  }
}

/// Forces that read reactions make the equations unsymmetric and not affine in accelerations [RL-1].
void require_reactive(std::string_view name, const Model& model) {
  if (model.reactive_forces().empty()) return;
  const std::string force =
      "force \"" + model.reactive_forces().front().name + "\" reads reactions: ";
  if (name == FullyRecursive<double>::kName) {
    throw InvalidArgument(force + "the formulation " + std::string(name) +
                          " does not take that; index1, matrix-r, ali3p, penalty and index3 do");
  }
  if (!model.independent().empty()) {
    throw InvalidArgument(force +
                          "the coordinates that analysis.independent names cannot be integrated "
                          "with that; leave them out, and matrix-r chooses");
  }
}

}  // namespace

std::span<const NamedChoice> coordinate_sets() { return kCoordinateSets; }
std::span<const NamedChoice> formulations() { return kFormulations; }

ReferencePoint reference_point_named(std::string_view coordinates) {
  coordinate_set_named(coordinates);
  const std::string_view origin = coordinate_set_name(ReferencePoint::kOrigin);
  return coordinates == origin ? ReferencePoint::kOrigin : ReferencePoint::kCom;
}

std::string_view coordinate_set_name(CoordinateSet set) {
  for (const NamedChoice& choice : kCoordinateSets) {
    if (coordinate_set_named(choice.name) == set) return choice.name;
  }
  return {};
}

CoordinateSet coordinate_set_named(std::string_view coordinates) {
  if (coordinates == kAutomatic) {
    throw InvalidArgument("coordinates \"auto\" are a choice to make before a model is compiled");
  }
  for (const NamedChoice& choice : kCoordinateSets) {
    if (choice.name != coordinates) continue;
    if (coordinates == "natural") return CoordinateSet::kNatural;
    return coordinates == "cartesian" ? CoordinateSet::kCartesian : CoordinateSet::kJoint;
  }
  unknown("coordinate set", coordinates, kCoordinateSets);
}

void require_coordinates(const Model& model, std::string_view coordinates) {
  if (coordinate_set_named(coordinates) == model.coordinate_set()) return;
  throw InvalidArgument("a run in " + std::string(coordinates) +
                        " coordinates needs a model that is compiled in them");
}

bool is_recursive(std::string_view formulation) {
  return formulation == SemiRecursive<double>::kName ||
         formulation == FullyRecursive<double>::kName;
}

std::string_view default_formulation(const Model& model) {
  const bool reactive = !model.reactive_forces().empty();
  if (reactive && !model.constraints().empty()) return MatrixR<double>::kName;
  if (!model.independent().empty()) return MatrixR<double>::kName;
  return model.constraints().empty() ? SemiRecursive<double>::kName : kBorderRules[0].name;
}

namespace {

/// The formulation of that name for a model whose forces read reactions, which it takes.
template <Scalar T>
std::unique_ptr<Formulation<T>> make_reactive(std::string_view name, const Model& model,
                                              ReferencePoint point,
                                              const FormulationOptions& options,
                                              const LoadedTree<T>* constants) {
  const auto system = [&] { return make_system<T>(model, point, constants); };
  ReactiveParts<T> parts{system(), make_system_partials(model, point),
                         make_plain_partials(model, point)};
  if (name == kKinematic || name == MatrixR<T>::kName) {
    return std::make_unique<ReactiveMatrixR<T>>(model, std::move(parts), system());
  }
  require_no_euler_rows(name, model);
  for (const BorderRule& rule : kBorderRules) {
    if (rule.name != name) continue;
    return std::make_unique<ReactiveSaddle<T>>(model, std::move(parts), rule, options,
                                               rule.projects ? system() : nullptr);
  }
  return std::make_unique<ReactiveSaddle<T>>(model, std::move(parts),
                                             BorderRule{.name = SemiRecursive<T>::kName}, options);
}

}  // namespace

template <Scalar T>
std::unique_ptr<Formulation<T>> make_formulation(std::string_view name, const Model& model,
                                                 ReferencePoint point,
                                                 const FormulationOptions& options,
                                                 const LoadedTree<T>* constants) {
  const auto called = [&](const NamedChoice& choice) { return choice.name == name; };
  if (std::none_of(kFormulations.begin(), kFormulations.end(), called)) {
    unknown("formulation", name, kFormulations);
  }
  require_choice(name, model);
  require_reactive(name, model);
  if (name == kKinematic && model.constraints().empty()) {
    throw InvalidArgument("the formulation kinematic needs prescribed motions, and there are none");
  }
  if (is_recursive(name)) require_recursion(name, model);
  if (name == SemiRecursive<T>::kName) require_tree(name, model);
  if (!model.reactive_forces().empty()) {
    return make_reactive<T>(name, model, point, options, constants);
  }
  if (name == SemiRecursive<T>::kName) {
    return std::make_unique<SemiRecursive<T>>(SharedTree<T>(model, point, constants));
  }
  if (name == FullyRecursive<T>::kName) {
    return std::make_unique<FullyRecursive<T>>(SharedTree<T>(model, point, constants), options);
  }
  const auto system = [&] { return make_system<T>(model, point, constants); };
  if (name == MatrixR<T>::kName && !model.independent().empty()) {
    return std::make_unique<MatrixRChosen<T>>(model, system());
  }
  // with all motion prescribed nothing is left to integrate: every state follows from Φ, Φ̇, Φ̈ = 0
  if (name == kKinematic || name == MatrixR<T>::kName)
    return std::make_unique<MatrixR<T>>(model, system());
  for (const BorderRule& rule : kBorderRules) {
    if (rule.name != name) continue;
    require_no_euler_rows(name, model);
    return std::make_unique<Bordered<T>>(system(), rule, options);
  }
  unknown("formulation", name, kFormulations);
}

#define KINEGRAD_INSTANTIATE(T)                                                   \
  template std::unique_ptr<Formulation<T>> make_formulation<T>(                   \
      std::string_view, const Model&, ReferencePoint, const FormulationOptions&, \
      const LoadedTree<T>*)
KINEGRAD_INSTANTIATE(double);
KINEGRAD_INSTANTIATE(Complex);
#undef KINEGRAD_INSTANTIATE

}  // namespace kinegrad

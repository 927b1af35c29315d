#include "kinegrad/formulations/all.hpp"

#include <array>
#include <string>
#include <vector>

#include "kinegrad/base/error.hpp"
#include "kinegrad/formulations/fully_recursive.hpp"
#include "kinegrad/formulations/semi_recursive.hpp"

namespace kinegrad {

namespace {

constexpr std::array kCoordinateSets{
    NamedChoice{"joint-com", "joint coordinates, bodies referred to their centres of mass"},
    NamedChoice{"joint-origin", "joint coordinates, bodies referred to the world origin"}};

constexpr std::array kFormulations{
    NamedChoice{SemiRecursive<double>::kName, "trees: dense mass matrix, best for few joints"},
    NamedChoice{FullyRecursive<double>::kName, "trees: O(n), no matrix, best for long chains"}};

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
  if (model.topology().loops.empty()) return;
  const auto cut = static_cast<std::size_t>(model.topology().loops[0].cut_joint);
  throw InvalidArgument("the formulation " + std::string(name) +
                        " takes open chains only, and joint \"" + model.joints()[cut].name +
                        "\" closes a loop");
}

}  // namespace

std::span<const NamedChoice> coordinate_sets() { return kCoordinateSets; }
std::span<const NamedChoice> formulations() { return kFormulations; }

ReferencePoint reference_point_named(std::string_view coordinates) {
  for (ReferencePoint point : {ReferencePoint::kCom, ReferencePoint::kOrigin}) {
    if (coordinate_set_name(point) == coordinates) return point;
  }
  unknown("coordinate set", coordinates, kCoordinateSets);
}

template <Scalar T>
std::unique_ptr<Formulation<T>> make_formulation(std::string_view name, const Model& model,
                                                 ReferencePoint point) {
  if (name == SemiRecursive<T>::kName) {
    require_tree(name, model);
    return std::make_unique<SemiRecursive<T>>(model, point);
  }
  if (name == FullyRecursive<T>::kName) {
    require_tree(name, model);
    return std::make_unique<FullyRecursive<T>>(model, point);
  }
  unknown("formulation", name, kFormulations);
}

template std::unique_ptr<Formulation<double>> make_formulation<double>(std::string_view,
                                                                       const Model&,
                                                                       ReferencePoint);
template std::unique_ptr<Formulation<Complex>> make_formulation<Complex>(std::string_view,
                                                                         const Model&,
                                                                         ReferencePoint);

}  // namespace kinegrad

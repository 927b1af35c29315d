// The formulations by name. A new one is its header and its line in the list of all.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "kinegrad/formulations/formulation.hpp"
#include "kinegrad/formulations/options.hpp"
#include "kinegrad/model/model.hpp"
#include "kinegrad/ports/loaded_tree.hpp"
#include "kinegrad/tree/reference_point.hpp"

namespace kinegrad {

/// A name of the command line with a sentence about it.
struct NamedChoice {
  std::string_view name;
  std::string_view summary;
};

/// What `--coordinates` may name.
std::span<const NamedChoice> coordinate_sets();
/// What `--formulation` may name.
std::span<const NamedChoice> formulations();

/// The reference point of a coordinate set. @throws InvalidArgument
ReferencePoint reference_point_named(std::string_view coordinates);

/// What a model must be compiled in for it. @throws InvalidArgument
CoordinateSet coordinate_set_named(std::string_view coordinates);
/// The first name of a set.
std::string_view coordinate_set_name(CoordinateSet set);
/// What `--coordinates` names to leave the choice open.
inline constexpr std::string_view kAutomatic = "auto";
/// @throws InvalidArgument if the model is compiled in others.
void require_coordinates(const Model& model, std::string_view coordinates);

/// `constants` as in make_system(). @throws InvalidArgument if the name is unknown or the formulation cannot take
/// the model.
template <Scalar T>
std::unique_ptr<Formulation<T>> make_formulation(std::string_view name, const Model& model,
                                                 ReferencePoint point,
                                                 const FormulationOptions& options = {},
                                                 const LoadedTree<T>* constants = nullptr);

/// Whether a formulation goes from joint to joint, and so needs joint coordinates.
bool is_recursive(std::string_view formulation);

/// The formulation for mechanisms without degrees of freedom: their motion is kinematics alone.
inline constexpr std::string_view kKinematic = "kinematic";

/// What a run takes if nobody says: semi-recursive for open chains, ali3p where there are
/// constraints, matrix-r where the model names its independent coordinates.
std::string_view default_formulation(const Model& model);

}  // namespace kinegrad

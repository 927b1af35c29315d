// The formulations by name. A new one is its header in choices/ and its line in the list of all.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "kinegrad/formulations/coordinate_sets.hpp"
#include "kinegrad/formulations/formulation_entry.hpp"

namespace kinegrad {

/// What `--formulation` may name.
std::span<const FormulationEntry> formulations();
/// @throws InvalidArgument
const FormulationEntry& formulation_named(std::string_view name);

/// `constants` as in make_system(). @throws InvalidArgument if the formulation cannot take the model.
template <Scalar T>
std::unique_ptr<Formulation<T>> make_formulation(const FormulationEntry& entry, const Model& model,
                                                 ReferencePoint point,
                                                 const FormulationOptions& options = {},
                                                 const LoadedTree<T>* constants = nullptr);
/// @throws InvalidArgument also if the name is unknown.
template <Scalar T>
std::unique_ptr<Formulation<T>> make_formulation(std::string_view name, const Model& model,
                                                 ReferencePoint point,
                                                 const FormulationOptions& options = {},
                                                 const LoadedTree<T>* constants = nullptr);

/// Whether a formulation goes from joint to joint, and so needs joint coordinates.
bool is_recursive(std::string_view formulation);

/// What a run takes if nobody says: semi-recursive for open chains, ali3p where there are
/// constraints, matrix-r where the model names its independent coordinates.
std::string_view default_formulation(const Model& model);
/// The formulation with independent coordinates, which every integrator goes along with.
std::string_view independent_formulation();

}  // namespace kinegrad

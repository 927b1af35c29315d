// The integrators by name. A new one is its header in methods/ and its line in the list of all.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "kinegrad/formulations/all.hpp"
#include "kinegrad/integrators/integrator_entry.hpp"
#include "kinegrad/integrators/options.hpp"
#include "kinegrad/integrators/step_map.hpp"
#include "kinegrad/integrators/step_partials.hpp"

namespace kinegrad {

/// What `--integrator` may name.
std::span<const IntegratorEntry> integrators();
/// @throws InvalidArgument
const IntegratorEntry& integrator_named(std::string_view name);

/// Whether the sizes of an integrator's steps are controlled. @throws InvalidArgument
bool has_adaptive_steps(std::string_view name, StepSizes steps);

/// What a run takes if nobody says.
std::string_view default_integrator();
/// What goes along with a formulation or an integrator that is asked for, where the other is left open: a method
/// that damps with index3, matrix-r with stages of constrained mechanisms, else the default.
std::string_view integrator_beside(std::string_view formulation);
std::string_view formulation_beside(std::string_view integrator, const Model& model);

/// The formulation must outlive the map. @throws InvalidArgument if the two do not go together
template <Scalar T>
std::unique_ptr<StepMap<T>> make_step_map(const IntegratorEntry& entry, Formulation<T>& formulation,
                                          const IntegratorOptions& options);
template <Scalar T>
std::unique_ptr<StepMap<T>> make_step_map(std::string_view name, Formulation<T>& formulation,
                                          const IntegratorOptions& options);

/// The derivatives of its steps with a formulation that follows the rule. @throws InvalidArgument
std::unique_ptr<StepPartials> make_step_partials(const IntegratorEntry& entry,
                                                 const IntegratorOptions& options,
                                                 const StageRule& rule,
                                                 const SystemPartialsFactory& make_system);
std::unique_ptr<StepPartials> make_step_partials(std::string_view name,
                                                 const IntegratorOptions& options,
                                                 const StageRule& rule,
                                                 const SystemPartialsFactory& make_system);

}  // namespace kinegrad

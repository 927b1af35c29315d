// The integrators by name. A new tableau or set of constants is its line in the list of all.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "kinegrad/formulations/all.hpp"
#include "kinegrad/integrators/options.hpp"
#include "kinegrad/integrators/step_map.hpp"
#include "kinegrad/integrators/step_partials.hpp"

namespace kinegrad {

/// What `--integrator` may name.
std::span<const NamedChoice> integrators();

/// Whether the sizes of an integrator's steps are controlled. @throws InvalidArgument
bool has_adaptive_steps(std::string_view name, StepSizes steps);

/// The formulation must outlive the map. @throws InvalidArgument
template <Scalar T>
std::unique_ptr<StepMap<T>> make_step_map(std::string_view name, Formulation<T>& formulation,
                                          const IntegratorOptions& options);

/// The derivatives of its steps with a formulation that follows the rule. @throws InvalidArgument
std::unique_ptr<StepPartials> make_step_partials(std::string_view name,
                                                 const IntegratorOptions& options,
                                                 const StageRule& rule,
                                                 const SystemPartialsFactory& make_system);

}  // namespace kinegrad

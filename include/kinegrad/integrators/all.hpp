// The integrators by name. A new tableau or set of constants is its line in the list of all.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "kinegrad/formulations/all.hpp"
#include "kinegrad/integrators/options.hpp"
#include "kinegrad/integrators/step_map.hpp"

namespace kinegrad {

/// What `--integrator` may name.
std::span<const NamedChoice> integrators();

/// The formulation must outlive the map. @throws InvalidArgument
template <Scalar T>
std::unique_ptr<StepMap<T>> make_step_map(std::string_view name, Formulation<T>& formulation,
                                          const IntegratorOptions& options);

}  // namespace kinegrad

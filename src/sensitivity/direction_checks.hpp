// Gradients against differences of the steps that the run recorded, along one direction of all parameters: what
// the complex step cannot go through, values can [CK-3].
#pragma once

#include <span>

#include "sensitivity/run_checks.hpp"

namespace kinegrad {

/// Adds a line per method and objective; methods that have no gradient are left out. False if it was stopped.
bool check_direction(const Model& model, std::span<const double> rho,
                     std::span<const MethodRun* const> methods, const GradientWatch& watch,
                     std::vector<DerivativeCheck>& out);

}  // namespace kinegrad

// Whether the continuous adjoint tends to what the discrete one tends to. Both tend to the gradient of the
// motion; so their distance at the same run has to fall with the square of the step as the steps of the run
// and of the adjoint equations are halved together, or to be rounding (docs/theory/sensitivity_methods.md,
// [CK]).
#pragma once

#include "sensitivity/run_checks.hpp"

namespace kinegrad {

/// Puts into a line what became of a distance when the steps were halved.
void judge_convergence(double coarse, const RowDifference& fine, DerivativeCheck& line);

/// Adds a line per objective, in the order of `layout`. `adjoint` is the discrete one of the run as it was
/// asked for. False if it was stopped.
bool check_convergence(const Model& model, std::span<const double> rho, GradientOptions options,
                       const GradientReport& layout, const MethodRun& adjoint,
                       const GradientWatch& watch, std::vector<DerivativeCheck>& out);

}  // namespace kinegrad

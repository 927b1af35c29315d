// How a gradient checks itself (docs/theory/self_check.md): on a few of its steps, and at its start, the
// tangent T is compared with differences D of the map itself along one direction, and the adjoint with the
// tangent,
//
//   T(δx₀, δρ) = D,          w·T(δx₀, δρ) = x̄₀·δx₀ + p̄·P_ρ δρ     for x̄₁ = w                    [SC-3]
//
// and the rank of the constraint equations with that of the start. What does not agree is a warning; an
// inaccurate difference is none [SC-5].
#pragma once

#include "kinegrad/sensitivity/gradient_method.hpp"
#include "kinegrad/sensitivity/sampled_steps.hpp"
#include "kinegrad/simulation/start_partials.hpp"

namespace kinegrad {

/// What does not agree, of the derivatives that a method has used or of others that are to be tested.
Warnings self_check(const GradientTask& task, const GradientReport& report,
                    const SampledSteps& samples, StepPartials& step, StartPartials& start);

/// The same of the derivatives of the run, into its warnings.
void self_check(const GradientTask& task, const SampledSteps& samples, GradientReport& report);

}  // namespace kinegrad

// Whether the coordinates y = f(q) that a model wants integrated are degrees of freedom where a run
// starts: as many as the rank of Φ_q leaves, and [Φ_q; f_q] of full rank (docs/theory/constrained.md,
// [MR-4]).
#pragma once

#include <string>

#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

/// "P.x, P.y": what the model wants integrated.
std::string independent_names(const Model& model);

/// What is wrong with them at q; empty if nothing is.
std::string independent_refusal(const Model& model, MechanicalSystem<double>& system, double t,
                                const VecX& q);

}  // namespace kinegrad

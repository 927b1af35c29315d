// The equations of a model in the coordinates it was compiled in: a new coordinate set is its assembly
// and its line in systems.cpp.
#pragma once

#include <memory>

#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/assembly/system_partials.hpp"
#include "kinegrad/model/model.hpp"
#include "kinegrad/tree/reference_point.hpp"

namespace kinegrad {

/// The model must outlive the system. The reference point is a matter of speed and digits alone.
template <Scalar T>
std::unique_ptr<MechanicalSystem<T>> make_system(const Model& model, ReferencePoint point);

/// The derivatives of the same equations, without forces that read reactions.
std::unique_ptr<SystemPartials> make_plain_partials(const Model& model, ReferencePoint point,
                                                    RowSet rows = RowSet::kConstraints);

}  // namespace kinegrad

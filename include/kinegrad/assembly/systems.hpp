// The equations of a model in the coordinates it was compiled in: a new coordinate set is its assembly
// and its line in systems.cpp.
#pragma once

#include <memory>

#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/assembly/system_partials.hpp"
#include "kinegrad/model/model.hpp"
#include "kinegrad/ports/loaded_tree.hpp"
#include "kinegrad/tree/reference_point.hpp"

namespace kinegrad {

/// The constants of a run, which everything that belongs to it shares; null where the model has natural
/// coordinates, whose systems keep their own. The model must outlive them.
template <Scalar T>
std::unique_ptr<LoadedTree<T>> make_constants(const Model& model, ReferencePoint point);

/// The model must outlive the system. The reference point is a matter of speed and digits alone. `constants`, if
/// there are any, are shared: their owner sets their parameters before those of the system.
template <Scalar T>
std::unique_ptr<MechanicalSystem<T>> make_system(const Model& model, ReferencePoint point,
                                                 const LoadedTree<T>* constants = nullptr);

/// The derivatives of the same equations, without forces that read reactions.
std::unique_ptr<SystemPartials> make_plain_partials(const Model& model, ReferencePoint point,
                                                    RowSet rows = RowSet::kConstraints);

}  // namespace kinegrad

// States and controllers as what the rest of the library knows already: coordinates, forces and signals
// (docs/theory/states.md).
//
//   ṡ = f        is        J ω̇ = f,  J = 1,  s = ω                                          [OS-1]
#pragma once

#include "kinegrad/model/description.hpp"

namespace kinegrad {

/// The description without states and controllers: each is replaced by an auxiliary body that turns about a
/// fixed axis, a torque on it and a signal.
/// @throws InvalidModel if a controller lacks something.
ModelDescription with_states_as_coordinates(const ModelDescription& description);

}  // namespace kinegrad

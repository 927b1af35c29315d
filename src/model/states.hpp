// States and controllers as what the rest of the library knows already: coordinates, forces and signals
// (docs/theory/states.md).
//
//   ṡ = f        is        J ω̇ = f,  J = 1,  s = ω                                          [OS-1]
//
// States of forces [OS-4] get their coordinates here, FORCE.STATE; their rates stay with the force.
#pragma once

#include "kinegrad/model/catalogue.hpp"
#include "kinegrad/model/description.hpp"

namespace kinegrad {

/// The description without states and controllers: each is replaced by an auxiliary body that turns about a
/// fixed axis, a torque on it and a signal.
/// @throws InvalidModel if a controller lacks something.
ModelDescription with_states_as_coordinates(const ModelDescription& description,
                                            const Catalogue& catalogue);
/// Whether there is any.
bool has_states(const ModelDescription& description, const Catalogue& catalogue);
/// The states that a force has, as its words choose.
std::span<const StateInfo> states_of(const ForceSpec& force, const ForceModel& type);
/// Those of friction in a joint of that type.
std::vector<StateInfo> bearing_states(const ForceSpec& force, std::string_view joint_type);

}  // namespace kinegrad

// What the samples of a run say about its energy (docs/theory/monitors.md): the work of what is not
// conservative, the balance, and whether it is worth a warning.
#pragma once

#include <optional>

#include "kinegrad/base/warning.hpp"
#include "kinegrad/simulation/monitors.hpp"

namespace kinegrad {

/// Work, scale, balance and resolution from energies and powers. `no_drives`: nothing in the model could do work
/// but what the samples show. [MO-3], [MO-4]
void balance_energy(bool no_drives, Monitors& monitors);

/// A conservative run that changed its energy by more than its steps explain: at once [MO-4], or in all [MO-5]; a run
/// with dampers that gained some [MO-7].
std::optional<Warning> energy_warning(bool no_drives, const Monitors& monitors);

}  // namespace kinegrad

// One line of a table on what a run measured about itself (docs/howto/trust.md).
#pragma once

#include <string>

#include "kinegrad/simulation/run.hpp"

namespace kinegrad {

/// Empty where nothing was measured.
std::string monitors_text(const Monitors& monitors);

}  // namespace kinegrad

// What a run did beside plain steps, for people.
#pragma once

#include <string>

#include "kinegrad/simulation/run.hpp"

namespace kinegrad {

/// A line each: "3 steps ended elsewhere, …: t = 0.71, 1.23, 2.01 s"; empty if there is nothing to say.
std::string step_events_text(const StepEvents& events);

}  // namespace kinegrad

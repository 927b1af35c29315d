// What the JSON of every run begins with.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "kinegrad/simulation/constraint_watch.hpp"
#include "kinegrad/simulation/run.hpp"

namespace kinegrad {

/// The choices of a run and the options that its integrator and formulation read; "default" where these have
/// values of their own.
nlohmann::ordered_json run_settings_json(const RunOptions& options);
/// {name: value} of all parameters, derived ones too.
nlohmann::ordered_json parameters_json(const Model& model);
/// {"position": x, "velocity": x, "acceleration": x}
nlohmann::ordered_json constraint_norms_json(const ConstraintNorms& norms);
/// "done", "failed", "stopped"
std::string_view word(RunStatus status);

/// Counts and first times of what a run did beside plain steps.
nlohmann::ordered_json step_events_json(const StepEvents& events);

/// [{"kind": …, "text": …, "element": … or null, "t": … or null}]
nlohmann::ordered_json warnings_json(const Warnings& warnings);

/// {"samples": {"t": […], …}} with one column per measure; null where nothing was measured.
nlohmann::ordered_json monitors_json(const Monitors& monitors);

}  // namespace kinegrad

#include "run_settings_json.hpp"

#include <cmath>

#include "kinegrad/model/model.hpp"
#include "kinegrad/simulation/option_readers.hpp"

namespace kinegrad {

using Json = nlohmann::ordered_json;

std::string_view word(RunStatus status) {
  switch (status) {
    case RunStatus::kDone: return "done";
    case RunStatus::kFailed: return "failed";
    case RunStatus::kStopped: return "stopped";
  }
  return {};
}

Json run_settings_json(const RunOptions& options) {
  const auto or_default = [](bool is_default, double x) {
    return is_default ? Json("default") : Json(x);
  };
  const IntegratorOptions& details = options.details;
  const FormulationOptions& constraints = options.constraints;
  Json settings{{"coordinates", options.coordinates},
                {"formulation", options.formulation},
                {"integrator", options.integrator},
                {"start", options.start}};
  if (options.only_start) {
    settings["statics"] = true;
  } else {
    settings["step"] = options.step;
    settings["end"] = options.end;
  }
  settings["tolerance"] = details.tolerance;
  if (details.steps != StepSizes::kUsual) {
    settings["steps"] = details.steps == StepSizes::kFixed ? "fixed" : "adaptive";
  }
  const auto add = [&](const char* name, const Json& value) {
    if (is_read(name, options)) settings[name] = value;
  };
  add("max_step", or_default(options.max_step == 0, options.max_step));
  add("min_step", or_default(options.min_step == 0, options.min_step));
  add("spectral_radius", details.spectral_radius);
  add("beta", details.beta);
  add("gamma", details.gamma);
  add("exact_tangent", details.exact_tangent);
  add("penalty", or_default(constraints.penalty == 0, constraints.penalty));
  add("stabilisation",
      or_default(constraints.stabilisation_frequency < 0, constraints.stabilisation_frequency));
  add("stabilisation_damping", constraints.stabilisation_damping);
  add("multiplier_start", constraints.multiplier_start);
  add("projection_scale", constraints.projection_scale);
  add("project_once", !constraints.iterative_projections);
  return settings;
}

Json parameters_json(const Model& model) {
  Json parameters = Json::object();
  for (const Parameter& p : model.parameters()) parameters[p.name] = p.value;
  return parameters;
}

Json constraint_norms_json(const ConstraintNorms& norms) {
  return {{"position", norms[0]}, {"velocity", norms[1]}, {"acceleration", norms[2]}};
}

nlohmann::ordered_json step_events_json(const StepEvents& events) {
  const auto one = [](const Occurrences& x) {
    return nlohmann::ordered_json{{"count", x.count}, {"times", x.times}};
  };
  return {{"moved_steps", one(events.moved)},   {"divided_steps", one(events.divided)},
          {"damped_steps", one(events.damped)}, {"several_solutions", one(events.several)},
          {"last_correction", events.left},     {"left_open", events.open}};
}

nlohmann::ordered_json warnings_json(const Warnings& warnings) {
  Json out = Json::array();
  for (const Warning& warning : warnings) {
    out.push_back({{"kind", warning.kind},
                   {"text", warning.text},
                   {"element", warning.element.empty() ? Json(nullptr) : Json(warning.element)},
                   {"t", std::isfinite(warning.t) ? Json(warning.t) : Json(nullptr)}});
  }
  return out;
}

}  // namespace kinegrad

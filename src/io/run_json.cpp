#include <nlohmann/json.hpp>

#include "kinegrad/io/run_output.hpp"

namespace kinegrad {

namespace {

using Json = nlohmann::ordered_json;

std::string_view word(RunStatus status) {
  switch (status) {
    case RunStatus::kDone: return "done";
    case RunStatus::kFailed: return "failed";
    case RunStatus::kStopped: return "stopped";
  }
  return {};
}

}  // namespace

std::string run_json(const Model& model, const RunOptions& options, const RunReport& report,
                     const RunRecorder& recorder, const std::string& motion_file) {
  Json parameters = Json::object(), objectives = Json::object(), last = Json::object();
  for (const Parameter& p : model.parameters()) parameters[p.name] = p.value;
  const std::vector<double> values = recorder.objectives();
  for (std::size_t k = 0; k < values.size(); ++k) {
    objectives[model.objectives()[k].name] = {{"value", values[k]}};
  }
  for (std::size_t k = 0; k < recorder.names().size(); ++k) {
    last[recorder.names()[k]] = recorder.last()[k];
  }
  const auto& norms = recorder.constraint_norms();
  const Json out{{"model", model.file()},
                 {"settings",
                  {{"coordinates", options.coordinates},
                   {"formulation", options.formulation},
                   {"integrator", options.integrator},
                   {"step", options.step},
                   {"end", options.end},
                   {"tolerance", options.details.tolerance},
                   {"exact_tangent", options.details.exact_tangent},
                   {"penalty", options.constraints.penalty == 0
                                   ? Json("default")
                                   : Json(options.constraints.penalty)},
                   {"stabilisation", options.constraints.stabilisation_frequency < 0
                                         ? Json("default")
                                         : Json(options.constraints.stabilisation_frequency)},
                   {"project_once", !options.constraints.iterative_projections}}},
                 {"status", word(report.status)},
                 {"message", report.message},
                 {"t", report.t},
                 {"parameters", parameters},
                 {"objectives", objectives},
                 {"final", last},
                 {"steps", report.steps},
                 {"rejected_steps", report.rejected_steps},
                 {"newton_iterations", report.iterations},
                 {"constraint_norm",
                  {{"position", norms[0]}, {"velocity", norms[1]}, {"acceleration", norms[2]}}},
                 {"seconds", {{"simulation", report.seconds}}},
                 {"motion", motion_file.empty() ? Json(nullptr) : Json(motion_file)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kinegrad

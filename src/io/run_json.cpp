#include "kinegrad/io/run_output.hpp"
#include "run_settings_json.hpp"
#include "scene_json.hpp"

namespace kinegrad {

using Json = nlohmann::ordered_json;

std::string run_json(const Model& model, const RunOptions& options, const RunReport& report,
                     const RunRecorder& recorder, const std::string& motion_file) {
  Json objectives = Json::object(), last = Json::object();
  for (std::size_t k = 0; k < report.objectives.size(); ++k) {
    objectives[model.objectives()[k].name] = {{"value", report.objectives[k]}};
  }
  for (std::size_t k = 0; k < recorder.names().size(); ++k) {
    last[recorder.names()[k]] = recorder.last()[k];
  }
  const Json out{{"model", scene_json(model, recorder.physical())},
                 {"settings", run_settings_json(options)},
                 {"status", word(report.status)},
                 {"message", report.message},
                 {"t", report.t},
                 {"parameters", parameters_json(model)},
                 {"objectives", objectives},
                 {"final", last},
                 {"steps", report.steps},
                 {"rejected_steps", report.rejected_steps},
                 {"newton_iterations", report.iterations},
                 {"events", step_events_json(report.events)},
                 {"warnings", warnings_json(report.warnings)},
                 {"monitors", monitors_json(report.monitors)},
                 {"constraint_norm", constraint_norms_json(recorder.constraint_norms())},
                 {"seconds", {{"simulation", report.seconds}}},
                 {"motion", motion_file.empty() ? Json(nullptr) : Json(motion_file)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kinegrad

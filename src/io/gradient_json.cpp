#include "kinegrad/io/gradient_output.hpp"
#include "run_settings_json.hpp"
#include "scene_json.hpp"

namespace kinegrad {

using Json = nlohmann::ordered_json;

namespace {

/// {parameter: number} of one objective, of the columns that are finished.
Json row_json(const Model& model, const GradientReport& report, const MatX& numbers,
              Eigen::Index row) {
  Json out = Json::object();
  for (std::size_t j = 0; j < report.parameters.size(); ++j) {
    if (!report.finished[j]) continue;
    out[parameter_at(model, report.parameters[j]).name] =
        numbers(row, static_cast<Eigen::Index>(j));
  }
  return out;
}

Json objectives_json(const Model& model, const GradientReport& report) {
  Json out = Json::object();
  for (std::size_t i = 0; i < report.objectives.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    Json objective{{"value", report.values[i]},
                   {"gradient", row_json(model, report, report.gradient, row)}};
    if (report.error.size()) objective["error"] = row_json(model, report, report.error, row);
    out[model.objectives()[static_cast<std::size_t>(report.objectives[i])].name] = objective;
  }
  return out;
}

/// What was asked for; beside it what the gradient has chosen itself: how far its steps were solved.
Json settings_json(const GradientOptions& options, const GradientReport& report) {
  RunOptions run = report.settings;
  run.details = options.run.details;
  Json settings = run_settings_json(run);
  settings["method"] = options.method;
  if (report.settings.details.newton_tolerance() != run.details.newton_tolerance()) {
    settings["tolerance_of_differentiated_steps"] = report.settings.details.newton_tolerance();
  }
  if (options.memory > 0) settings["memory"] = options.memory;
  if (gradient_method_named(options.method).reads("adjoint_step")) {
    settings["adjoint_step"] =
        options.adjoint_step > 0 ? Json(options.adjoint_step) : Json("default");
    settings["adjoint_approach"] = options.adjoint_approach;
  }
  return settings;
}

}  // namespace

std::string gradient_json(const Model& model, const GradientOptions& options,
                          const GradientReport& report, const std::string& motion_file,
                          const std::string& sensitivity_file) {
  Json settings = settings_json(options, report);
  Json idle = Json::array(), unmoved = Json::array();
  for (const int k : report.idle) idle.push_back(parameter_at(model, k).name);
  Json ambiguous = Json::array();
  for (const int k : report.ambiguous) {
    ambiguous.push_back(model.objectives()[static_cast<std::size_t>(k)].name);
  }
  for (const int k : report.unmoved) unmoved.push_back(parameter_at(model, k).name);
  Json out{
      {"model", scene_json(model, model.default_physical())},
      {"settings", settings},
      {"status", word(report.status)},
      {"message", report.message},
      {"t", report.run.t},
      {"parameters", parameters_json(model)},
      {"objectives", objectives_json(model, report)},
      {"idle_parameters", idle},
      {"unmoved_parameters", unmoved},
      {"ambiguous_objectives", ambiguous},
      {"steps", report.run.steps},
      {"rejected_steps", report.run.rejected_steps},
      {"newton_iterations", report.run.iterations},
      {"events", step_events_json(report.run.events)},
      {"warnings", warnings_json(report.run.warnings)},
      {"monitors", monitors_json(report.run.monitors)},
      {"constraint_norm", constraint_norms_json(report.constraint_norms)},
      {"seconds",
       {{"simulation", report.simulation_seconds}, {"sensitivity", report.sensitivity_seconds}}},
      {"motion", motion_file.empty() ? Json(nullptr) : Json(motion_file)}};
  if (report.tolerance_unknown.empty()) {
    out["tolerance_effect"] = report.tolerance_effect;
  } else {
    out["tolerance_unknown"] = report.tolerance_unknown;
  }
  if (!sensitivity_file.empty()) out["sensitivities"] = sensitivity_file;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kinegrad

#include "command_files.hpp"
#include "commands.hpp"

namespace kinegrad::app {

namespace {

/// Whether the steps of the file's own run are adaptive.
bool adaptive_in_file(const AnalysisDefaults& analysis) {
  if (analysis.integrator.empty()) return analysis.steps == "adaptive";
  return has_adaptive_steps(analysis.integrator, analysis.steps.empty() ? StepSizes::kUsual
                                                 : analysis.steps == "fixed"
                                                     ? StepSizes::kFixed
                                                     : StepSizes::kAdaptive);
}

}  // namespace

RunOptions run_options(const RunArguments& arguments, const Model& model) {
  RunOptions run;
  const auto name = [](const std::string& given, const std::string& file, std::string& field) {
    if (!given.empty() || !file.empty()) field = given.empty() ? file : given;
  };
  name(arguments.coordinates, model.analysis().coordinates, run.coordinates);
  if (run.coordinates == kAutomatic) run.coordinates = coordinate_set_name(model.coordinate_set());
  name(arguments.formulation, model.analysis().formulation, run.formulation);
  name(arguments.integrator, model.analysis().integrator, run.integrator);
  // a choice that is left open goes along with the one that is made
  const bool open_integrator = arguments.integrator.empty() && model.analysis().integrator.empty();
  if (open_integrator) run.integrator = integrator_beside(run.formulation);
  const IntegratorEntry& integrator = integrator_named(run.integrator);
  if (run.formulation.empty()) run.formulation = formulation_beside(run.integrator, model);
  const auto choose = [](double given, double file, double fallback) {
    return given != 0 ? given : file != 0 ? file : fallback;
  };
  run.step = choose(arguments.step, model.analysis().step, 0);
  run.end = choose(arguments.end, model.analysis().end, 0);
  // what the file says beside its own integrator is not for one that the user takes instead
  const bool others = !arguments.integrator.empty();
  std::string steps;
  name(arguments.steps, others ? std::string() : model.analysis().steps, steps);
  if (!steps.empty())
    run.details.steps = steps == "fixed" ? StepSizes::kFixed : StepSizes::kAdaptive;
  const bool adaptive = integrator.adaptive(run.details.steps);
  // implicit methods of low order are for stiff models, not for many digits
  constexpr double kAdaptiveImplicit = 1e-6;
  const bool coarse = adaptive && !integrator.is_explicit();
  // a tolerance of Newton's method says nothing about errors
  const bool foreign = coarse && !adaptive_in_file(model.analysis());
  run.details.tolerance = choose(arguments.tolerance, foreign ? 0 : model.analysis().tolerance,
                                 coarse ? kAdaptiveImplicit : run.details.tolerance);
  const bool unread = others && !adaptive;
  run.max_step = choose(arguments.max_step, unread ? 0 : model.analysis().max_step, 0);
  run.min_step = choose(arguments.min_step, unread ? 0 : model.analysis().min_step, 0);
  run.details.exact_tangent = arguments.exact_tangent;
  run.details.spectral_radius = arguments.spectral_radius;
  run.details.beta = arguments.beta;
  run.details.gamma = arguments.gamma;
  name(arguments.start, model.analysis().start, run.start);
  run.constraints = arguments.constraints;
  run.constraints.iterative_projections = !arguments.project_once;
  return run;
}

std::string motion_path(const RunArguments& arguments) {
  if (arguments.no_motion) return {};
  return arguments.motion.empty() ? path_beside(arguments.out, ".motion") : arguments.motion;
}

}  // namespace kinegrad::app

#include "command_files.hpp"
#include "commands.hpp"

namespace kinegrad::app {

RunOptions run_options(const RunArguments& arguments, const Model& model) {
  RunOptions run;
  const auto name = [](const std::string& given, const std::string& file, std::string& field) {
    if (!given.empty() || !file.empty()) field = given.empty() ? file : given;
  };
  name(arguments.coordinates, model.analysis().coordinates, run.coordinates);
  if (run.coordinates == kAutomatic) run.coordinates = coordinate_set_name(model.coordinate_set());
  name(arguments.formulation, model.analysis().formulation, run.formulation);
  name(arguments.integrator, model.analysis().integrator, run.integrator);
  require_known("integrator", run.integrator, integrators());
  // a choice that is left open goes along with the one that is made
  const bool open_integrator = arguments.integrator.empty() && model.analysis().integrator.empty();
  if (open_integrator && run.formulation == "index3") run.integrator = "generalized-alpha";
  const bool explicit_steps = run.integrator == "rk4" || run.integrator == "dopri5";
  if (run.formulation.empty() && explicit_steps && default_formulation(model) == "ali3p") {
    run.formulation = "matrix-r";
  }
  const auto choose = [](double given, double file, double fallback) {
    return given != 0 ? given : file != 0 ? file : fallback;
  };
  run.step = choose(arguments.step, model.analysis().step, 0);
  run.end = choose(arguments.end, model.analysis().end, 0);
  run.details.tolerance =
      choose(arguments.tolerance, model.analysis().tolerance, run.details.tolerance);
  // what the file says beside its own integrator is not for one that the user takes instead
  const bool others = !arguments.integrator.empty() && run.integrator != "dopri5";
  run.max_step = choose(arguments.max_step, others ? 0 : model.analysis().max_step, 0);
  run.details.exact_tangent = arguments.exact_tangent;
  run.details.spectral_radius = arguments.spectral_radius;
  run.details.beta = arguments.beta;
  run.details.gamma = arguments.gamma;
  name(arguments.start, "", run.start);
  run.constraints = arguments.constraints;
  run.constraints.iterative_projections = !arguments.project_once;
  return run;
}

std::string motion_path(const RunArguments& arguments) {
  if (arguments.no_motion) return {};
  return arguments.motion.empty() ? path_beside(arguments.out, ".motion") : arguments.motion;
}

}  // namespace kinegrad::app

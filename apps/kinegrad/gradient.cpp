#include "kinegrad/sensitivity/gradient.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "command_files.hpp"
#include "commands.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/io/gradient_output.hpp"
#include "kinegrad/io/monitors_output.hpp"
#include "kinegrad/io/run_output.hpp"
#include "kinegrad/io/sensitivity_file.hpp"
#include "kinegrad/io/step_events_output.hpp"
#include "kinegrad/io/warnings_output.hpp"
#include "progress.hpp"

namespace kinegrad::app {

namespace {

template <typename Named>
const Named& find_named(const std::vector<Named>& all, const std::string& name, const char* what) {
  std::vector<std::string> known;
  for (const Named& one : all) {
    if (one.name == name) return one;
    known.push_back(one.name);
  }
  throw InvalidArgument(
      fmt::format("the model has no {} \"{}\"{}", what, name, suggestion(name, known)));
}

std::vector<int> objective_indices(const Model& model, const std::vector<std::string>& names) {
  std::vector<int> indices;
  for (const std::string& name : names) {
    const Objective& objective = find_named(model.objectives(), name, "objective");
    const int index = static_cast<int>(&objective - model.objectives().data());
    if (!std::count(indices.begin(), indices.end(), index)) indices.push_back(index);
  }
  return indices;
}

GradientOptions gradient_options(const GradientArguments& arguments, const Model& model) {
  GradientOptions options;
  options.run = run_options(arguments.run, model);
  if (arguments.statics) options.run.start = "equilibrium";
  options.run.only_start = arguments.statics;
  if (!arguments.sensitivities.empty()) options.method = method_that_reads("sensitivities");
  if (!arguments.method.empty()) options.method = arguments.method;
  gradient_method_named(options.method);
  // all methods are compared; this one has a step and an approach
  if (arguments.check) options.method = method_that_reads("adjoint_step");
  options.memory = arguments.check ? 0 : arguments.memory;  // which changes no bit
  options.self_check = !arguments.no_self_check;
  options.adjoint_step = arguments.adjoint_step;
  options.adjoint_approach = arguments.adjoint_approach;
  GradientOptions any = options;  // before names, which a model without objectives has none of
  any.run.only_start = false;     // which asks something of the objectives that are named
  any.validate(model);
  options.parameters = parameter_positions(model, arguments.parameters);
  options.objectives = objective_indices(model, arguments.objectives);
  options.validate(model);
  return options;
}

void print_table(const Model& model, std::span<const double> rho, const GradientOptions& options,
                 const GradientReport& report) {
  const RunOptions& run = report.settings;
  fmt::print("{} × {} × {}, {}: {} steps to t = {:.6g} s in {:.3g} s, gradient in {:.3g} s\n",
             run.coordinates, run.formulation, run.integrator, options.method, report.run.steps,
             report.run.t, report.simulation_seconds, report.sensitivity_seconds);
  fmt::print("{}{}{}", monitors_text(report.run.monitors), step_events_text(report.run.events),
             warnings_text(report.run.warnings));
  fmt::print("{}{}", tolerance_text(report), gradient_text(model, rho, report));
}

/// --check: a table, and numbers that fail if anything in it differs.
int check(const Model& model, std::span<const double> rho, const GradientOptions& options,
          const RunArguments& run) {
  DerivativeReport report;
  {
    Progress progress(run.quiet);
    report = check_derivatives(model, rho, options, [&](std::string_view what, double part) {
      progress.show(what, part);
      return !interrupted();
    });
  }
  if (report.input_wrong) throw InvalidArgument(located(model, run.model.file, report.message));
  if (!run.quiet || !report.agree()) fmt::print("{}", derivative_text(report));
  if (!report.message.empty()) fmt::print(stderr, "{}: {}\n", run.model.file, report.message);
  return report.agree() ? kDone : kNumericsFailed;
}

}  // namespace

int gradient(const GradientArguments& arguments) {
  const RunArguments& run = arguments.run;
  const LoadedModel loaded = load_model(run);
  const Model& model = loaded.model;
  GradientOptions options = with_place(run, [&] {
    GradientOptions all = gradient_options(arguments, model);
    require_used(run, Simulator(model, all.run).options());
    return all;
  });
  const VecX defaults = model.default_rho();
  const std::vector<double> rho(defaults.begin(), defaults.end());
  if (arguments.check) {
    listen_for_interrupt();
    options.run.go_on = [](double) { return !interrupted(); };
    return check(model, rho, options, run);
  }
  const std::string motion_file = motion_path(run);
  require_distinct(loaded.files,
                   {{"--out", run.out},
                    {"--motion", motion_file},
                    {"--sensitivities", arguments.sensitivities}});
  std::unique_ptr<SensitivityFile> sensitivities;
  if (!arguments.sensitivities.empty()) {
    options.sensitivities = [&](double t, std::span<const int> parameters, const MatX& ds) {
      sensitivities->write(t, parameters, ds);
    };
    options.validate(model);
    sensitivities = std::make_unique<SensitivityFile>(model, arguments.sensitivities);
  }
  const auto out = open_output(run.out);
  const auto motion = open_lines(motion_file);
  RunRecorder recorder(model, model.default_physical(), nullptr, motion.get());

  listen_for_interrupt();
  GradientReport report;
  {
    Progress progress(run.quiet);
    const auto watch = [&](std::string_view what, double part) {
      progress.show(what, part);
      return !interrupted();
    };
    const double end = options.run.end;
    options.run.go_on = [&](double t) { return watch("simulation", t / end); };
    report = kinegrad::gradient(model, rho, options, watch, [&](const StepState<double>& x) {
      if (motion) recorder.record(x);
      return true;
    });
  }
  if (report.input_wrong()) throw InvalidArgument(located(model, run.model.file, report.message));
  KeptFiles kept;
  const bool moved = motion && recorder.any(), followed = sensitivities && sensitivities->any();
  if (moved) kept.keep(motion);
  if (followed) kept.keep(sensitivities);
  if (out) {
    kept.keep(out, gradient_json(model, options, report, moved ? file_name(motion_file) : "",
                                 followed ? file_name(arguments.sensitivities) : ""));
  }
  const bool streamed = run.out == "-" || run.motion == "-" || arguments.sensitivities == "-";
  if (!run.quiet && report.run.done() && !streamed) print_table(model, rho, options, report);
  const bool written = kept.all();
  if (report.status == RunStatus::kDone) return written ? kDone : kNumericsFailed;
  fmt::print(stderr, "{}: {}{}\n", run.model.file, report.message,
             kept.text({run.out, motion_file, arguments.sensitivities}));
  return kNumericsFailed;
}

}  // namespace kinegrad::app

#include <fmt/core.h>

#include <cmath>

#include "command_files.hpp"
#include "commands.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/io/monitors_output.hpp"
#include "kinegrad/io/run_output.hpp"
#include "kinegrad/io/step_events_output.hpp"
#include "kinegrad/io/warnings_output.hpp"
#include "progress.hpp"

namespace kinegrad::app {

namespace {

void print_table(const RunReport& report, const RunRecorder& recorder, const Model& model,
                 const RunOptions& run) {
  fmt::print("{} × {} × {}: {} steps to t = {:.6g} s, {:.2f} iterations per step, {:.3g} s\n",
             run.coordinates, run.formulation, run.integrator, report.steps, report.t,
             report.steps
                 ? static_cast<double>(report.iterations) / static_cast<double>(report.steps)
                 : 0.0,
             report.seconds);
  fmt::print("{}{}{}", monitors_text(report.monitors), step_events_text(report.events),
             warnings_text(report.warnings));
  std::size_t width = 0;
  for (const std::string& name : recorder.names()) width = std::max(width, name.size());
  for (std::size_t k = 0; k < recorder.names().size(); ++k) {
    fmt::print("  {:<{}}  {:.12g}\n", recorder.names()[k], width, recorder.last()[k]);
  }
  for (std::size_t k = 0; k < report.objectives.size(); ++k) {
    const Objective& objective = model.objectives()[k];
    if (run.only_start && objective.integral >= 0) {
      fmt::print("  objective {}  has no value: an integral, and an equilibrium has no duration\n",
                 objective.name);
    } else {
      fmt::print("  objective {}  {:.12g}\n", objective.name, report.objectives[k]);
    }
  }
}

/// An objective or a signal that is not finite is no success: the first one, by name and time.
void refuse_infinite(const Model& model, const RunRecorder& recorder, bool statics,
                     RunReport& report) {
  const RunRecorder::NotFinite& signal = recorder.not_finite();
  const bool objective_first = report.not_finite >= 0 && report.not_finite_t < signal.t;
  if (report.done() && !signal.name.empty() && (statics || !objective_first)) {
    report.status = RunStatus::kFailed;
    report.message =
        fmt::format("at t = {:.9g}: signal \"{}\" is not finite", signal.t, signal.name);
  }
  if (statics) return;  // integrals have no duration
  for (std::size_t k = 0; report.done() && k < report.objectives.size(); ++k) {
    if (std::isfinite(report.objectives[k])) continue;
    const bool known = report.not_finite >= 0;
    const std::size_t first = known ? static_cast<std::size_t>(report.not_finite) : k;
    report.status = RunStatus::kFailed;
    report.message =
        fmt::format("at t = {:.9g}: objective \"{}\" is not finite",
                    known ? report.not_finite_t : report.t, model.objectives()[first].name);
  }
}

}  // namespace

int simulate(const SimulateOptions& options) {
  const RunArguments& arguments = options.run;
  const LoadedModel loaded = load_model(arguments);
  const Model& model = loaded.model;
  RunOptions run = run_options(arguments, model);
  if (options.statics) run.start = "equilibrium";
  run.only_start = options.statics;
  std::unique_ptr<Progress> progress = std::make_unique<Progress>(arguments.quiet);
  run.go_on = [&](double t) {
    progress->show(fmt::format("t = {:.4g} of {:.4g} s", t, run.end), t / run.end);
    return !interrupted();
  };
  Simulator simulator = with_place(arguments, [&] { return Simulator(model, run); });
  run = simulator.options();  // with what it chose itself
  require_used(arguments, run);
  const std::vector<double> p = model.default_physical();
  const std::string motion_file = motion_path(arguments);
  require_distinct(loaded.files,
                   {{"--out", arguments.out}, {"--csv", options.csv}, {"--motion", motion_file}});
  listen_for_interrupt();
  const auto out = open_output(arguments.out);
  const auto csv = open_lines(options.csv), motion = open_lines(motion_file);
  RunRecorder recorder(model, p, csv.get(), motion.get());

  RunReport report = simulator.run(p, [&](const StepState<double>& x) {
    recorder.record(x);
    return run.go_on(x.t);
  });
  progress.reset();
  refuse_infinite(model, recorder, options.statics, report);
  const std::string& file = arguments.model.file;
  if (report.input_wrong) throw InvalidArgument(located(model, file, report.message));
  KeptFiles kept;
  kept.keep(csv);
  kept.keep(motion);
  if (out) kept.keep(out, run_json(model, run, report, recorder, file_name(motion_file)));
  const bool started = report.done() || report.t > 0 || report.steps > 0;
  const bool streamed = options.csv == "-" || arguments.out == "-" || arguments.motion == "-";
  if (!arguments.quiet && started && !streamed) print_table(report, recorder, model, run);
  const bool written = kept.all();
  if (report.done()) return written ? kDone : kNumericsFailed;
  fmt::print(stderr, "{}: {}{}\n", file, report.message,
             kept.text({options.csv, arguments.out, motion_file}));
  return kNumericsFailed;
}

}  // namespace kinegrad::app

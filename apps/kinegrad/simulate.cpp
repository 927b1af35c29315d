#include <fmt/core.h>

#include <filesystem>

#include "commands.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/io/run_output.hpp"
#include "kinegrad/io/step_events_output.hpp"
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
  fmt::print("{}", step_events_text(report.events));
  std::size_t width = 0;
  for (const std::string& name : recorder.names()) width = std::max(width, name.size());
  for (std::size_t k = 0; k < recorder.names().size(); ++k) {
    fmt::print("  {:<{}}  {:.12g}\n", recorder.names()[k], width, recorder.last()[k]);
  }
  for (std::size_t k = 0; k < report.objectives.size(); ++k) {
    fmt::print("  objective {}  {:.12g}\n", model.objectives()[k].name, report.objectives[k]);
  }
}

}  // namespace

int simulate(const SimulateOptions& options) {
  const RunArguments& arguments = options.run;
  const Model model = load_model(arguments);
  RunOptions run = run_options(arguments, model);
  if (options.statics) run.start = "equilibrium";
  run.only_start = options.statics;
  Simulator simulator(model, run);
  run = simulator.options();  // with what it chose itself
  const std::vector<double> p = model.default_physical();
  const std::string motion = motion_path(arguments);
  RunRecorder recorder(model, p, options.csv, motion);

  listen_for_interrupt();
  RunReport report;
  {
    Progress progress(arguments.quiet);
    report = simulator.run(p, [&](const StepState<double>& x) {
      recorder.record(x);
      progress.show(fmt::format("t = {:.4g} of {:.4g} s", x.t, run.end), x.t / run.end);
      return !interrupted();
    });
  }
  if (!arguments.out.empty()) {
    const std::string name = std::filesystem::path(motion).filename().string();
    write_file(arguments.out, run_json(model, run, report, recorder, name));
  }
  const bool started = report.done() || report.t > 0 || report.steps > 0;
  if (!arguments.quiet && started) print_table(report, recorder, model, run);
  if (!recorder.flush()) throw InvalidArgument("the results could not all be written");
  if (report.done()) return kDone;
  const std::string& file = arguments.model.file;
  if (report.input_wrong) throw InvalidArgument(file + ": " + report.message);
  fmt::print(stderr, "{}: {}{}\n", file, report.message,
             kept_files({options.csv, arguments.out, motion}));
  return kNumericsFailed;
}

}  // namespace kinegrad::app

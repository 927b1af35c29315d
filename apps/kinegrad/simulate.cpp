#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include "commands.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/io/run_output.hpp"

namespace kinegrad::app {

namespace {

volatile std::sig_atomic_t interrupted = 0;
void on_interrupt(int) { interrupted = 1; }

/// A line on a terminal that says how far the run is; silent when piped or quiet.
class Progress {
 public:
  Progress(double end, bool quiet) : end_(end), shown_(!quiet && isatty(STDERR_FILENO)) {}
  ~Progress() {
    if (drawn_) fmt::print(stderr, "\r\033[K");
  }
  void show(double t) {
    if (!shown_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(200)) return;
    last_ = now;
    const double done = t / end_;
    const double spent = std::chrono::duration<double>(now - begin_).count();
    fmt::print(stderr, "\r\033[K{:3.0f} %  t = {:.4g} of {:.4g} s, {:.0f} s left", 100 * done, t,
               end_, done > 0 ? spent / done - spent : 0);
    std::fflush(stderr);
    drawn_ = true;
  }

 private:
  double end_;
  bool shown_, drawn_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), last_ = begin_;
};

RunOptions run_options(const SimulateOptions& options, const Model& model) {
  RunOptions run;
  const auto name = [](const std::string& given, const std::string& file, std::string& field) {
    if (!given.empty() || !file.empty()) field = given.empty() ? file : given;
  };
  name(options.coordinates, model.analysis().coordinates, run.coordinates);
  name(options.formulation, model.analysis().formulation, run.formulation);
  name(options.integrator, model.analysis().integrator, run.integrator);
  const auto choose = [](double given, double file, double fallback) {
    return given != 0 ? given : file != 0 ? file : fallback;
  };
  run.step = choose(options.step, model.analysis().step, 0);
  run.end = choose(options.end, model.analysis().end, 0);
  run.details.tolerance =
      choose(options.tolerance, model.analysis().tolerance, run.details.tolerance);
  run.details.exact_tangent = options.exact_tangent;
  run.details.spectral_radius = options.spectral_radius;
  run.details.beta = options.beta;
  run.details.gamma = options.gamma;
  run.start = options.statics ? "equilibrium" : options.start;
  run.only_start = options.statics;
  run.constraints = options.constraints;
  run.constraints.iterative_projections = !options.project_once;
  run.validate();
  return run;
}

/// RESULT.json → RESULT.motion, unless the user names one.
std::string motion_path(const SimulateOptions& options) {
  if (!options.motion.empty() || options.out.empty()) return options.motion;
  return std::filesystem::path(options.out).replace_extension(".motion").string();
}

void print_table(const RunReport& report, const RunRecorder& recorder, const Model& model,
                 const RunOptions& run) {
  fmt::print("{} × {} × {}: {} steps to t = {:.6g} s, {:.2f} iterations per step, {:.3g} s\n",
             run.coordinates, run.formulation, run.integrator, report.steps, report.t,
             report.steps
                 ? static_cast<double>(report.iterations) / static_cast<double>(report.steps)
                 : 0.0,
             report.seconds);
  std::size_t width = 0;
  for (const std::string& name : recorder.names()) width = std::max(width, name.size());
  for (std::size_t k = 0; k < recorder.names().size(); ++k) {
    fmt::print("  {:<{}}  {:.12g}\n", recorder.names()[k], width, recorder.last()[k]);
  }
  const std::vector<double> values = recorder.objectives();
  for (std::size_t k = 0; k < values.size(); ++k) {
    fmt::print("  objective {}  {:.12g}\n", model.objectives()[k].name, values[k]);
  }
}

}  // namespace

int simulate(const SimulateOptions& options) {
  const Model model = load_model(options.model);
  RunOptions run = run_options(options, model);
  Simulator simulator(model, run);
  run = simulator.options();  // with what it chose itself
  const std::vector<double> p = model.default_physical();
  const std::string motion = motion_path(options);
  RunRecorder recorder(model, p, options.csv, motion);

  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  RunReport report;
  {
    Progress progress(run.end, options.quiet);
    report = simulator.run(p, [&](const StepState<double>& x) {
      recorder.record(x);
      progress.show(x.t);
      return !interrupted;
    });
  }
  if (!options.out.empty()) {
    const std::string name = std::filesystem::path(motion).filename().string();
    write_file(options.out, run_json(model, run, report, recorder, name));
  }
  const bool started = report.status == RunStatus::kDone || report.t > 0 || report.steps > 0;
  if (!options.quiet && started) print_table(report, recorder, model, run);
  if (!recorder.flush()) throw InvalidArgument("the results could not all be written");
  if (report.status == RunStatus::kDone) return kDone;
  std::string kept;
  for (const std::string* path : {&options.csv, &options.out, &motion}) {
    if (!path->empty()) kept += (kept.empty() ? "" : ", ") + *path;
  }
  if (report.input_wrong) throw InvalidArgument(options.model.file + ": " + report.message);
  fmt::print(stderr, "{}: {}{}\n", options.model.file, report.message,
             kept.empty() ? "" : "; what was computed is in " + kept);
  return kNumericsFailed;
}

}  // namespace kinegrad::app

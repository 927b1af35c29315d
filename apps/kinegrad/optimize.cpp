#include "kinegrad/optimization/optimize.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "command_files.hpp"
#include "commands.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/io/optimize_output.hpp"
#include "kinegrad/io/run_output.hpp"
#include "kinegrad/optimization/design.hpp"
#include "kinegrad/optimization/journal.hpp"
#include "progress.hpp"

namespace kinegrad::app {

namespace {

DesignOptions design_options(const OptimizeArguments& arguments, const Model& model) {
  DesignOptions options;
  options.run = run_options(arguments.run, model);
  if (arguments.statics) options.run.start = "equilibrium";
  options.run.only_start = arguments.statics;
  options.method = arguments.method;
  options.optimizer = arguments.optimizer;
  options.parameters = parameter_positions(model, arguments.parameters);
  options.evaluations = arguments.evaluations;
  options.starts = arguments.starts;
  options.seed = arguments.seed;
  options.threads = arguments.threads;
  return options;
}

/// RESULT.json → RESULT.journal; none without a result, unless a run is resumed.
std::string journal_path(const OptimizeArguments& arguments) {
  if (arguments.resume.empty()) return path_beside(arguments.run.out, ".journal");
  const bool result = std::filesystem::path(arguments.resume).extension() == ".json";
  return result ? path_beside(arguments.resume, ".journal") : arguments.resume;
}

/// The files of an optimisation, compared and open.
struct Files {
  std::string journal_file, motion_file, start_motion_file;
  std::unique_ptr<OutputFile> out;
  std::unique_ptr<LineFile> motion, start_motion;
};

Files open_files(const OptimizeArguments& arguments, const std::vector<NamedFile>& inputs) {
  const RunArguments& run = arguments.run;
  Files files;
  files.journal_file = journal_path(arguments);
  files.motion_file = motion_path(run);
  files.start_motion_file = path_beside(files.motion_file, ".start.motion");
  const bool fresh = !files.journal_file.empty() && arguments.resume.empty();
  require_distinct(inputs,
                   {{"the journal", files.journal_file},
                    {"the journal before", fresh ? Journal::old_path(files.journal_file) : ""},
                    {"--out", run.out},
                    {"--motion", files.motion_file},
                    {"the motion of the start", files.start_motion_file}});
  files.out = open_output(run.out);
  files.motion = open_lines(files.motion_file);
  files.start_motion = open_lines(files.start_motion_file);
  return files;
}

std::unique_ptr<Journal> open_journal(const Files& files, const Model& model, const Design& design,
                                      bool resume) {
  if (files.journal_file.empty()) return nullptr;
  return std::make_unique<Journal>(
      files.journal_file,
      JournalSubject{journal_description(model, design), design.problem.start.size(),
                     static_cast<Eigen::Index>(design.objectives.size()),
                     design.problem.all_stages()},
      resume);
}

/// A journal is of no use if the model has changed since, or if somebody has changed the journal.
void check_journal(const Journal& journal, int stage, const VecX& rho, const Evaluator& evaluate,
                   const std::string& file) {
  const std::string differs =
      disagreement(journal, stage, rho, evaluate, [] { return !interrupted(); });
  if (differs.empty()) return;
  throw InvalidArgument(differs + ": " + file + " has changed since, or the journal");
}

/// Simulates a point once more, for its motion and for the objectives that nobody optimises, and differentiates it
/// once more, for what its gradient says of itself.
ShownPoint show(const Model& model, const Design& design, const DesignPoint& point,
                LineFile* motion) {
  ShownPoint shown;
  shown.point = &point;
  if (!point.known) return shown;
  std::vector<double> p = physical_at(model, design.full_rho(point.rho));
  const Patience patience;
  RunOptions options = design.gradient.run;
  options.monitors = true;
  options.go_on = [&](double) { return !patience.ended(); };
  Simulator simulator(model, options);
  RunRecorder recorder(model, p, nullptr, motion);
  const RunReport run = simulator.run(p, [&](const StepState<double>& x) {
    if (motion) recorder.record(x);
    return !patience.ended();
  });
  if (run.done()) shown.objectives = run.objectives;
  if (motion && run.status != RunStatus::kStopped) shown.motion = file_name(motion->path());
  shown.p = std::move(p);
  shown.warnings = run.warnings;
  if (interrupted()) return shown;  // who stops a search does not wait for a gradient
  shown.warnings = design_warnings(model, design, point.rho, [&] { return !patience.ended(); });
  return shown;
}

OptimizationReport run_search(const Design& design, const Evaluator& evaluate, bool quiet) {
  Progress progress(quiet);
  double part = 0;
  const std::string name = design.problem.cost.size() == 1 ? design.problem.rows.front() : "cost";
  return optimize(
      design.problem, design.options, evaluate,
      [&](const OptimizeProgress& at) {
        part = std::max(part, at.part);
        progress.show(
            fmt::format("iteration {}, evaluation {}, {} = {:.6g}, projected gradient {:.2g}",
                        at.iteration, at.evaluation, name, at.cost, at.stationarity),
            part);
        return !interrupted();
      },
      [] { return !interrupted(); });
}

}  // namespace

int optimize(const OptimizeArguments& arguments) {
  const RunArguments& run = arguments.run;
  const LoadedModel loaded = load_model(run);
  const Model& model = loaded.model;
  if (!arguments.method.empty() && arguments.method != "auto") {
    gradient_method_named(arguments.method);
  }
  const Design design =
      with_place(run, [&] { return make_design(model, design_options(arguments, model)); });
  require_used(run, design.gradient.run);
  const Evaluator evaluate = design_evaluator(model, design);
  listen_for_interrupt();
  const Files files = open_files(arguments, loaded.files);
  const auto journal = open_journal(files, model, design, !arguments.resume.empty());
  if (journal && journal->first()) {
    check_journal(*journal, journal->first()->stage, journal->first()->rho, evaluate,
                  run.model.file);
  }
  if (journal && journal->resumed() > 0 && !run.quiet) {
    fmt::print("{}: {} evaluations are known\n", journal->path(), journal->resumed());
  }
  const OptimizationReport report =
      run_search(design, journal ? journaled(evaluate, *journal) : evaluate, run.quiet);
  const StartReport& winner = report.winner();
  if (winner.wrong_input) throw InvalidArgument(located(model, run.model.file, winner.message));
  if (journal && winner.best.known) {
    check_journal(*journal, winner.best.stage, winner.best.rho, evaluate, run.model.file);
  }
  const ShownPoint start = show(model, design, winner.start, files.start_motion.get());
  const ShownPoint optimum = show(model, design, winner.best, files.motion.get());
  KeptFiles kept;
  if (!start.motion.empty()) kept.keep(files.start_motion);
  if (!optimum.motion.empty()) kept.keep(files.motion);
  if (files.out) kept.keep(files.out, optimize_json(model, design, report, start, optimum));
  kept.add(files.journal_file);
  const bool streamed = run.out == "-" || run.motion == "-";
  if (!run.quiet && !streamed)
    fmt::print("{}", optimize_text(model, design, report, start, optimum));
  const bool written = kept.all();
  // who stops it in its last second has an optimum without its motion, which is not all that was asked for
  const bool cut = files.motion && winner.best.known && optimum.motion.empty();
  if (report.done() && cut) {
    fmt::print(stderr, "{}: interrupted before the motion of the optimum was computed{}\n",
               run.model.file, kept.text({run.out, files.journal_file}));
    return kNumericsFailed;
  }
  if (report.done()) return written ? kDone : kNumericsFailed;
  const bool go_on = winner.status == OptimizeStatus::kInterrupted && journal;
  fmt::print(stderr, "{}: {}{}{}\n", run.model.file, winner.message,
             kept.text({run.out, files.motion_file, files.journal_file}),
             go_on ? "; go on with --resume " + files.journal_file : "");
  return kNumericsFailed;
}

}  // namespace kinegrad::app

#include "kinegrad/optimization/optimize.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

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
  std::filesystem::path path = arguments.resume.empty() ? arguments.run.out : arguments.resume;
  if (!path.empty() && (arguments.resume.empty() || path.extension() == ".json")) {
    path.replace_extension(".journal");
  }
  return path.string();
}

/// A journal is of no use if the model has changed since: its first evaluation is made once more.
void check_journal(const Journal& journal, const Evaluator& evaluate, const std::string& file) {
  if (!journal.first()) return;
  const auto& [stage, before] = *journal.first();
  const std::function<bool()> go_on = [] { return !interrupted(); };
  const Evaluation now = evaluate({before.rho, stage, go_on});
  if (now.stopped) return;
  constexpr double kSame = 1e-9;  // other compilers and libraries round otherwise
  const auto same = [&](double a, double b, double size) {
    return std::abs(a - b) <= kSame * size;
  };
  bool agree = now.usable() && now.psi.size() == before.psi.size();
  for (Eigen::Index i = 0; agree && i < now.psi.size(); ++i) {
    const double slope = before.psi_rho.row(i).cwiseAbs().maxCoeff();
    agree = same(now.psi(i), before.psi(i), std::abs(before.psi(i)) + slope);
    for (Eigen::Index k = 0; agree && k < now.rho.size(); ++k) {
      agree = same(now.psi_rho(i, k), before.psi_rho(i, k), slope);
    }
  }
  if (!agree) {
    throw InvalidArgument(journal.path() + ": " + file +
                          " has changed since: its first evaluation gives other values now");
  }
}

/// Simulates a point once more, for its motion and for the objectives that nobody optimises.
ShownPoint show(const Model& model, const Design& design, const DesignPoint& point,
                const std::string& motion) {
  ShownPoint shown;
  shown.point = &point;
  if (!point.known) return shown;
  std::vector<double> p = physical_at(model, design.full_rho(point.rho));
  Simulator simulator(model, design.gradient.run);
  RunRecorder recorder(model, p, "", motion);
  const RunReport run = simulator.run(p, [&](const StepState<double>& x) {
    if (!motion.empty()) recorder.record(x);
    return true;
  });
  if (run.done()) shown.objectives = run.objectives;
  if (!recorder.flush()) throw InvalidArgument("cannot write " + motion);
  shown.motion = std::filesystem::path(motion).filename().string();
  shown.p = std::move(p);
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
  const Model model = load_model(run);
  const Design design = make_design(model, design_options(arguments, model));
  Evaluator evaluate = design_evaluator(model, design);
  listen_for_interrupt();
  const std::string motion = motion_path(run);
  const std::string start_motion =
      motion.empty() ? ""
                     : std::filesystem::path(motion).replace_extension(".start.motion").string();
  for (const std::string& path : {run.out, motion, start_motion}) require_writable(path);
  const std::string kept = journal_path(arguments);
  if (!run.out.empty() && kept == run.out) {
    throw InvalidArgument(run.out +
                          " is where the evaluations are kept: give the result another name");
  }
  std::unique_ptr<Journal> journal;
  if (!kept.empty()) {
    journal = std::make_unique<Journal>(kept, journal_description(model, design),
                                        !arguments.resume.empty());
  }
  if (journal) {
    check_journal(*journal, evaluate, run.model.file);
    if (journal->resumed() > 0 && !run.quiet) {
      fmt::print("{}: {} evaluations are known\n", kept, journal->resumed());
    }
    evaluate = journaled(std::move(evaluate), *journal);
  }
  const OptimizationReport report = run_search(design, evaluate, run.quiet);
  const StartReport& winner = report.winner();
  const ShownPoint start = show(model, design, winner.start, start_motion);
  const ShownPoint optimum = show(model, design, winner.best, motion);
  if (!run.out.empty()) {
    replace_file(run.out, optimize_json(model, design, report, start, optimum));
  }
  if (!run.quiet) fmt::print("{}", optimize_text(model, design, report, start, optimum));
  if (report.done()) return kDone;
  if (winner.wrong_input) throw InvalidArgument(run.model.file + ": " + winner.message);
  const bool go_on = winner.status == OptimizeStatus::kInterrupted && journal;
  fmt::print(stderr, "{}: {}{}{}\n", run.model.file, winner.message,
             kept_files({run.out, winner.best.known ? motion : "", kept}),
             go_on ? "; go on with --resume " + kept : "");
  return kNumericsFailed;
}

}  // namespace kinegrad::app

#include "kinegrad/optimization/optimize.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <random>
#include <thread>
#include <tuple>

#include "kinegrad/base/error.hpp"
#include "optimization/search.hpp"

namespace kinegrad {

namespace {

using Clock = std::chrono::steady_clock;

/// What the starts share.
struct Shared {
  const OptimizationProblem& problem;
  const OptimizeOptions& options;
  const Evaluator& evaluate;
  const OptimizeWatch& watch;
  const GoOn& go_on;
  std::optional<Clock::time_point> deadline;
  std::mutex watching;
  std::atomic<bool> stop{false};
};

/// A guess from the evaluations left and from how the projected gradient falls.
double part_done(const Shared& shared, int starts_before, const HistoryEntry& entry, int first,
                 double stationarity_at_start, const DesignPoint& best) {
  const double used = static_cast<double>(entry.evaluation - first) / shared.options.evaluations;
  double fallen = 0;
  if (stationarity_at_start > shared.options.tolerance && best.stationarity > 0) {
    fallen = std::log(stationarity_at_start / best.stationarity) /
             std::log(stationarity_at_start / shared.options.tolerance);
  }
  const double stage = std::clamp(std::max(used, fallen), 0.0, 1.0);
  const double before = std::ceil(shared.problem.position_of(entry.stage)) - 1;
  const double of_start = (before + stage) / shared.problem.stages;
  return (starts_before + of_start) / shared.options.starts;
}

/// One stage of one start; false if there is no point to go on from.
bool solve_stage(Shared& shared, int start, int stage, const VecX& from, StartReport& report) {
  const int first = report.evaluations;
  double at_start = 0;
  SearchTask task{
      shared.problem, shared.options, shared.evaluate, from, stage, shared.deadline, {}, {}};
  task.go_on = [&] { return !shared.stop && (!shared.go_on || shared.go_on()); };
  task.watch = [&](const HistoryEntry& entry, const DesignPoint& best) {
    if (at_start == 0) at_start = best.stationarity;
    const std::lock_guard lock(shared.watching);
    if (shared.stop) return false;
    if (!shared.watch) return true;
    const double part = part_done(shared, start, entry, first, at_start, best);
    const bool on = shared.watch(
        {start, stage, entry.evaluation, report.iterations, best.cost, best.stationarity, part});
    if (!on) shared.stop = true;
    return on;
  };
  Search search(task, report);
  OptimizerResult result;
  if (!search.finished()) {
    OptimizerTolerances tolerances;
    tolerances.gradient = search.gradient_tolerance();
    tolerances.objective = shared.options.objective_tolerance;
    tolerances.variables = shared.options.parameter_tolerance;
    tolerances.constraints = search.smallest_constraint_tolerance();
    do {
      result = make_optimizer(shared.options.optimizer, tolerances)->minimize(search);
    } while (search.again(result));
  }
  search.conclude(result);
  return report.best.known && report.status != OptimizeStatus::kInterrupted;
}

/// The start once more at the last stage, to compare the optimum with; it may have no value there.
void show_start_at_last(Shared& shared, const VecX& from, StartReport& report) {
  const int last = shared.problem.stages - 1;
  const std::function<bool()> go_on = [&] {
    return !shared.stop && (!shared.go_on || shared.go_on());
  };
  Evaluation evaluation = shared.evaluate({from, last, go_on});
  if (!evaluation.usable()) return;
  const double cost = shared.problem.cost_of(evaluation.psi);
  const double violation = shared.problem.violation_of(evaluation.psi);
  report.start = {evaluation.rho,
                  evaluation.psi,
                  evaluation.psi_rho,
                  cost,
                  violation,
                  std::numeric_limits<double>::quiet_NaN(),
                  true,
                  last};
}

/// [OP-7] One stage from the optimum before, in one go or, where that has no value over the whole of it, in
/// increments that are halved until one has; false if there is no point to go on from. A stage that has no
/// first point leaves the optimum before.
bool reach_stage(Shared& shared, int start, int stage, VecX& rho, StartReport& report) {
  const int parts = shared.problem.parts;
  int reached = 0, increment = parts;
  while (reached < parts) {
    const int aim = std::min(reached + increment, parts);
    const DesignPoint before = report.best;
    const bool on = solve_stage(shared, start, shared.problem.stage_at(stage, aim), rho, report);
    const bool no_value = !report.best.known && report.status == OptimizeStatus::kFailed;
    if (!report.best.known) report.best = before;
    if (shared.deadline && Clock::now() >= *shared.deadline) return false;
    if (!on) {
      const bool shorter = stage > 0 && no_value && !report.wrong_input && increment > 1;
      if (!shorter) return false;
      increment /= 2;
      continue;
    }
    rho = report.best.rho;
    reached = aim;
  }
  return true;
}

/// Each stage begins where the one before ended, however it ended.
StartReport solve(Shared& shared, int start, const VecX& from) {
  StartReport report;
  VecX rho = from;
  for (int stage = 0; stage < shared.problem.stages; ++stage) {
    if (!reach_stage(shared, start, stage, rho, report)) return report;
  }
  if (shared.problem.stages > 1) show_start_at_last(shared, from, report);
  return report;
}

/// Starts in any order, each by one thread; reports by their number.
std::vector<StartReport> solve_all(Shared& shared, const std::vector<VecX>& starts) {
  std::vector<StartReport> reports(starts.size());
  std::vector<std::exception_ptr> errors(starts.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t k = next++; k < starts.size(); k = next++) {
      try {
        reports[k] = solve(shared, static_cast<int>(k), starts[k]);
      } catch (...) {
        errors[k] = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads;
  const auto count = std::min(starts.size(), static_cast<std::size_t>(shared.options.threads));
  for (std::size_t k = 1; k < count; ++k) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return reports;
}

/// Those that came to a later horizon first, costs of others do not compare; then those that hold the
/// constraints; the earlier of equals.
int best_of(const OptimizationProblem& problem, const std::vector<StartReport>& starts,
            double tolerance) {
  const auto key = [&](const StartReport& report) {
    const bool feasible = report.best.known && report.best.violation <= tolerance;
    return std::tuple(!report.best.known, -problem.position_of(report.best.stage), !feasible,
                      feasible ? report.best.cost : report.best.violation);
  };
  std::size_t best = 0;
  for (std::size_t k = 1; k < starts.size(); ++k) {
    if (key(starts[k]) < key(starts[best])) best = k;
  }
  return static_cast<int>(best);
}

}  // namespace

void OptimizeOptions::validate(const OptimizationProblem& problem) const {
  const auto positive = [](double value, const char* what) {
    if (!(value > 0) || !std::isfinite(value)) {
      throw InvalidArgument(std::string("the ") + what + " must be positive");
    }
  };
  positive(tolerance, "tolerance");
  positive(constraint_tolerance, "constraint tolerance");
  if (tolerance >= 1)
    throw InvalidArgument("the tolerance must be below 1: it is a part of the start's");
  if (!(objective_tolerance >= 0) || !(parameter_tolerance >= 0)) {
    throw InvalidArgument("tolerances of changes must not be negative");
  }
  if (!(seconds >= 0)) throw InvalidArgument("the seconds must be positive");
  if (evaluations < 1) throw InvalidArgument("there must be one evaluation at least");
  if (starts < 1) throw InvalidArgument("there must be one start at least");
  if (threads < 1) throw InvalidArgument("there must be one thread at least");
  make_optimizer(optimizer, {});  // known and built in
  bool equations = false;
  for (const RowRange& range : problem.constraints) equations |= range.lower == range.upper;
  const std::string refusal = optimizer_refusal(
      *find_optimizer(optimizer), !problem.constraints.empty(), equations, problem.minimax);
  if (!refusal.empty()) throw InvalidArgument(refusal);
}

int OptimizationReport::evaluations() const {
  int sum = 0;
  for (const StartReport& start : starts) sum += start.evaluations;
  return sum;
}

std::vector<VecX> start_points(const OptimizationProblem& problem, int count, long seed) {
  std::vector<VecX> points(static_cast<std::size_t>(count), problem.start);
  const auto others = static_cast<std::size_t>(count - 1);
  if (others == 0) return points;
  // the generator is the same everywhere, distributions of the standard library are not
  std::mt19937_64 generator(static_cast<std::uint64_t>(seed));
  const auto uniform = [&] { return std::ldexp(static_cast<double>(generator() >> 11), -53); };
  for (Eigen::Index k = 0; k < problem.start.size(); ++k) {
    const double lower = problem.lower(k), range = problem.upper(k) - lower;
    if (!std::isfinite(range)) {
      throw InvalidArgument("several starts need two bounds of every parameter, which " +
                            problem.parameters[static_cast<std::size_t>(k)] + " has not");
    }
    std::vector<std::size_t> cells(others);
    for (std::size_t i = 0; i < others; ++i) cells[i] = i;
    for (std::size_t i = others; i > 1; --i) std::swap(cells[i - 1], cells[generator() % i]);
    for (std::size_t i = 0; i < others; ++i) {
      const double part = (static_cast<double>(cells[i]) + uniform()) / static_cast<double>(others);
      points[i + 1](k) = std::clamp(lower + part * range, lower, problem.upper(k));
    }
  }
  return points;
}

OptimizationReport optimize(const OptimizationProblem& problem, const OptimizeOptions& options,
                            const Evaluator& evaluate, const OptimizeWatch& watch,
                            const GoOn& go_on) {
  problem.validate();
  options.validate(problem);
  const std::vector<VecX> starts = start_points(problem, options.starts, options.seed);
  const auto begin = Clock::now();
  Shared shared{problem, options, evaluate, watch, go_on, {}, {}, {}};
  if (options.seconds > 0) {
    shared.deadline = begin + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(std::min(options.seconds, 1e9)));
  }
  OptimizationReport report;
  report.starts = solve_all(shared, starts);
  report.best = best_of(problem, report.starts, options.constraint_tolerance);
  StartReport& winner = report.starts[static_cast<std::size_t>(report.best)];
  if (shared.stop) winner.status = OptimizeStatus::kInterrupted;
  if (shared.stop) winner.message = "interrupted";
  report.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return report;
}

}  // namespace kinegrad

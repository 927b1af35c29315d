#include "optimization/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kinegrad/base/error.hpp"
#include "optimization/trial_points.hpp"

namespace kinegrad {

namespace {

using Clock = std::chrono::steady_clock;

/// Within this part of a scale a bound or a constraint counts as reached.
constexpr double kNear = 1e-5;
/// So many failures one after the other: no step is short enough.
constexpr int kMostFailures = 30;
/// So many questions without a new point: it goes in circles. An optimiser asks some ten times about one.
constexpr int kMostQuestions = 1000;
/// Costs that differ by this part of themselves are the same: simulations round.
constexpr double kNoise = 1e-10;
/// So many scales away from the start a parameter has no optimum.
constexpr double kFar = 1e10;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> bits_of(const VecX& rho) { return {rho.begin(), rho.end()}; }

}  // namespace

Search::Search(const SearchTask& task, StartReport& report)
    : task_(task), report_(report), scaling_(task.problem, task.start) {
  report_.best = {};
  report_.status = OptimizeStatus::kFailed;
  const Evaluation* first = evaluation_at(task.start);
  if (!first || !first->usable()) {
    if (over_) return;
    report_.wrong_input = first->wrong_input;
    const char* what = task_.stage == 0 ? "the start cannot be simulated: "
                                        : "the optimum of the horizon before cannot be simulated "
                                          "over the next, nor over a part of it: ";
    finish(OptimizeStatus::kFailed, what + first->failure);
    return;
  }
  scaling_.set_outputs(*first);
  scaled_ = true;
  scaling_.bounds(lower_, upper_, c_lower_, c_upper_);
  start_ = scaling_.x(*first);
  began_at_ = first->rho;
  // now that there are scales, the start is judged like every other point
  const Kkt kkt = judge(*first, report_.history.back());
  if (task_.stage == 0) report_.start = report_.best;
  check_start(kkt);
  if (task_.watch && !over_ && !task_.watch(report_.history.back(), report_.best)) {
    finish(OptimizeStatus::kInterrupted, "interrupted");
  }
}

/// [OP-11] A start that passes the test of the gradient is the end if nothing nearby is cheaper. Else the
/// search is measured by how stationary it is where it begins.
void Search::check_start(const Kkt& kkt) {
  reference_ = kkt.stationarity;
  if (!feasible(report_.best.violation)) {
    // [OP-11] multipliers mean nothing there: the gradient itself
    reference_ = std::max(reference_, at(start_).f_x.cwiseAbs().maxCoeff());
  }
  const double tolerance = task_.options.tolerance;
  const bool stationary = feasible(report_.best.violation) && kkt.stationarity <= tolerance &&
                          kkt.complementarity <= tolerance;
  if (!stationary || over_ || look_around(kkt).cheaper || over_) return;
  finish(OptimizeStatus::kConverged,
         fmt::format("converged at the start: the projected gradient is {:.2g}, and nothing nearby "
                     "is cheaper",
                     kkt.stationarity));
}

/// Tries what is nearby until it is cheaper, from where the search begins then.
Search::Neighbours Search::look_around(const Kkt& kkt) {
  const DesignPoint before = report_.best;
  return try_points(before, trial_points(*this, start_, kkt.r, before.rho.size()));
}

/// Evaluates points until one is cheaper than `before`, from where the search begins then; at last those that the slopes
/// of the others lead to.
Search::Neighbours Search::try_points(const DesignPoint& before, std::vector<VecX> points) {
  Neighbours found;
  const Eigen::Index n = before.rho.size();
  const Evaluation& centre = *evaluation_at(before.rho);  // known
  const VecX x = scaling_.x(centre), r = kkt_at(centre).r.head(n);
  Curvature curvature;
  const std::size_t given = points.size();
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Evaluation* evaluation = evaluation_at(scaling_.rho(points[k]));
    if (over_) return found;
    if (evaluation && evaluation->usable()) {
      const VecX slope = kkt_at(*evaluation).r;
      found.steepest = std::max(found.steepest, slope.cwiseAbs().maxCoeff());
      curvature.add((points[k] - x).head(n), slope.head(n) - r);
      const double size = std::max(std::abs(before.cost), std::abs(report_.best.cost));
      const bool falls = before.cost - report_.best.cost > kNoise * size;
      if (evaluation->rho == report_.best.rho && falls) {
        start_ = scaling_.x(*evaluation);
        began_at_ = evaluation->rho;
        reference_ = std::max(reference_, report_.best.stationarity);
        found.cheaper = true;
        return found;
      }
    }
    if (k + 1 != given) continue;
    for (VecX& point : descending_points(*this, x, curvature)) points.push_back(std::move(point));
  }
  return found;
}

double Search::smallest_constraint_tolerance() const {
  double smallest = 1e-8;
  for (Eigen::Index i = 0; i < scaling_.constraint_rows(); ++i) {
    smallest = std::min(smallest, task_.options.constraint_tolerance / scaling_.constraint(i));
  }
  return smallest;
}

const NlpPoint& Search::at(const VecX& x) {
  if (!over_ && ++questions_ > kMostQuestions) {
    finish(OptimizeStatus::kNoDescent, "no better point is found: the same points come back");
  }
  const Evaluation* evaluation = over_ ? nullptr : evaluation_at(scaling_.rho(x));
  if (evaluation && evaluation->usable()) {
    scaling_.point(x, *evaluation, point_);
  } else {
    point_.failed = true;
  }
  return point_;
}

/// The answer at ρ, from memory or from the model; null if there is to be none any more.
const Evaluation* Search::evaluation_at(const VecX& rho) {
  const std::vector<double> key = bits_of(rho);
  const auto known = seen_.find(key);
  if (known != seen_.end()) return &known->second;
  if (!allowed()) return nullptr;
  const std::function<bool()> go_on = [&] {
    return !out_of_time() && (!task_.go_on || task_.go_on());
  };
  Evaluation evaluation;
  try {
    evaluation = task_.evaluate({rho, task_.stage, go_on});
  } catch (const std::exception& error) {  // not through libraries that are not C++
    finish(OptimizeStatus::kFailed, error.what());
    return nullptr;
  }
  if (evaluation.stopped) {
    finish(out_of_time() ? OptimizeStatus::kLimit : OptimizeStatus::kInterrupted,
           out_of_time() ? fmt::format("the {:.9g} seconds are over", task_.options.seconds)
                         : "interrupted");
    return nullptr;
  }
  if (evaluation.usable() && !(evaluation.psi.allFinite() && evaluation.psi_rho.allFinite())) {
    evaluation.failure = "an objective or a derivative is not finite";
  } else if (evaluation.usable() && !std::isfinite(task_.problem.cost_of(evaluation.psi))) {
    evaluation.failure = "the cost is not finite";
  }
  const Evaluation& kept = seen_.emplace(key, std::move(evaluation)).first->second;
  record(kept);
  return &kept;
}

bool Search::out_of_time() const { return task_.deadline && Clock::now() >= *task_.deadline; }

/// Whether one more evaluation may be made.
bool Search::allowed() {
  if (over_) return false;
  if (out_of_time()) {
    finish(OptimizeStatus::kLimit,
           fmt::format("the {:.9g} seconds are over", task_.options.seconds));
  } else if (count_ >= task_.options.evaluations) {
    finish(OptimizeStatus::kLimit, count_ == 1
                                       ? "the one evaluation is used up"
                                       : fmt::format("the {} evaluations are used up", count_));
  }
  return !over_;
}

void Search::record(const Evaluation& evaluation) {
  ++count_;
  questions_ = 0;
  HistoryEntry entry;
  entry.evaluation = ++report_.evaluations;
  entry.iteration = report_.iterations;
  entry.stage = task_.stage;
  entry.rho = evaluation.rho;
  entry.psi = evaluation.psi;
  entry.seconds = evaluation.seconds;
  entry.failure = evaluation.failure;
  entry.cost = entry.violation = entry.stationarity = kNaN;
  failures_in_a_row_ = evaluation.usable() ? 0 : failures_in_a_row_ + 1;
  report_.history.push_back(std::move(entry));
  HistoryEntry& kept = report_.history.back();
  if (!scaled_) return;  // the start, which is judged later
  if (evaluation.usable()) judge(evaluation, kept);
  if (failures_in_a_row_ >= kMostFailures) {
    finish(OptimizeStatus::kNoDescent,
           fmt::format("{} simulations in a row failed, however short the step: {}", kMostFailures,
                       evaluation.failure));
  }
  if (!over_ && task_.watch && !task_.watch(kept, report_.best)) {
    finish(OptimizeStatus::kInterrupted, "interrupted");
  }
}

/// How good a point is, whether it is the best, and whether it is good enough.
Kkt Search::judge(const Evaluation& evaluation, HistoryEntry& entry) {
  Kkt kkt = kkt_at(evaluation);
  DesignPoint design{evaluation.rho,
                     evaluation.psi,
                     evaluation.psi_rho,
                     task_.problem.cost_of(evaluation.psi),
                     task_.problem.violation_of(evaluation.psi),
                     kkt.stationarity,
                     true,
                     task_.stage};
  entry.cost = design.cost;
  entry.violation = design.violation;
  entry.stationarity = design.stationarity;
  if (reference_ > 0) check_converged(design, kkt);
  const bool converged = over_ && report_.status == OptimizeStatus::kConverged;
  if (converged || !report_.best.known || better(design, report_.best)) {
    if (report_.best.known) entry.iteration = ++report_.iterations;
    report_.best = std::move(design);
    check_bounded(scaling_.x(evaluation));
  }
  return kkt;
}

/// [OP-5] Stationary, over the start, and no worse than what is known: a maximum is stationary too.
void Search::check_converged(const DesignPoint& point, const Kkt& kkt) {
  if (over_ || !feasible(point.violation)) return;
  if (kkt.stationarity > gradient_tolerance() || kkt.complementarity > task_.options.tolerance) {
    return;
  }
  constexpr double kWorse = 1e-6;  // constraints may be missed a little, which makes others cheaper
  const bool known = report_.best.known && feasible(report_.best.violation);
  if (known && point.cost - report_.best.cost > kWorse * scaling_.cost()) return;
  finish(OptimizeStatus::kConverged,
         fmt::format("converged: the projected gradient is {:.2g}, {:.2g} of the start's",
                     kkt.stationarity, kkt.stationarity / reference_));
}

/// A cost that falls on and on, far beyond the scales, has no minimum.
void Search::check_bounded(const VecX& x) {
  Eigen::Index k = 0;
  const double far = x.head(report_.best.rho.size()).cwiseAbs().maxCoeff(&k);
  if (over_ || far < kFar) return;
  finish(
      OptimizeStatus::kUnbounded,
      fmt::format("the cost falls without end: {} has come to {:.6g}; give it bounds, or a scale",
                  task_.problem.parameters[static_cast<std::size_t>(k)], report_.best.rho(k)));
}

bool Search::feasible(double violation) const {
  return violation <= task_.options.constraint_tolerance;
}

bool Search::better(const DesignPoint& a, const DesignPoint& b) const {
  const bool fa = feasible(a.violation), fb = feasible(b.violation);
  if (fa != fb) return fa;
  return fa ? a.cost < b.cost : a.violation < b.violation;
}

void Search::finish(OptimizeStatus status, std::string message) {
  over_ = true;
  report_.status = status;
  report_.message = std::move(message);
}

/// What stops at rounding is an optimum if it is nearly stationary: two digits short of what was asked
/// for; or, where the start was nearly stationary beside the size of the cost, three digits below it.
bool Search::nearly_stationary() const {
  constexpr double kNearly = 100, kFallen = 1e-3;
  if (!report_.best.known) return false;
  const double now = report_.best.stationarity;
  return now <= kNearly * gradient_tolerance() ||
         (now <= kNearly * task_.options.tolerance && now <= kFallen * reference_);
}

/// Nothing changes by more than the user asked for, which is more than rounding.
bool Search::users_own_end(const OptimizerResult& result) const {
  const OptimizeOptions defaults;
  return result.end == OptimizerEnd::kNoChange &&
         (task_.options.objective_tolerance > defaults.objective_tolerance ||
          task_.options.parameter_tolerance > defaults.parameter_tolerance);
}

bool Search::again(const OptimizerResult& result) {
  constexpr int kMostRestarts = 10;
  const bool stuck = result.end == OptimizerEnd::kNoChange ||
                     result.end == OptimizerEnd::kNoDescent ||
                     result.end == OptimizerEnd::kStationary;
  if (restarts_ >= kMostRestarts) return false;
  const bool converged =
      over_ ? report_.status == OptimizeStatus::kConverged : stuck && nearly_stationary();
  if (converged) return leaves_saddle();
  if (over_ || !stuck || users_own_end(result)) return false;
  if (report_.best.rho == began_at_) return false;
  const Evaluation* best = evaluation_at(report_.best.rho);  // known
  start_ = scaling_.x(*best);
  began_at_ = best->rho;
  ++restarts_;
  return true;
}

/// [OP-12] Whether something is cheaper where the search has not been; then it begins anew from there.
bool Search::leaves_saddle() {
  const bool was_over = over_;
  const DesignPoint before = report_.best;
  const auto status = report_.status;
  const std::string message = report_.message;
  const int iterations = report_.iterations;
  const Evaluation& best = *evaluation_at(before.rho);  // known
  const Kkt kkt = kkt_at(best);
  // a small step off an active constraint is a small step off what is allowed
  const bool held = (kkt.lambda.array() != 0).any();
  if (held || !feasible(before.violation)) return false;
  std::vector<VecX> known;
  for (const auto& [rho, evaluation] : seen_) {
    if (evaluation.usable()) known.push_back(scaling_.x(evaluation));
  }
  over_ = false;
  const double reference = reference_;
  const std::vector<VecX> points =
      unexplored_points(*this, scaling_.x(best), known, kkt.z, before.rho.size());
  if (try_points(before, points).cheaper) {
    reference_ = reference;  // it stays measured by its start
    ++restarts_;
    return true;
  }
  if (report_.status == OptimizeStatus::kInterrupted) return false;
  over_ = was_over;  // it is what it was taken for
  report_.best = before;
  report_.status = status;
  report_.message = message;
  report_.iterations = iterations;
  return false;
}

/// [OP-11] A start from which nothing is better may be an optimum whose gradient is all rounding. Then it
/// is measured by the gradients around it.
void Search::measure_by_neighbours() {
  const bool at_start = report_.best.known && report_.best.rho == task_.start;
  if (over_ || nearly_stationary() || !at_start || !feasible(report_.best.violation)) return;
  const Evaluation& best = *evaluation_at(report_.best.rho);  // known
  start_ = scaling_.x(best);
  const Neighbours around = look_around(kkt_at(best));
  if (!around.cheaper) reference_ = std::max(reference_, around.steepest);
}

/// What an optimiser's end by itself means.
void Search::take_end(const OptimizerResult& result) {
  measure_by_neighbours();
  if (over_) return;
  const bool nearly = nearly_stationary();
  const double gradient = report_.best.stationarity;
  const std::string where = std::isfinite(gradient)
                                ? fmt::format(" (projected gradient {:.2g})", gradient)
                                : " (the projected gradient is beyond all numbers)";
  if (failures_in_a_row_ > 0 && !nearly) {
    return finish(OptimizeStatus::kNoDescent,
                  "every step from the best point failed, the last because: " +
                      report_.history.back().failure + where);
  }
  switch (result.end) {
    case OptimizerEnd::kStationary:
      return finish(nearly ? OptimizeStatus::kConverged : OptimizeStatus::kNoDescent,
                    nearly ? "converged by the optimiser's own test" + where
                           : "the optimiser ends by its own test, not at an optimum" + where);
    case OptimizerEnd::kNoChange:
    case OptimizerEnd::kNoDescent:
      if (users_own_end(result)) {
        return finish(OptimizeStatus::kSettled,
                      "cost or parameters change by no more than asked" + where);
      }
      return finish(nearly ? OptimizeStatus::kConverged : OptimizeStatus::kNoDescent,
                    nearly ? "converged: rounding keeps the cost from falling further" + where
                           : "no better point is found from here" + where);
    case OptimizerEnd::kInfeasible: return finish(OptimizeStatus::kInfeasible, "infeasible");
    default: finish(OptimizeStatus::kFailed, "the optimiser gave up: " + result.message);
  }
}

void Search::conclude(const OptimizerResult& result) {
  if (!over_) take_end(result);
  const bool interrupted = report_.status == OptimizeStatus::kInterrupted;
  if (report_.best.known && !feasible(report_.best.violation) && !interrupted) {
    describe_infeasible();
  }
  if (report_.best.known) fill_multipliers();
}

/// The constraint that is missed most, and by how much.
void Search::describe_infeasible() {
  const DesignPoint& best = report_.best;
  std::string worst;
  for (const RowRange& range : task_.problem.constraints) {
    const double psi = best.psi(range.row);
    const double missed = std::max(range.lower - psi, psi - range.upper);
    if (missed < best.violation) continue;
    const double bound = psi > range.upper ? range.upper : range.lower;
    worst = fmt::format("{} = {:.9g} where {} {:.9g} was asked for",
                        task_.problem.rows[static_cast<std::size_t>(range.row)], psi,
                        range.lower == range.upper ? "equals"
                        : psi > range.upper        ? "at most"
                                                   : "at least",
                        bound);
  }
  const std::string before =
      report_.status == OptimizeStatus::kLimit ? " (" + report_.message + ")" : "";
  report_.status = OptimizeStatus::kInfeasible;
  report_.message = "no point was found that holds the constraints: at best " + worst + before;
}

Kkt Search::kkt_at(const Evaluation& evaluation) const {
  const VecX x = scaling_.x(evaluation);
  NlpPoint point;
  scaling_.point(x, evaluation, point);
  return kkt_of(*this, x, point, kNear);
}

void Search::fill_multipliers() {
  const DesignPoint& best = report_.best;
  Evaluation evaluation;
  evaluation.rho = best.rho;
  evaluation.psi = best.psi;
  evaluation.psi_rho = best.psi_rho;
  const VecX x = scaling_.x(evaluation);
  const Kkt kkt = kkt_at(evaluation);
  const Eigen::Index m = scaling_.minimax_rows();
  report_.multipliers.clear();
  report_.cost_multipliers.clear();
  report_.active_bounds.clear();
  if (!feasible(best.violation)) return;  // they belong to optima
  for (Eigen::Index i = 0; i < m; ++i) report_.cost_multipliers.push_back(kkt.lambda(i));
  for (Eigen::Index i = 0; i < scaling_.constraint_rows(); ++i) {
    report_.multipliers.push_back(kkt.lambda(m + i) * scaling_.cost() / scaling_.constraint(i));
  }
  for (Eigen::Index k = 0; k < best.rho.size(); ++k) {
    const bool low = x(k) - lower_(k) <= kNear, high = upper_(k) - x(k) <= kNear;
    if (!low && !high) continue;
    const double z = kkt.z(k) * scaling_.cost() / scaling_.parameter(k);
    report_.active_bounds.push_back({static_cast<int>(k), low && high ? z > 0 : high, z});
  }
}

}  // namespace kinegrad

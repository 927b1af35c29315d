// An optimisation from beginning to end: one or many starts, one stage or several, with everything
// that was evaluated on the way (docs/theory/optimization.md). The same input gives the same bits,
// whatever the number of threads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kinegrad/optimization/optimizer.hpp"
#include "kinegrad/optimization/problem.hpp"

namespace kinegrad {

struct OptimizeOptions {
  std::string optimizer{default_optimizer(false)};
  double tolerance = 1e-7;             ///< of the stationarity [OP-5], over that of the start
  double objective_tolerance = 1e-12;  ///< relative change of the cost
  double parameter_tolerance = 1e-10;  ///< change of the parameters, over their scale
  double constraint_tolerance = 1e-8;  ///< how far a constraint may be missed, in its unit
  int evaluations = 500;               ///< most of them, of one start and stage
  double seconds = 0;                  ///< most of them, for everything; 0: no limit
  int starts = 1;  ///< the first is the problem's, the others lie between bounds
  long seed = 1;
  int threads = 1;  ///< that work at starts; no result depends on it

  /// @throws InvalidArgument
  void validate(const OptimizationProblem& problem) const;
};

enum class OptimizeStatus {
  kConverged,    ///< stationary, as far as rounding lets it be
  kSettled,      ///< nothing changes by more than the user asked for
  kLimit,        ///< evaluations or seconds are used up
  kNoDescent,    ///< it got stuck
  kUnbounded,    ///< the cost falls without end
  kInfeasible,   ///< no point was found that holds the constraints
  kFailed,       ///< there is no first point, or the library gave up
  kInterrupted,  ///< someone asked to stop
};

/// A point with its values and slopes.
struct DesignPoint {
  VecX rho, psi;
  MatX psi_rho;
  double cost = 0, violation = 0;
  double stationarity = 0;  ///< [OP-5], scaled
  bool known = false;       ///< there is such a point
  int stage = 0;            ///< of the problem whose values these are
};

/// One evaluation, as it was made.
struct HistoryEntry {
  int evaluation = 0, iteration = 0, stage = 0;
  VecX rho, psi;
  double cost = 0, violation = 0, stationarity = 0, seconds = 0;
  std::string failure;  ///< empty: it went well
};

/// A bound of a parameter that the optimum leans on.
struct ActiveBound {
  int parameter = 0;
  bool upper = false;
  double multiplier = 0;  ///< −∂cost/∂bound: positive at an upper bound, negative at a lower one
};

/// What became of one start.
struct StartReport {
  OptimizeStatus status = OptimizeStatus::kFailed;
  std::string message;  ///< why it stopped, in words
  bool wrong_input = false;
  DesignPoint start, best;  ///< the start at the last stage, if it has values there
  std::vector<HistoryEntry> history;
  int evaluations = 0;
  int iterations =
      0;  ///< evaluations that were better than all before, whatever the library counts
  std::vector<ActiveBound> active_bounds;
  std::vector<double> multipliers;  ///< −∂cost/∂bound of the constraints, in their order
  std::vector<double>
      cost_multipliers;  ///< of minimax: how much each objective counts; they sum to 1
};

struct OptimizationReport {
  std::vector<StartReport> starts;
  int best = 0;  ///< the start that won
  double seconds = 0;

  const StartReport& winner() const { return starts[static_cast<std::size_t>(best)]; }
  int evaluations() const;
  /// The optimum is one, by the test of the gradient or by the user's own tolerances of changes.
  bool done() const {
    const OptimizeStatus status = winner().status;
    const bool ended = status == OptimizeStatus::kConverged || status == OptimizeStatus::kSettled;
    return ended && winner().best.known;
  }
};

/// How far it is, after an evaluation.
struct OptimizeProgress {
  int start = 0, stage = 0, evaluation = 0, iteration = 0;
  double cost = 0, stationarity = 0;  ///< of the best point so far
  double part = 0;                    ///< of everything, a guess
};

/// Called after every evaluation, by one thread at a time; false asks to stop.
using OptimizeWatch = std::function<bool(const OptimizeProgress&)>;
/// Asked often, by any thread: false ends the evaluation that is under way.
using GoOn = std::function<bool()>;

/// @throws InvalidArgument
OptimizationReport optimize(const OptimizationProblem& problem, const OptimizeOptions& options,
                            const Evaluator& evaluate, const OptimizeWatch& watch = {},
                            const GoOn& go_on = {});

/// Starts of an optimisation, the first its own, the others a Latin hypercube between the bounds [OP-8].
std::vector<VecX> start_points(const OptimizationProblem& problem, int count, long seed);

}  // namespace kinegrad

// One search of one optimiser from one start: scales the problem, answers the optimiser, remembers
// every evaluation and the best point, and says when it is over.
#pragma once

#include <chrono>
#include <map>
#include <optional>

#include "kinegrad/optimization/kkt.hpp"
#include "kinegrad/optimization/optimize.hpp"
#include "kinegrad/optimization/optimizer.hpp"
#include "optimization/scaling.hpp"

namespace kinegrad {

/// What a search is given besides the problem.
struct SearchTask {
  const OptimizationProblem& problem;
  const OptimizeOptions& options;
  const Evaluator& evaluate;
  VecX start;
  int stage = 0;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  GoOn go_on;  ///< may be empty
  std::function<bool(const HistoryEntry&, const DesignPoint& best)> watch;
};

class Search final : public Nlp {
 public:
  /// Evaluates the start; if that fails the search is over.
  Search(const SearchTask& task, StartReport& report);

  const NlpPoint& at(const VecX& x) override;
  bool finished() const override { return over_; }

  /// Whether an optimiser may begin anew, without its memory: from the best point, if it got stuck and that point is
  /// better than where it began last; or off a saddle. start() is that point then.
  bool again(const OptimizerResult& result);
  /// Takes what the optimiser says of its end into account; fills multipliers and active bounds.
  void conclude(const OptimizerResult& result);
  double smallest_constraint_tolerance() const;
  /// [OP-5] at which the search has converged, in the optimiser's scales.
  double gradient_tolerance() const { return task_.options.tolerance * reference_; }

 private:
  const Evaluation* evaluation_at(const VecX& rho);
  void record(const Evaluation& evaluation);
  Kkt judge(const Evaluation& evaluation, HistoryEntry& entry);
  void check_converged(const DesignPoint& point, const Kkt& kkt);
  void check_bounded(const VecX& x);
  void check_start(const Kkt& kkt);
  struct Neighbours {
    bool cheaper = false;
    double steepest = 0;  // largest component of a gradient of the Lagrangian
  };
  Neighbours look_around(const Kkt& kkt);
  Neighbours try_points(const DesignPoint& before, std::vector<VecX> points);
  void measure_by_neighbours();
  bool leaves_saddle();
  Kkt kkt_at(const Evaluation& evaluation) const;
  bool better(const DesignPoint& a, const DesignPoint& b) const;
  bool feasible(double violation) const;
  bool allowed();
  void finish(OptimizeStatus status, std::string message);
  void take_end(const OptimizerResult& result);
  void describe_infeasible();
  void fill_multipliers();
  bool out_of_time() const;
  bool nearly_stationary() const;
  bool users_own_end(const OptimizerResult& result) const;

  const SearchTask& task_;
  StartReport& report_;
  Scaling scaling_;
  std::map<std::vector<double>, Evaluation> seen_;
  NlpPoint point_;
  bool over_ = false, scaled_ = false;
  int count_ = 0, failures_in_a_row_ = 0, restarts_ = 0;
  int questions_ = 0;     // since the last evaluation
  VecX began_at_;         // ρ at which the optimiser began last
  double reference_ = 0;  // stationarity of the start; 0: not known yet, or there is none
};

}  // namespace kinegrad

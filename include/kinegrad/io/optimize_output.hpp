// What an optimisation leaves behind: a table for people and JSON for programs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kinegrad/base/warning.hpp"
#include "kinegrad/optimization/design.hpp"

namespace kinegrad {

/// One of the two points that are simulated once more: their motion and all objectives of the model.
struct ShownPoint {
  const DesignPoint* point = nullptr;
  std::vector<double> objectives;  ///< by Model::objectives(); empty: only those of the problem
  std::vector<double> p;           ///< its physical parameters; empty: unknown
  std::string motion;              ///< file beside the JSON; empty: none
  Warnings warnings;               ///< of its gradient
};

/// The warnings of both points, which say where they are from; what both say is said once.
Warnings optimize_warnings(const ShownPoint& start, const ShownPoint& optimum);

/// Parameters and objectives before and after, active bounds, multipliers, why it stopped.
std::string optimize_text(const Model& model, const Design& design,
                          const OptimizationReport& report, const ShownPoint& start,
                          const ShownPoint& optimum);

/// The JSON of `optimize --out`; numbers carry 17 significant digits.
std::string optimize_json(const Model& model, const Design& design,
                          const OptimizationReport& report, const ShownPoint& start,
                          const ShownPoint& optimum);

/// What is evaluated, for the first line of a journal: evaluations of another such text are of no use.
std::map<std::string, std::string> journal_description(const Model& model, const Design& design);

/// "converged", "settled", "limit", "no descent", "unbounded", "infeasible", "failed", "interrupted"
std::string_view word(OptimizeStatus status);

}  // namespace kinegrad

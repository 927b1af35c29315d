#include <cmath>

#include "kinegrad/io/optimize_output.hpp"
#include "run_settings_json.hpp"
#include "scene_json.hpp"

namespace kinegrad {

using Json = nlohmann::ordered_json;

std::string_view word(OptimizeStatus status) {
  switch (status) {
    case OptimizeStatus::kConverged: return "converged";
    case OptimizeStatus::kSettled: return "settled";
    case OptimizeStatus::kLimit: return "limit";
    case OptimizeStatus::kNoDescent: return "no descent";
    case OptimizeStatus::kUnbounded: return "unbounded";
    case OptimizeStatus::kInfeasible: return "infeasible";
    case OptimizeStatus::kFailed: return "failed";
    case OptimizeStatus::kInterrupted: return "interrupted";
  }
  return {};
}

namespace {

/// {name: number}; without numbers, empty.
Json named(const std::vector<std::string>& names, const VecX& x) {
  Json out = Json::object();
  for (Eigen::Index k = 0; k < x.size(); ++k) out[names[static_cast<std::size_t>(k)]] = x(k);
  return out;
}

Json settings_json(const Design& design) {
  const OptimizeOptions& options = design.options;
  Json out = run_settings_json(design.gradient.run);
  out["method"] = design.gradient.method;
  out["optimizer"] = options.optimizer;
  out["optimize"] = {{"tolerance", options.tolerance},
                     {"objective_tolerance", options.objective_tolerance},
                     {"parameter_tolerance", options.parameter_tolerance},
                     {"constraint_tolerance", options.constraint_tolerance},
                     {"evaluations", options.evaluations},
                     {"seconds", options.seconds > 0 ? Json(options.seconds) : Json(nullptr)},
                     {"starts", options.starts},
                     {"seed", options.seed},
                     {"horizons", design.horizons}};
  return out;
}

/// {objective: weight}, under "minimax" if it is the largest of them that counts.
Json cost_json(const OptimizationProblem& problem) {
  Json weights = Json::object();
  for (const CostTerm& term : problem.cost) {
    weights[problem.rows[static_cast<std::size_t>(term.row)]] = term.weight;
  }
  return problem.minimax ? Json{{"minimax", weights}} : weights;
}

/// The model in numbers at a point, for who draws it.
Json scene_at(const Model& model, const ShownPoint& shown) {
  return scene_json(model, shown.p.empty() ? model.default_physical() : shown.p);
}

/// In the scales of the start the gradient of a point far away may be beyond all numbers: it is left out then, and
/// null where an evaluation failed.
void add_stationarity(double stationarity, bool failed, Json& out) {
  if (failed || std::isfinite(stationarity)) out["projected_gradient"] = stationarity;
}

Json point_json(const Model& model, const Design& design, const ShownPoint& shown) {
  const DesignPoint& point = *shown.point;
  if (!point.known) return nullptr;
  const OptimizationProblem& problem = design.problem;
  Json objectives = named(problem.rows, point.psi), gradient = Json::object();
  for (std::size_t k = 0; k < shown.objectives.size(); ++k) {
    const std::string& name = model.objectives()[k].name;
    if (!objectives.contains(name)) objectives[name] = shown.objectives[k];
  }
  for (Eigen::Index i = 0; i < point.psi_rho.rows(); ++i) {
    gradient[problem.rows[static_cast<std::size_t>(i)]] =
        named(problem.parameters, point.psi_rho.row(i).transpose());
  }
  Json out{{"parameters", named(problem.parameters, point.rho)},
           {"objectives", objectives},
           {"gradient", gradient},
           {"cost", point.cost},
           {"constraint_violation", point.violation}};
  add_stationarity(point.stationarity, false, out);
  out["motion"] = shown.motion.empty() ? Json(nullptr) : Json(shown.motion);
  if (design.horizons.size() > 1) {
    out["horizon"] = design.horizon_of(point.stage);
  }
  out["model"] = scene_at(model, shown);
  return out;
}

Json bounds_json(const OptimizationProblem& problem) {
  Json out = Json::object();
  const auto side = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
  for (std::size_t k = 0; k < problem.parameters.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    out[problem.parameters[k]] = Json::array({side(problem.lower(i)), side(problem.upper(i))});
  }
  return out;
}

Json active_bounds_json(const OptimizationProblem& problem, const StartReport& report) {
  Json out = Json::array();
  for (const ActiveBound& bound : report.active_bounds) {
    out.push_back({{"parameter", problem.parameters[static_cast<std::size_t>(bound.parameter)]},
                   {"side", bound.upper ? "upper" : "lower"},
                   {"multiplier", bound.multiplier}});
  }
  return out;
}

/// Constraints by their objective; those of minimax too, where no constraint has the name.
Json multipliers_json(const OptimizationProblem& problem, const StartReport& report) {
  Json out = Json::object();
  for (std::size_t i = 0; i < report.multipliers.size(); ++i) {
    const int row = problem.constraints[i].row;
    out[problem.rows[static_cast<std::size_t>(row)]] = report.multipliers[i];
  }
  for (std::size_t i = 0; i < report.cost_multipliers.size(); ++i) {
    const std::string& name = problem.rows[static_cast<std::size_t>(problem.cost[i].row)];
    out[out.contains(name) ? name + " (minimax)" : name] = report.cost_multipliers[i];
  }
  return out;
}

Json history_json(const Design& design, const StartReport& report) {
  Json out = Json::array();
  for (const HistoryEntry& entry : report.history) {
    Json row{{"evaluation", entry.evaluation},
             {"iteration", entry.iteration},
             {"parameters", named(design.problem.parameters, entry.rho)},
             {"objectives", named(design.problem.rows, entry.psi)},
             {"cost", entry.cost},
             {"constraint_violation", entry.violation}};
    add_stationarity(entry.stationarity, !entry.failure.empty(), row);
    row["seconds"] = entry.seconds;
    if (design.horizons.size() > 1) {
      row["horizon"] = design.horizon_of(entry.stage);
    }
    if (!entry.failure.empty()) row["failed"] = entry.failure;
    out.push_back(std::move(row));
  }
  return out;
}

Json starts_json(const Design& design, const OptimizationReport& report) {
  Json out = Json::array();
  for (const StartReport& start : report.starts) {
    const bool any = !start.history.empty();
    out.push_back(
        {{"start",
          any ? named(design.problem.parameters, start.history.front().rho) : Json(nullptr)},
         {"parameters",
          start.best.known ? named(design.problem.parameters, start.best.rho) : Json(nullptr)},
         {"cost", start.best.known ? Json(start.best.cost) : Json(nullptr)},
         {"constraint_violation", start.best.known ? Json(start.best.violation) : Json(nullptr)},
         {"evaluations", start.evaluations},
         {"status", word(start.status)},
         {"stopped", start.message}});
  }
  return out;
}

}  // namespace

std::string optimize_json(const Model& model, const Design& design,
                          const OptimizationReport& report, const ShownPoint& start,
                          const ShownPoint& optimum) {
  const StartReport& winner = report.winner();
  Json out{{"model", scene_at(model, optimum)},
           {"settings", settings_json(design)},
           {"minimize", cost_json(design.problem)},
           {"status", word(winner.status)},
           {"stopped", winner.message},
           {"start", point_json(model, design, start)},
           {"optimum", point_json(model, design, optimum)},
           {"bounds", bounds_json(design.problem)},
           {"active_bounds", active_bounds_json(design.problem, winner)},
           {"multipliers", multipliers_json(design.problem, winner)},
           {"constraint_violation", winner.best.violation},
           {"evaluations", report.evaluations()},
           {"iterations", winner.iterations},
           {"seconds", report.seconds},
           {"warnings", warnings_json(optimize_warnings(start, optimum))},
           {"history", history_json(design, winner)},
           {"warnings", warnings_json(optimum.warnings)},
           {"motion", optimum.motion.empty() ? Json(nullptr) : Json(optimum.motion)}};
  if (report.starts.size() > 1) {
    out["best_start"] = report.best;
    out["starts"] = starts_json(design, report);
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::map<std::string, std::string> journal_description(const Model& model, const Design& design) {
  Json fixed = Json::object();
  for (const Parameter& parameter : model.parameters()) {
    const auto& chosen = design.gradient.parameters;
    const bool moves = std::count(chosen.begin(), chosen.end(), parameter.index) > 0;
    if (parameter.index >= 0 && !moves) fixed[parameter.name] = parameter.value;
  }
  return {{"parameters", Json(design.problem.parameters).dump()},
          {"objectives", Json(design.problem.rows).dump()},
          {"fixed parameters", fixed.dump()},
          {"horizons", Json(design.horizons).dump()},
          {"method", design.gradient.method},
          {"settings", run_settings_json(design.gradient.run).dump()}};
}

}  // namespace kinegrad

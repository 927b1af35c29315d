#include <fmt/format.h>

#include <algorithm>

#include "kinegrad/io/optimize_output.hpp"
#include "kinegrad/io/warnings_output.hpp"

namespace kinegrad {

namespace {

std::size_t widest(const std::vector<std::string>& names, std::size_t least) {
  for (const std::string& name : names) least = std::max(least, name.size());
  return least;
}

std::string parameter_rows(const OptimizationProblem& problem, const StartReport& report) {
  const std::size_t width = widest(problem.parameters, std::string_view("parameter").size());
  std::string text =
      fmt::format("  {:<{}}  {:>16}  {:>16}\n", "parameter", width, "start", "optimum");
  for (std::size_t k = 0; k < problem.parameters.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    text += fmt::format("  {:<{}}  {:>16.9g}  {:>16.9g}", problem.parameters[k], width,
                        report.start.rho(i), report.best.rho(i));
    for (const ActiveBound& bound : report.active_bounds) {
      if (bound.parameter != static_cast<int>(k)) continue;
      text += fmt::format("  at its {} bound, multiplier {:.6g}", bound.upper ? "upper" : "lower",
                          bound.multiplier);
    }
    if (report.start.psi_rho.col(i).isZero(0) && report.best.psi_rho.col(i).isZero(0)) {
      text += "  derivatives are zero at both points";
    }
    text += "\n";
  }
  return text;
}

/// The value of objective k of the model at a point that was simulated for it.
std::string value_at(const ShownPoint& shown, const Design& design, std::size_t k) {
  for (std::size_t row = 0; row < design.objectives.size(); ++row) {
    if (design.objectives[row] == static_cast<int>(k)) {
      return fmt::format("{:.9g}", shown.point->psi(static_cast<Eigen::Index>(row)));
    }
  }
  return shown.objectives.empty() ? "" : fmt::format("{:.9g}", shown.objectives[k]);
}

/// What the objective is there for: cost, constraint, or only looked at.
std::string role_of(const Design& design, const StartReport& report, std::size_t k) {
  std::string role;
  const OptimizationProblem& problem = design.problem;
  const auto is = [&](int row) {
    return design.objectives[static_cast<std::size_t>(row)] == static_cast<int>(k);
  };
  for (const CostTerm& term : problem.cost) {
    if (!is(term.row)) continue;
    role += problem.minimax ? "  minimax" : "  minimised";
    if (term.weight != 1) role += fmt::format(", weight {:.6g}", term.weight);
  }
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const RowRange& range = problem.constraints[i];
    if (!is(range.row)) continue;
    if (range.lower == range.upper) {
      role += fmt::format("  equals {:.9g}", range.lower);
    } else {
      if (std::isfinite(range.lower)) role += fmt::format("  at least {:.9g}", range.lower);
      if (std::isfinite(range.upper)) role += fmt::format("  at most {:.9g}", range.upper);
    }
    if (i < report.multipliers.size()) {
      role += fmt::format(", multiplier {:.6g}", report.multipliers[i]);
    }
  }
  return role;
}

std::string objective_rows(const Model& model, const Design& design, const StartReport& report,
                           const ShownPoint& start, const ShownPoint& optimum) {
  std::vector<std::string> names;
  for (const Objective& objective : model.objectives()) names.push_back(objective.name);
  const std::size_t width = widest(names, std::string_view("objective").size());
  std::string text =
      fmt::format("  {:<{}}  {:>16}  {:>16}\n", "objective", width, "start", "optimum");
  for (std::size_t k = 0; k < names.size(); ++k) {
    text += fmt::format("  {:<{}}  {:>16}  {:>16}{}\n", names[k], width, value_at(start, design, k),
                        value_at(optimum, design, k), role_of(design, report, k));
  }
  return text;
}

std::string start_rows(const OptimizationReport& report) {
  std::string text;
  for (std::size_t k = 0; k < report.starts.size(); ++k) {
    const StartReport& start = report.starts[k];
    text += fmt::format(
        "  start {}: {}, {} evaluations, {}{}\n", k + 1,
        start.best.known ? fmt::format("cost {:.9g}", start.best.cost) : "no result",
        start.evaluations, start.message, static_cast<int>(k) == report.best ? " (best)" : "");
  }
  return text;
}

}  // namespace

std::string optimize_text(const Model& model, const Design& design,
                          const OptimizationReport& report, const ShownPoint& start,
                          const ShownPoint& optimum) {
  const StartReport& winner = report.winner();
  const RunOptions& run = design.gradient.run;
  std::string text = fmt::format(
      "{} × {} × {}, {}, {}: {} evaluations, {} iterations in {:.3g} s\n", run.coordinates,
      run.formulation, run.integrator, design.gradient.method, design.options.optimizer,
      report.evaluations(), winner.iterations, report.seconds);
  if (report.starts.size() > 1) text += start_rows(report);
  if (winner.best.known && winner.start.known) {
    text += parameter_rows(design.problem, winner);
    text += objective_rows(model, design, winner, start, optimum);
    text += fmt::format("cost {:.9g} → {:.9g}\n", winner.start.cost, winner.best.cost);
  }
  return text + winner.message + "\n" + warnings_text(optimum.warnings);
}

}  // namespace kinegrad

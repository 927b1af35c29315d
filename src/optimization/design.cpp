#include "kinegrad/optimization/design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "kinegrad/base/error.hpp"
#include "kinegrad/model/physical.hpp"
#include "kinegrad/model/possible_mass.hpp"
#include "kinegrad/optimization/optimizer.hpp"
#include "kinegrad/sensitivity/adjoint.hpp"
#include "kinegrad/sensitivity/forward.hpp"
#include "kinegrad/sensitivity/gradient_method.hpp"

namespace kinegrad {

namespace {

/// Position of the objective among the rows, which it joins if it is new.
int row_of(int objective, std::vector<int>& objectives) {
  const auto it = std::find(objectives.begin(), objectives.end(), objective);
  if (it != objectives.end()) return static_cast<int>(it - objectives.begin());
  objectives.push_back(objective);
  return static_cast<int>(objectives.size()) - 1;
}

/// What the file minimises, or the one objective there is.
std::vector<WeightedObjective> cost_of(const Model& model) {
  if (!model.optimize().minimize.empty()) return model.optimize().minimize;
  if (model.objectives().empty()) {
    throw InvalidArgument("the model has no objectives: there is nothing to minimise");
  }
  if (model.objectives().size() > 1) {
    if (model.optimize().given) {
      throw InvalidModel(model.optimize().where,
                         "optimize: there are " + std::to_string(model.objectives().size()) +
                             " objectives: say which to minimise (minimize)");
    }
    throw InvalidArgument("the model has " + std::to_string(model.objectives().size()) +
                          " objectives: say which to minimise (optimize: minimize)");
  }
  return {{0, 1.0}};
}

std::vector<int> parameters_of(const Model& model, const DesignOptions& options) {
  std::vector<int> chosen = options.parameters;
  if (chosen.empty()) chosen = model.optimize().parameters;
  if (chosen.empty() && !model.optimize().given) {
    for (const Parameter& p : model.parameters()) {
      const bool bounded = std::isfinite(p.lower) || std::isfinite(p.upper);
      if (p.index >= 0 && bounded) chosen.push_back(p.index);
    }
  }
  if (!chosen.empty()) return chosen;
  const std::string message =
      "no parameter has bounds: give some bounds, or name the parameters to optimise "
      "(optimize: parameters, or --parameters)";
  if (!model.optimize().given) throw InvalidArgument(message);
  throw InvalidModel(model.optimize().where, "optimize: " + message);
}

void fill_parameters(const Model& model, const GradientOptions& gradient,
                     OptimizationProblem& problem) {
  const auto n = static_cast<Eigen::Index>(gradient.parameters.size());
  for (VecX* x : {&problem.start, &problem.lower, &problem.upper, &problem.scale}) x->setZero(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const int position = gradient.parameters[static_cast<std::size_t>(k)];
    const Parameter& parameter = parameter_at(model, position);
    problem.parameters.push_back(parameter.name);
    problem.start(k) = parameter.value;
    problem.lower(k) = parameter.lower;
    problem.upper(k) = parameter.upper;
    for (const ParameterScale& scale : model.optimize().scale) {
      if (scale.parameter == position) problem.scale(k) = scale.scale;
    }
  }
}

OptimizeOptions options_of(const Model& model, const DesignOptions& asked,
                           const OptimizationProblem& problem) {
  const OptimizeSection& file = model.optimize();
  OptimizeOptions options;
  const auto choose = [](auto given, auto in_file, auto& field) {
    if (given != 0 || in_file != 0) field = given != 0 ? given : in_file;
  };
  options.optimizer = default_optimizer(!problem.constraints.empty() || problem.minimax);
  if (!file.optimizer.empty()) options.optimizer = file.optimizer;
  if (!asked.optimizer.empty()) options.optimizer = asked.optimizer;
  choose(0.0, file.tolerance, options.tolerance);
  choose(0.0, file.objective_tolerance, options.objective_tolerance);
  choose(0.0, file.parameter_tolerance, options.parameter_tolerance);
  choose(0.0, file.constraint_tolerance, options.constraint_tolerance);
  choose(0.0, file.seconds, options.seconds);
  choose(asked.evaluations, file.evaluations, options.evaluations);
  choose(asked.starts, file.starts, options.starts);
  choose(asked.seed, file.seed, options.seed);
  options.threads = asked.threads;
  return options;
}

/// [OP-7] So many parts a horizon may be reached in; halved four times.
constexpr int kParts = 16;

/// [OP-7] The horizons of the file, then the end of the run.
std::vector<double> horizons_of(const Model& model, double end) {
  std::vector<double> horizons = model.optimize().horizons;
  if (!horizons.empty() && horizons.back() > end) {
    throw InvalidModel(
        model.optimize().horizons_where,
        fmt::format("optimize: horizons: {:.9g} is beyond the end of the run, {:.9g}",
                    horizons.back(), end));
  }
  if (horizons.empty() || horizons.back() < end) horizons.push_back(end);
  return horizons;
}

/// Refuses what no point could be evaluated with, before any is.
void check_pair(const Model& model, const GradientOptions& gradient) {
  gradient.validate(model);
  const Simulator simulator(model, gradient.run);
  make_gradient_method(gradient_method_named(gradient.method), gradient, model,
                       simulator.options());
}

Evaluation evaluate(const Model& model, const Design& design, const EvaluationRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  Evaluation out;
  out.rho = request.rho;
  const auto done = [&](std::string failure) {
    out.failure = std::move(failure);
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return out;
  };
  const std::vector<double> rho = design.full_rho(request.rho);
  std::string impossible = impossible_masses(model, physical_at(model, rho));
  if (!impossible.empty()) return done(std::move(impossible));
  GradientOptions options = design.gradient;
  options.self_check = false;  // an evaluation has no place for warnings
  options.run.end = design.horizon_of(request.stage);
  options.run.go_on = [&](double) { return request.go_on(); };
  try {
    const GradientReport report =
        gradient(model, rho, options, [&](std::string_view, double) { return request.go_on(); });
    out.stopped = report.status == RunStatus::kStopped;
    if (report.status != RunStatus::kDone) {
      out.wrong_input = report.input_wrong();
      return done(report.message.empty() ? "failed" : report.message);
    }
    out.psi = Eigen::Map<const VecX>(report.values.data(),
                                     static_cast<Eigen::Index>(report.values.size()));
    out.psi_rho = report.gradient;
  } catch (const Error& error) {
    return done(error.what());
  }
  return done({});
}

}  // namespace

/// Between two horizons by parts of the way; horizons themselves to the last bit.
double Design::horizon_of(int stage) const {
  if (stage < problem.stages) return horizons[static_cast<std::size_t>(stage)];
  const double position = problem.position_of(stage);
  const auto k = static_cast<std::size_t>(position);
  const double from = k == 0 ? 0 : horizons[k - 1];
  return from + (horizons[k] - from) * (position - static_cast<double>(k));
}

std::vector<double> Design::full_rho(const VecX& chosen) const {
  std::vector<double> all = rho;
  for (std::size_t k = 0; k < gradient.parameters.size(); ++k) {
    all[static_cast<std::size_t>(gradient.parameters[k])] = chosen(static_cast<Eigen::Index>(k));
  }
  return all;
}

std::string cheaper_method(std::size_t parameters, std::size_t objectives) {
  // [OP-9] measured, in runs: forward 2.25 + 0.13 n, adjoint 1.15 + 0.38 k
  return 3 * objectives > 9 + parameters ? std::string(ForwardMethod::name)
                                         : std::string(AdjointMethod::name);
}

std::string impossible_masses(const Model& model, std::span<const double> p) {
  for (std::size_t b = 1; b < model.bodies().size(); ++b) {
    const Body& body = model.bodies()[b];
    std::string refusal = mass_refusal(p[static_cast<std::size_t>(body.mass.mass)]);
    if (refusal.empty()) refusal = inertia_refusal(inertia_at(p, body.mass.inertia));
    if (!refusal.empty()) return fmt::format("body \"{}\": {}", body.name, refusal);
  }
  return {};
}

Design make_design(const Model& model, const DesignOptions& options) {
  Design design;
  OptimizationProblem& problem = design.problem;
  for (const WeightedObjective& term : cost_of(model)) {
    problem.cost.push_back({row_of(term.objective, design.objectives), term.weight});
  }
  problem.minimax = model.optimize().minimax;
  for (const ObjectiveRange& range : model.optimize().constraints) {
    problem.constraints.push_back(
        {row_of(range.objective, design.objectives), range.lower, range.upper});
  }
  for (const int k : design.objectives) {
    problem.rows.push_back(model.objectives()[static_cast<std::size_t>(k)].name);
  }
  GradientOptions& gradient = design.gradient;
  gradient.run = options.run;
  gradient.parameters = parameters_of(model, options);
  gradient.objectives = design.objectives;
  fill_parameters(model, gradient, problem);
  gradient.method = options.method.empty() ? model.optimize().method : options.method;
  if (gradient.method.empty() || gradient.method == "auto") {
    gradient.method = cheaper_method(gradient.parameters.size(), design.objectives.size());
  }
  check_pair(model, gradient);
  gradient.run = Simulator(model, gradient.run).options();
  gradient.run.monitors = false;  // a search has thousands of runs, and shows none of them
  design.horizons =
      gradient.run.only_start ? std::vector<double>{0} : horizons_of(model, gradient.run.end);
  problem.stages = static_cast<int>(design.horizons.size());
  problem.parts = problem.stages > 1 ? kParts : 1;
  design.options = options_of(model, options, problem);
  design.options.validate(problem);
  const VecX rho = model.default_rho();
  design.rho.assign(rho.begin(), rho.end());
  return design;
}

Warnings design_warnings(const Model& model, const Design& design, const VecX& rho,
                         const GoOn& go_on) {
  const auto goes_on = [&] { return !go_on || go_on(); };
  GradientOptions options = design.gradient;
  options.self_check = true;
  options.run.monitors = true;
  options.run.go_on = [&](double) { return goes_on(); };
  try {
    GradientReport report = gradient(model, design.full_rho(rho), options,
                                     [&](std::string_view, double) { return goes_on(); });
    if (report.status == RunStatus::kFailed) {
      report.run.warnings.push_back(
          {"gradient", "the gradient fails: " + report.message, "", Warning{}.t});
    }
    return report.status == RunStatus::kStopped ? Warnings{} : std::move(report.run.warnings);
  } catch (const Error& error) {
    return {{"gradient", std::string("the gradient fails: ") + error.what(), "", Warning{}.t}};
  }
}

Evaluator design_evaluator(const Model& model, const Design& design) {
  return [&model, &design](const EvaluationRequest& request) {
    return evaluate(model, design, request);
  };
}

}  // namespace kinegrad

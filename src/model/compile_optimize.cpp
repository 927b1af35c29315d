// What is to be minimised: names of objectives and parameters to indices, numbers to their ranges.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/model_compiler.hpp"

namespace kinegrad {

/// All of them are kept until the end, with their histories.
constexpr int kMostStarts = 100'000;

int ModelCompiler::optimize_objective(const NameSpec& name) const {
  std::vector<std::string> known;
  for (std::size_t k = 0; k < model_.objectives_.size(); ++k) {
    if (model_.objectives_[k].name == name.name) return static_cast<int>(k);
    known.push_back(model_.objectives_[k].name);
  }
  for (const ObjectiveSpec& wrong : description_.objectives) {
    if (wrong.name == name.name) throw AlreadyReported{};
  }
  fail(name.where, "there is no objective \"" + name.name + "\"" + suggestion(name.name, known));
}

std::vector<int> ModelCompiler::optimize_parameter(const NameSpec& name) const {
  const std::vector<int> found = model_.find_parameters(name.name);
  if (!found.empty()) return found;
  if (parameter_index_.contains(name.name)) {
    fail(name.where, "the parameter \"" + name.name +
                         "\" is an expression of others: optimise those it is made of");
  }
  fail(name.where,
       "there is no parameter \"" + name.name + "\"" + suggestion(name.name, parameter_names()));
}

double ModelCompiler::optimize_number(const std::optional<NumberSpec>& field, const char* name) {
  if (!field) return 0;
  const double value = constant(*field, name);
  if (!(value > 0)) fail(field->where, std::string(name) + " must be positive");
  return value;
}

long ModelCompiler::optimize_count(const std::optional<NumberSpec>& field, const char* name,
                                   long smallest) {
  if (!field) return 0;
  const double value = constant(*field, name);
  constexpr double kMost = 1e9;
  if (value != std::floor(value) || value < static_cast<double>(smallest) || value > kMost) {
    fail(field->where,
         fmt::format("{} must be a whole number, at least {}, at most {}", name, smallest, kMost));
  }
  return static_cast<long>(value);
}

void ModelCompiler::optimize_cost(OptimizeSection& out) {
  const OptimizeSpec& spec = description_.optimize;
  out.minimax = spec.minimax;
  for (const NamedNumberSpec& part : spec.minimize) {
    const int objective = optimize_objective(part.name);
    for (const WeightedObjective& other : out.minimize) {
      if (other.objective == objective) {
        fail(part.name.where, "minimize: \"" + part.name.name + "\" is named twice");
      }
    }
    const double weight = constant(part.number, "minimize");
    if (weight == 0) fail(part.number.where, "minimize: a weight is zero");
    out.minimize.push_back({objective, weight});
  }
  if (!out.minimize.empty()) return;
  if (model_.objectives_.size() == 1) {
    out.minimize.push_back({0, 1.0});
  } else {
    fail(spec.where, model_.objectives_.empty()
                         ? "the model has no objectives: there is nothing to minimise"
                         : "say which of the objectives to minimize");
  }
}

void ModelCompiler::optimize_parameters(OptimizeSection& out) {
  for (const NameSpec& name : description_.optimize.parameters) {
    for (const int k : optimize_parameter(name)) {
      if (std::count(out.parameters.begin(), out.parameters.end(), k)) {
        fail(name.where, "parameters: \"" + name.name + "\" is named twice");
      }
      out.parameters.push_back(k);
    }
  }
  if (!out.parameters.empty()) return;
  for (const Parameter& p : model_.parameters_) {
    if (p.index >= 0 && (std::isfinite(p.lower) || std::isfinite(p.upper))) {
      out.parameters.push_back(p.index);
    }
  }
  // none: an error where they are needed, because the command line may name some
}

ObjectiveRange ModelCompiler::optimize_range(const ObjectiveRangeSpec& spec) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ObjectiveRange range{optimize_objective(spec.objective), -kInfinity, kInfinity,
                       spec.objective.where};
  const std::string label = "constraints: \"" + spec.objective.name + "\": ";
  if (spec.equals && (spec.at_least || spec.at_most)) {
    fail(spec.objective.where, label + "\"equals\" goes without at_least and at_most");
  }
  if (spec.equals) range.lower = range.upper = constant(*spec.equals, label + "equals");
  if (spec.at_least) range.lower = constant(*spec.at_least, label + "at_least");
  if (spec.at_most) range.upper = constant(*spec.at_most, label + "at_most");
  if (!spec.equals && !spec.at_least && !spec.at_most) {
    fail(spec.objective.where, label + "needs at_least, at_most or equals");
  }
  if (range.lower > range.upper) fail(spec.objective.where, label + "at_least is above at_most");
  return range;
}

void ModelCompiler::optimize_scale(OptimizeSection& out) {
  for (const NamedNumberSpec& part : description_.optimize.scale) {
    const double scale = constant(part.number, "scale");
    if (!(scale > 0)) fail(part.number.where, "scale: must be positive");
    for (const int k : optimize_parameter(part.name)) out.scale.push_back({k, scale});
  }
}

void ModelCompiler::optimize_horizons(OptimizeSection& out) {
  const double end = model_.analysis_.end;
  for (const NumberSpec& spec : description_.optimize.horizons) {
    const double horizon = constant(spec, "horizons");
    const double last = out.horizons.empty() ? 0 : out.horizons.back();
    if (!(horizon > last)) fail(spec.where, "horizons: must be positive and increase");
    if (end > 0 && horizon > end) {
      fail(spec.where,
           fmt::format("horizons: {:.9g} is beyond the end of the run, {:.9g}", horizon, end));
    }
    out.horizons.push_back(horizon);
    out.horizons_where = spec.where;
  }
}

void ModelCompiler::compile_optimize() {
  const OptimizeSpec& spec = description_.optimize;
  if (!spec.given) return;
  OptimizeSection& out = model_.optimize_;
  out.given = true;
  out.where = spec.where;
  const auto part = [&](const std::function<void()>& body) { guard("optimize", spec.where, body); };
  part([&] { optimize_cost(out); });
  part([&] { optimize_parameters(out); });
  for (const ObjectiveRangeSpec& range : spec.constraints) {
    part([&] { out.constraints.push_back(optimize_range(range)); });
  }
  part([&] { optimize_scale(out); });
  part([&] { optimize_horizons(out); });
  const auto number = [&](const std::optional<NumberSpec>& field, const char* name, double& value) {
    part([&] { value = optimize_number(field, name); });
  };
  number(spec.tolerance, "tolerance", out.tolerance);
  part([&] {
    if (out.tolerance >= 1) fail(spec.tolerance->where, "tolerance must be below 1");
  });
  number(spec.objective_tolerance, "objective_tolerance", out.objective_tolerance);
  number(spec.parameter_tolerance, "parameter_tolerance", out.parameter_tolerance);
  number(spec.constraint_tolerance, "constraint_tolerance", out.constraint_tolerance);
  number(spec.seconds, "seconds", out.seconds);
  part([&] {
    out.evaluations = static_cast<int>(optimize_count(spec.evaluations, "evaluations", 1));
  });
  part([&] {
    out.starts = static_cast<int>(optimize_count(spec.starts, "starts", 1));
    if (out.starts > kMostStarts) {
      fail(spec.starts->where, fmt::format("starts must be at most {}", kMostStarts));
    }
  });
  part([&] { out.seed = optimize_count(spec.seed, "seed", 0); });
  if (spec.optimizer) out.optimizer = spec.optimizer->name;
  if (spec.optimizer) out.optimizer_where = spec.optimizer->where;
  if (spec.method) out.method = spec.method->name;
  if (spec.starts) out.starts_where = spec.starts->where;
}

}  // namespace kinegrad

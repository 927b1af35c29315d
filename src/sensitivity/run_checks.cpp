#include "sensitivity/run_checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kinegrad/base/error.hpp"

namespace kinegrad {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

GradientOptions options_for(const std::string& method, GradientOptions options) {
  options.method = method;
  const GradientMethodEntry& entry = gradient_method_named(method);
  const GradientOptions defaults;
  if (!entry.reads("memory")) options.memory = defaults.memory;
  if (entry.reads("adjoint_step")) return options;
  options.adjoint_step = defaults.adjoint_step;
  options.adjoint_approach = defaults.adjoint_approach;
  return options;
}

MethodRun run_method(const std::string& name, const Model& model, std::span<const double> rho,
                     const GradientOptions& options, const GradientWatch& watch,
                     const Observer& observer) {
  MethodRun out{name, {}, {}, {}};
  try {
    out.report = gradient(model, rho, options_for(name, options), watch, observer);
    if (out.report->status != RunStatus::kDone) out.failure = out.report->message;
  } catch (const InvalidArgument& error) {
    out.refusal = error.what();
  }
  return out;
}

namespace {

/// |ρ_j|, 1 where it vanishes, of column j.
double parameter_size(std::span<const double> rho, const GradientReport& report, std::size_t j) {
  const double x = std::abs(rho[static_cast<std::size_t>(report.parameters[j])]);
  return x == 0 ? 1.0 : x;
}

double largest_of(std::span<const double> rho, const GradientReport& report, std::size_t row) {
  double most = 0;
  for (std::size_t j = 0; j < report.parameters.size(); ++j) {
    const double slope =
        report.gradient(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(j));
    if (std::isfinite(slope)) {
      most = std::max(most, std::abs(slope) * parameter_size(rho, report, j));
    }
  }
  return most;
}

}  // namespace

double row_size(std::span<const double> rho, const GradientReport& report, std::size_t objective) {
  constexpr double kNothing = 1e-8;
  return std::max(kNothing * (1 + std::abs(report.values[objective])),
                  largest_of(rho, report, objective));
}

double rounding_of(std::span<const double> rho, const GradientReport& report) {
  constexpr double kSummed = 1e-13;
  double most = 1;
  for (std::size_t i = 0; i < report.objectives.size(); ++i) {
    most = std::max({most, std::abs(report.values[i]), largest_of(rho, report, i)});
  }
  return kSummed * most;
}

RowDifference row_difference(const Model& model, std::span<const double> rho,
                             const GradientReport& expected, const GradientReport& actual,
                             std::size_t objective) {
  const auto row = static_cast<Eigen::Index>(objective);
  const double scale = row_size(rho, expected, objective);
  const double rounding = kRunRounding + rounding_of(rho, expected) / scale;
  RowDifference out;
  double worst = -kInfinity;  // above what is allowed
  for (std::size_t j = 0; j < expected.parameters.size(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    const double size = parameter_size(rho, expected, j) / scale;
    double d = std::abs(actual.gradient(row, column) - expected.gradient(row, column)) * size;
    double allowed = rounding;
    for (const GradientReport* one : {&actual, &expected}) {  // those that estimate their error
      if (one->error.size()) allowed += one->error(row, column) * size;
    }
    if (!std::isfinite(d) || !std::isfinite(allowed)) {
      d = kInfinity;
      allowed = rounding;
    }
    if (d - allowed <= worst) continue;
    worst = d - allowed;
    out = {d, allowed, "by " + parameter_at(model, expected.parameters[j]).name, rounding};
  }
  return out;
}

DerivativeCheck line_of(const Model& model, const GradientReport& of, std::size_t objective,
                        const MethodRun& method, std::string against) {
  const auto k = static_cast<std::size_t>(of.objectives[objective]);
  DerivativeCheck line{"objective \"" + model.objectives()[k].name + "\", " + method.name,
                       std::move(against),
                       0,
                       kRunRounding,
                       method.failure,
                       method.refusal};
  if (!method.failure.empty()) line.difference = kInfinity;
  return line;
}

void compare_runs(const Model& model, std::span<const double> rho, const MethodRun& reference,
                  const MethodRun& method, std::vector<DerivativeCheck>& out) {
  const GradientReport& expected = *reference.report;
  for (std::size_t i = 0; i < expected.objectives.size(); ++i) {
    DerivativeCheck line = line_of(model, expected, i, method, reference.name);
    if (method.done()) {
      const RowDifference found = row_difference(model, rho, expected, *method.report, i);
      line.difference = found.difference;
      line.allowed = found.allowed;
      line.where = found.where;
    }
    out.push_back(line);
  }
}

}  // namespace kinegrad

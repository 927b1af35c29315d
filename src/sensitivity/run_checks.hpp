// Gradients of a whole run by several methods, and how far they are apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kinegrad/sensitivity/derivative_checker.hpp"

namespace kinegrad {

/// Exact derivatives of a run differ by this, after rounding of all its steps.
inline constexpr double kRunRounding = 1e-8;

/// A gradient by one method, or why there is none.
struct MethodRun {
  std::string name;
  std::optional<GradientReport> report;
  std::string refusal;  ///< it does not take the model or the run
  std::string failure;  ///< it should have
  bool stopped() const { return report && report->status == RunStatus::kStopped; }
  bool done() const { return refusal.empty() && failure.empty(); }
};

/// Those of a method: a step and an approach of the adjoint are for the continuous one alone, a bound on
/// the memory for those that keep steps.
GradientOptions options_for(const std::string& method, GradientOptions options);

MethodRun run_method(const std::string& name, const Model& model, std::span<const double> rho,
                     const GradientOptions& options, const GradientWatch& watch,
                     const Observer& observer = {});

/// The largest difference between two gradients of one objective, in relative changes of the
/// parameters and over the largest of them.
struct RowDifference {
  double difference = 0;
  double allowed = kRunRounding;  ///< with the errors that the methods estimate
  std::string where;
  double rounding = kRunRounding;  ///< without them
};
RowDifference row_difference(const Model& model, std::span<const double> rho,
                             const GradientReport& expected, const GradientReport& actual,
                             std::size_t objective);

/// The size that derivatives of an objective are compared with: the largest, in relative changes of the
/// parameters, but not less than what is nothing beside its value.
double row_size(std::span<const double> rho, const GradientReport& report, std::size_t objective);
/// What rounding leaves of a number that vanishes among those of the gradient [CK-2].
double rounding_of(std::span<const double> rho, const GradientReport& report);

/// A line of the table for an objective of a run, with the method's refusal or failure.
DerivativeCheck line_of(const Model& model, const GradientReport& of, std::size_t objective,
                        const MethodRun& method, std::string against);

/// Adds a line per objective, of exact methods.
void compare_runs(const Model& model, std::span<const double> rho, const MethodRun& reference,
                  const MethodRun& method, std::vector<DerivativeCheck>& out);

}  // namespace kinegrad

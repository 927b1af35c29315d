// What a method of `kinegrad gradient` is: it fills the columns of a gradient from the steps that a
// simulation took. A new method is its file and its line in the list of all.cpp (docs/howto/add_a_gradient_method.md).
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "kinegrad/ports/loaded_tree.hpp"
#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad {

class SampledSteps;
class StartPartials;

/// A run to differentiate.
struct GradientTask {
  const Model& model;
  const GradientOptions& options;
  std::vector<double> rho;
  StepPlan plan;  ///< the steps of the run
  std::vector<double> p;
  const Trajectory* trajectory = nullptr;  ///< the steps, for methods that want them
  const StartSets* start = nullptr;        ///< and what their start solved for
  StageRule rule = {};                     ///< what their formulation solved
  SampledSteps* samples = nullptr;  ///< sees every step that is differentiated; null: nobody does
  const LoadedTree<double>* constants = nullptr;  ///< of the run at p, to be shared; null: there are none
};

class GradientMethod {
 public:
  virtual ~GradientMethod() = default;
  /// Whether it differentiates the steps that the simulation kept.
  virtual bool wants_trajectory() const { return false; }
  /// Whether it finds the objectives' values and the norms of the constraints itself, on its way through
  /// the steps.
  virtual bool tallies() const { return false; }
  /// Whether its gradient is that of the recorded steps, up to rounding.
  virtual bool exact() const { return tallies(); }
  /// Fills the columns that are not finished yet and marks them. Settings, columns and rows are in
  /// the report; a failure or a stop goes there as well.
  virtual void differentiate(const GradientTask& task, const GradientWatch& watch,
                             GradientReport& report) const = 0;
};

/// @throws InvalidArgument if the method cannot take the run.
std::unique_ptr<GradientMethod> make_gradient_method(const GradientMethodEntry& entry,
                                                     const GradientOptions& options,
                                                     const Model& model, const RunOptions& run);

/// The rows of a gradient from p̄ of every objective, which finishes all columns.
void fill_rows(const GradientTask& task, std::span<const std::vector<double>> p_bar,
               GradientReport& report);

/// Linearises the start of the run; answers why it has no derivative with respect to the parameters of the report, nothing
/// if it has one.
std::string linearize_start(const GradientTask& task, const GradientReport& report,
                            StartPartials& start);

/// How a method that goes through the steps ends early, always false: there is no derivative at t; the
/// start has none; it was asked to stop.
bool no_derivative_at(double t, GradientReport& report);
bool no_derivative_of_start(const std::string& why, GradientReport& report);
bool stopped_at(double t, GradientReport& report);

/// Told which part of a column is done; false asks to stop.
using ColumnWatch = std::function<bool(double part)>;
/// Computes one column into the report; its runs end as the answer says.
using ColumnMethod = std::function<RunReport(Eigen::Index column, const ColumnWatch& watch)>;

/// The loop of methods that go parameter by parameter: over the columns that are not finished, until
/// one fails or the watch asks to stop.
void fill_columns(const GradientTask& task, const GradientWatch& watch, const ColumnMethod& method,
                  GradientReport& report);

}  // namespace kinegrad

// A run on a given sequence of steps, for real and for complex numbers: the steps that a Simulator
// chose are data here, so that ψ is a smooth function of ρ and derivatives of it are exact for the
// discretised run (docs/theory/sensitivity_methods.md).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kinegrad/simulation/objectives.hpp"
#include "kinegrad/simulation/run.hpp"
#include "kinegrad/simulation/run_start.hpp"
#include "kinegrad/simulation/step_plan.hpp"

namespace kinegrad {

/// The options of a run whose differences or derivatives are wanted: implicit steps are solved to
/// round-off, because what Newton's method leaves open is noise to a derivative.
RunOptions options_for_derivatives(RunOptions options);

/// Called after every step with its time; false asks the run to stop.
using ReplayWatch = std::function<bool(double t)>;

template <Scalar T>
class Replay {
 public:
  /// `options` as a Simulator has completed them, `plan` as it recorded it. The model must outlive
  /// the replay. @throws InvalidArgument
  Replay(const Model& model, const RunOptions& options, StepPlan plan);

  /// From the start at p(ρ) to the last of the times. May be repeated at will.
  RunReport run(std::span<const T> rho, const ReplayWatch& watch = {});

  /// ψ of the run.
  const std::vector<T>& objectives() const { return values_; }
  /// The first of them that was not finite on the way.
  const typename ObjectiveIntegral<T>::NotFinite& not_finite() const {
    return objectives_.not_finite();
  }
  /// Where it ended.
  const StepState<T>& end() const { return x0_; }

 private:
  StepReport take(double h, NewtonStart recorded, RunReport& report);
  void steps(const ReplayWatch& watch, RunReport& report);

  const Model& model_;
  StepPlan plan_;
  std::unique_ptr<LoadedTree<T>> constants_;  // null in natural coordinates
  RunStart<T> start_;
  std::unique_ptr<Formulation<T>> formulation_;
  std::unique_ptr<StepMap<T>> map_;
  ObjectiveIntegral<T> objectives_;
  DesignMap::Workspace<T> work_;
  std::vector<T> p_, values_;
  std::vector<QuadratureNode<T>> nodes_;
  StepState<T> x0_, x1_;
};

}  // namespace kinegrad

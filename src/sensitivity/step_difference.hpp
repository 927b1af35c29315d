// Differences of the maps that a run is made of, at its own steps (docs/theory/self_check.md): the start and
// a recorded step are evaluated beside where the run was, along one direction of parameters and state,
//
//   D(ε) = (S(x₀⁺; p⁺) − S(x₀⁻; p⁻))/2ε,      δx₀ = (x₀⁺ − x₀⁻)/2ε,     p± = P(ρ ± ε δρ)          [SC-1]
//
// with x₀± of [SC-2]. δx₀ is taken from the states themselves, so that no derivative is needed for it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kinegrad/sensitivity/gradient_method.hpp"
#include "kinegrad/sensitivity/sampled_steps.hpp"
#include "kinegrad/simulation/run_start.hpp"
#include "sensitivity/neighbour_states.hpp"

namespace kinegrad {

/// A map evaluated on both sides.
struct MapDifference {
  double epsilon = 0;
  bool usable = false;
  const char* obstacle = "";  ///< why it is not
  StateTangent from;          ///< δx₀, one column; empty for a start
  StateTangent to;            ///< D
  /// (S⁺ + S⁻ − 2S)/2ε: how far the slopes ahead and behind are from D, by curvature, noise or a kink.
  StateTangent bend;
};

class StepDifferences {
 public:
  /// Of the run of a task, along dρ (as long as ρ). All must outlive the object.
  StepDifferences(const GradientTask& task, const RunOptions& run, std::span<const double> d_rho);

  /// A difference for each of the steps. `again`: S itself is evaluated as well, where Newton's method of
  /// the run may have left something open; else it is what the run recorded.
  std::vector<MapDifference> of(std::span<const SampledStep* const> steps, double epsilon,
                                bool again);
  /// The first state of the run, its accelerations and multipliers included.
  MapDifference of_start(const StepState<double>& x0, double epsilon);
  /// The equations at the parameters of the run.
  MechanicalSystem<double>& system();

 private:
  /// All of it at p(ρ + distance·dρ).
  void take_parameters(double distance);
  void set_parameters(std::span<const double> p);
  /// Empty, or why there is no such step beside the recorded one.
  const char* step(const SampledStep& from, const StepState<double>& x0, StepState<double>& x1);
  StepState<double> direction(const SampledStep& step) const;

  const GradientTask& task_;
  RunOptions run_;
  std::vector<double> d_rho_, rho_, p_;
  DesignMap::Workspace<double> work_;
  std::unique_ptr<LoadedTree<double>> constants_;  // at p_; null in natural coordinates
  RunStart<double> start_;
  NeighbourStates states_;  // in the system of start_
  std::unique_ptr<Formulation<double>> formulation_;
  std::unique_ptr<StepMap<double>> map_;
};

}  // namespace kinegrad

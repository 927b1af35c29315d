// The optimisation of a model: its `optimize` section, with what a user changes of it, as a problem and
// the evaluator that answers it with simulations and their gradients.
#pragma once

#include <string>
#include <vector>

#include "kinegrad/optimization/optimize.hpp"
#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad {

/// How a model is to be optimised; what is empty or zero is as the model says, or the default.
struct DesignOptions {
  RunOptions run;
  std::string method;           ///< empty or auto: chosen [OP-9]
  std::vector<int> parameters;  ///< positions in ρ
  std::string optimizer;
  int evaluations = 0, starts = 0, threads = 1;
  long seed = 0;
};

/// A model's optimisation, ready to run.
struct Design {
  OptimizationProblem problem;
  OptimizeOptions options;
  GradientOptions gradient;      ///< of the last stage
  std::vector<int> objectives;   ///< rows of ψ, as indices into Model::objectives()
  std::vector<double> horizons;  ///< end of the run, by stage
  std::vector<double> rho;       ///< all of ρ, at the start

  /// All of ρ with the optimised ones put in.
  std::vector<double> full_rho(const VecX& chosen) const;
  /// [OP-7] The end of the run at a stage, those between included.
  double horizon_of(int stage) const;
};

/// @throws InvalidArgument, InvalidModel
Design make_design(const Model& model, const DesignOptions& options);

/// One simulation and its gradient at every question. Model and design must outlive it.
Evaluator design_evaluator(const Model& model, const Design& design);

/// What the gradient at a point of the last stage says of itself, which no evaluation of a search has time for: monitors,
/// kinks, self-check. Where it fails, that is a warning, too; where it is stopped there are none.
Warnings design_warnings(const Model& model, const Design& design, const VecX& rho,
                         const GoOn& go_on = {});

/// [OP-9] forward or adjoint, whichever costs less.
std::string cheaper_method(std::size_t parameters, std::size_t objectives);

/// Why bodies cannot have the mass properties of p; empty if they can. A simulation would run on with a
/// mass below zero, and an optimiser would find that attractive.
std::string impossible_masses(const Model& model, std::span<const double> p);

}  // namespace kinegrad

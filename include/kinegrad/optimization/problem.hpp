// What is to be optimised, in the user's units (docs/theory/optimization.md):
//
//   min Σ w_k ψ_k(ρ)   or   min max_k w_k ψ_k(ρ)                                                  [OP-1]
//   with   ρ_l ≤ ρ ≤ ρ_u   and   ψ_l ≤ ψ_j(ρ) ≤ ψ_u   of chosen j
//
// and what answers: ψ(ρ) and ψ_ρ(ρ), from a simulation or from any other function.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kinegrad/math/scalar.hpp"

namespace kinegrad {

/// w ψ of one row of ψ.
struct CostTerm {
  int row = 0;
  double weight = 1;
};

/// lower ≤ ψ ≤ upper of one row; an equation where they are the same.
struct RowRange {
  int row = 0;
  double lower, upper;
};

struct OptimizationProblem {
  std::vector<std::string> parameters;  ///< names of ρ
  VecX start, lower, upper;             ///< ∓∞ where there is no bound
  VecX scale;                           ///< what ρ changes by, about; 0: automatic [OP-3]
  std::vector<std::string> rows;        ///< names of ψ
  std::vector<CostTerm> cost;
  bool minimax = false;
  std::vector<RowRange> constraints;
  int stages = 1;  ///< problems to be solved one after the other, each from the optimum before
  /// [OP-7] A stage that has no value at the optimum before is reached in shorter increments, whole numbers of
  /// such parts of it; 1: never.
  int parts = 1;

  /// The number of the stage that is `part` of `parts` of the way from the stage before to `stage`. Those
  /// between follow the others, so that `stage` itself has its own number.
  int stage_at(int stage, int part) const {
    return part == parts ? stage : stages + stage * (parts - 1) + part - 1;
  }
  /// How many there are, those between included.
  int all_stages() const { return stages * parts; }
  /// How far a stage is, in whole stages.
  double position_of(int stage) const;
  /// Sizes, bounds, rows. @throws InvalidArgument
  void validate() const;
  /// Σ w ψ, or the largest w ψ.
  double cost_of(const VecX& psi) const;
  /// By how much the constraints are missed at most, in the units of ψ.
  double violation_of(const VecX& psi) const;
};

/// ψ and ψ_ρ at ρ, or why there are none.
struct Evaluation {
  VecX rho, psi;
  MatX psi_rho;
  double seconds = 0;
  std::string failure;       ///< empty: it went well
  bool stopped = false;      ///< it was told to stop; it says nothing then
  bool wrong_input = false;  ///< the failure is the fault of what the user wrote

  bool usable() const { return failure.empty() && !stopped; }
};

/// A question to the model.
struct EvaluationRequest {
  const VecX& rho;
  int stage = 0;
  const std::function<bool()>& go_on;  ///< false: give up and answer "stopped"
};

/// Must be callable from several threads at once, and give the same bits for the same ρ and stage.
using Evaluator = std::function<Evaluation(const EvaluationRequest&)>;

}  // namespace kinegrad

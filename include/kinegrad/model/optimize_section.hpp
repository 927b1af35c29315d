// The `optimize` section of a model, resolved: what is to be minimised over which parameters, and how
// far. What the words mean is settled by the layers that know the optimisers.
#pragma once

#include <string>
#include <vector>

#include "kinegrad/base/diagnostic.hpp"

namespace kinegrad {

/// An objective with its weight.
struct WeightedObjective {
  int objective = 0;  ///< index into Model::objectives()
  double weight = 1;
};

/// lower ≤ ψ ≤ upper; an equation where both are the same.
struct ObjectiveRange {
  int objective = 0;
  double lower, upper;  ///< ∓∞ where not given
  SourceLocation where;
};

/// What a parameter changes by, about: the unit it is measured in by an optimiser.
struct ParameterScale {
  int parameter = 0;  ///< position in ρ
  double scale = 1;
};

/// Defaults of an optimisation; zero, empty or none where the file is silent.
struct OptimizeSection {
  bool given = false;  ///< the file has the section
  std::vector<WeightedObjective> minimize;
  bool minimax = false;         ///< the largest of them, not their sum
  std::vector<int> parameters;  ///< positions in ρ
  std::vector<ObjectiveRange> constraints;
  std::string optimizer, method;
  double tolerance = 0, objective_tolerance = 0, parameter_tolerance = 0, constraint_tolerance = 0;
  double seconds = 0;
  int evaluations = 0, starts = 0;
  long seed = 0;
  std::vector<ParameterScale> scale;
  std::vector<double> horizons;
  SourceLocation where, optimizer_where, starts_where, horizons_where;
};

}  // namespace kinegrad

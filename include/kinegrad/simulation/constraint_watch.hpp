// How far a run strays from its constraints: the largest |Φ|, |Φ̇|, |Φ̈| of all states seen,
// normalisations of Euler parameters included.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "kinegrad/assembly/system_partials.hpp"
#include "kinegrad/integrators/step_map.hpp"
#include "kinegrad/model/model.hpp"
#include "kinegrad/ports/loaded_tree.hpp"
#include "kinegrad/simulation/monitors.hpp"

namespace kinegrad {

/// |Φ|, |Φ̇|, |Φ̈| of a state that the system has evaluated, normalisations of Euler parameters included.
ConstraintNorms constraint_norms(const StepState<double>& x,
                                 const MechanicalSystem<double>& system);

class ConstraintWatch {
 public:
  /// The model must outlive it, and constants at p if there are any, which it reads then.
  ConstraintWatch(const Model& model, std::span<const double> p,
                  const LoadedTree<double>* constants = nullptr);

  void see(const StepState<double>& x);
  /// The same with equations that were evaluated at that state.
  void see(const StepState<double>& x, const SystemPartials& there);
  const ConstraintNorms& norms() const { return norms_; }

 private:
  void take(const StepState<double>& x, const VecX& Phi, const VecX& Phi_dot, const VecX& Phi_ddot);

  std::vector<int> euler_;
  const Model& model_;
  std::vector<double> p_;
  const LoadedTree<double>* constants_;
  std::unique_ptr<MechanicalSystem<double>> system_;  // made when it is needed
  ConstraintNorms norms_{0, 0, 0};
};

}  // namespace kinegrad

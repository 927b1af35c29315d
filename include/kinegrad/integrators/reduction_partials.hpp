// Derivatives of what a step integrates, y, ẏ, ÿ and its own accelerations w, with respect to the state
// it begins with: the state itself, unless the model names points [SD-3].
#pragma once

#include <optional>

#include "kinegrad/formulations/named_motion.hpp"
#include "kinegrad/integrators/step_partials.hpp"

namespace kinegrad {

class ReductionPartials {
 public:
  /// `lags`: a step has accelerations w that are not those of the motion.
  ReductionPartials(const StageRule& rule, const SystemPartialsFactory& make_system, bool lags);

  /// Takes the state that a step begins with.
  void linearize(const StepState<double>& x0);
  /// Of the state with its tangents; somebody's memory until either changes.
  struct Tangent {
    const MatX &y, &ydot, &yddot, &own;
  };
  Tangent tangent(const DesignJacobian& design, const StateTangent& x);
  /// x̄ from the cotangents of what is integrated; adds to p̄. Without `own` it leaves that of x̄.
  void adjoint(const IntegratedCotangent& integrated, StateCotangent& x, std::span<double> p);

 private:
  std::optional<NamedMotion> state_, lagging_;  // none: all coordinates are integrated
  MatX y_, ydot_, yddot_, own_;
  VecX yddot_bar_, zero_;
};

}  // namespace kinegrad

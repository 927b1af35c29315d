// Derivatives of one solved stage, whatever a step integrates (docs/theory/step_derivatives.md): from
// those of the predictors ŷ and ẏ̂ to those of the state found, and back. y is q itself, or f(q) where
// the model names points [ST-8].
#pragma once

#include <memory>
#include <span>

#include "kinegrad/assembly/system_partials.hpp"
#include "kinegrad/formulations/stage_rule.hpp"
#include "kinegrad/math/pattern_matrix.hpp"
#include "kinegrad/model/design_jacobian.hpp"

namespace kinegrad {

class StageRows;

/// Derivatives of a state, a column per parameter.
struct StateTangent {
  MatX q, v, a, lambda, own;
  void resize(int n, int m, int parameters);
};

/// Cotangents of a state.
struct StateCotangent {
  VecX q, v, a, lambda, own;
  void set_zero(int n, int m);
  StateCotangent& operator+=(const StateCotangent& other);
};

/// Cotangents of what is integrated of a state; `own` where a step has such accelerations.
struct IntegratedCotangent {
  VecX y, ydot, yddot, own;
  void set_zero(int n);
};

/// A state as the partials take it.
struct StagePoint {
  double t = 0;
  std::span<const double> q, v, a, lambda;
};

class SolvedStage {
 public:
  virtual ~SolvedStage() = default;

  /// Size of y as derivatives count it: all coordinates, dependent ones too, or those that are named.
  virtual int integrated() const = 0;
  /// At a solved stage, which must stay where it is until the next; coefficients 0 where accelerations
  /// are solved for at given q and v. False if a matrix is singular: there is no derivative.
  virtual bool linearize(const StagePoint& x, double c_q, double c_v,
                         const CoordinateSelection* selection) = 0;
  /// The derivatives with respect to parameters that tangents need; after linearize().
  virtual void take_parameters(const DesignJacobian& design) = 0;
  /// dq, dv, da, dλ from those of the predictors.
  virtual void tangent(const MatX& dy, const MatX& dydot, StateTangent& out) = 0;
  /// dẏ and dÿ that belong to what tangent() found last.
  struct Rates {
    const MatX &ydot, &yddot;
  };
  virtual Rates rates(const StateTangent& x) const = 0;
  /// Adds to ȳ and ẏ̄ of the predictors and to p̄, from cotangents of the state and of what is
  /// integrated of it; x̄ is spoiled.
  virtual void adjoint(StateCotangent& x, const IntegratedCotangent& integrated,
                       std::span<double> y, std::span<double> ydot, std::span<double> p) = 0;

  /// da and dλ where q and v are given: linearized with 0.
  virtual void tangent_at(StateTangent& x) = 0;
  /// x̄ with cotangents of a and λ, then of q and v; adds to p̄.
  virtual void adjoint_at(StateCotangent& x, std::span<double> p) = 0;

  /// Other accelerations w that are lifted to the constraints at the same q and v, Φ̈(q, v, w) = 0:
  /// `x` is the state with them. Where coordinates are not independent, nothing is lifted.
  virtual void linearize_lift(const StagePoint& x) = 0;
  virtual void take_lift_parameters(const DesignJacobian& design) = 0;
  /// dw of all from that of the integrated ones; dq and dv as tangent() gave them.
  virtual void lift_tangent(const StateTangent& x, const MatX& dw_integrated, MatX& dw) = 0;
  /// w̄ of the integrated ones from that of all; adds to q̄, v̄ and p̄.
  virtual void lift_adjoint(StateCotangent& x, const VecX& w, VecX& w_integrated,
                            std::span<double> p) = 0;

  /// M and the rows of the state linearized last.
  virtual const PatternMatrix& mass() const = 0;
  virtual const StageRows& rows() const = 0;
};

/// What the rule of a formulation asks for; the system, which must outlive it, has the rows of
/// row_set(rule).
std::unique_ptr<SolvedStage> make_solved_stage(SystemPartials& system, const StageRule& rule);
RowSet row_set(const StageRule& rule);

}  // namespace kinegrad

// Derivatives of one step of a run, forwards and backwards (docs/theory/step_derivatives.md).
//
//   dx₁ = A dx₀ + B dρ                x̄₀ = Aᵀx̄₁,   p̄ += …                                      [SD-1]
//
// A step is remembered as it was made: states, stages, the choice of independent coordinates. Its
// derivatives are those of the equations it solved, so they are exact where these were solved to
// round-off.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kinegrad/formulations/finish_partials.hpp"
#include "kinegrad/integrators/step_map.hpp"

namespace kinegrad {

/// What a step leaves behind for its derivatives; the memory is somebody else's.
struct StepRecord {
  double h = 0;
  const StepState<double>* x0 = nullptr;
  const StepState<double>* x1 = nullptr;
  /// Implicit: v, a and λ that Newton's method found, x₁ itself if nothing came after.
  const StepState<double>* before = nullptr;
  /// Runge-Kutta methods: the stages between x₀ and the end.
  std::span<const StepState<double>> stages;
  /// Null: all coordinates are integrated.
  const CoordinateSelection* selection = nullptr;
};

/// A state as the partials of stages take it.
StagePoint stage_point(const StepState<double>& x);
/// The end of an implicit step as Newton's method found it.
StagePoint point_before(const StepRecord& record);
/// A state with a step's own accelerations.
StagePoint lagging_point(const StepState<double>& x);

/// A state of a step at which integrands are evaluated.
struct RecordedNode {
  double weight = 0;
  const StepState<double>* state = nullptr;
  int stage = 0;  ///< 0: x₀, kEnd: x₁, else an inner one
  static constexpr int kEnd = -1;
};

class StepPartials {
 public:
  virtual ~StepPartials() = default;

  /// The quadrature of a recorded step.
  virtual void nodes(const StepRecord& record, std::vector<RecordedNode>& out) const;

  /// Derivatives of the accelerations and multipliers that start a run from dq and dv.
  virtual bool start_tangent(const StepState<double>& x0, const CoordinateSelection* selection,
                             const DesignJacobian& design, StateTangent& x) = 0;
  virtual bool start_adjoint(const StepState<double>& x0, const CoordinateSelection* selection,
                             StateCotangent& x, std::span<double> p) = 0;

  /// x from dx₀ to dx₁; visit(stage, dx) sees the inner nodes. False if there is no derivative.
  using VisitTangent = std::function<void(int, const StateTangent&)>;
  virtual bool tangent(const StepRecord& record, const DesignJacobian& design, StateTangent& x,
                       const VisitTangent& visit) = 0;
  /// Prepares what all cotangents share. False if there is no derivative.
  virtual bool linearize(const StepRecord& record) = 0;
  /// x from x̄₁ to x̄₀; p̄ is added to; visit(stage, x̄) adds what inner nodes carry.
  using VisitCotangent = std::function<void(int, StateCotangent&)>;
  virtual void adjoint(StateCotangent& x, std::span<double> p, const VisitCotangent& visit) = 0;

  /// Partials of the mechanics that were linearised at x₁ by linearize() or tangent(); null if none were.
  virtual SystemPartials* at_end() { return nullptr; }
  /// The same at an inner node.
  virtual SystemPartials* at_stage(int /*stage*/) { return nullptr; }
};

/// a and λ that a run starts with, from dq and dv: a stage whose q and v are given.
bool solved_start_tangent(SolvedStage& stage, const StepState<double>& x0,
                          const CoordinateSelection* selection, const DesignJacobian& design,
                          StateTangent& x);
/// x̄ with cotangents of a and λ, then of q and v alone.
bool solved_start_adjoint(SolvedStage& stage, const StepState<double>& x0,
                          const CoordinateSelection* selection, StateCotangent& x,
                          std::span<double> p);

/// Makes the derivatives of an assembly; those of a step need several at once.
using SystemPartialsFactory = std::function<std::unique_ptr<SystemPartials>()>;

}  // namespace kinegrad

// The objectives of a run, summed up step by step (docs/theory/sensitivity_methods.md):
//
//   ψ = g_T(x(t_N)) + ∫ g dt,    ∫ g dt over a step = Σ weight·g(node)                          [QU-1]
//
// with the nodes of the step map, so that ψ has the order of the motion. Where the map has an embedded rule, the
// difference of both is the error that step-size control keeps below its tolerance:
//
//   error = |Σ estimate·g(node)| / (tolerance·(1 + |ψ|))                                        [QU-3]
#pragma once

#include <span>
#include <vector>

#include "kinegrad/integrators/step_map.hpp"
#include "kinegrad/signals/signal_evaluator.hpp"

namespace kinegrad {

template <Scalar T>
class ObjectiveIntegral {
 public:
  /// The model must outlive it; `constants` as those of a SignalEvaluator.
  explicit ObjectiveIntegral(const Model& model, const LoadedTree<T>* constants = nullptr);

  /// Begins anew at the parameters p.
  void start(std::span<const T> p);
  /// The integrals over a step from x₀ to x₁, which do not count yet; x₀ is the x₁ of the step accepted last,
  /// if there was one.
  void measure(const StepState<T>& x0, const StepState<T>& x1,
               std::span<const QuadratureNode<T>> nodes);
  /// The largest error of the step measured last over the tolerance [QU-3]. An integrand that is not finite is
  /// no matter of step sizes.
  double error(double tolerance) const;
  /// The step measured last counts.
  void accept();
  void add(const StepState<T>& x0, const StepState<T>& x1,
           std::span<const QuadratureNode<T>> nodes) {
    measure(x0, x1, nodes);
    accept();
  }
  /// What the errors of all steps add up to at most, over the largest |ψ| on the way; 0 where ψ and they are
  /// too small to be told from rounding.
  double uncertainty(std::size_t objective, double tolerance) const;
  /// ψ of a run that ends at x, one per objective of the model.
  void finish(const StepState<T>& x, std::vector<T>& values);

  /// Where an objective was not finite at first, since start().
  struct NotFinite {
    int objective = -1;  ///< -1: nowhere
    double t = 0;
  };
  const NotFinite& not_finite() const { return not_finite_; }

 private:
  void evaluate(const StepState<T>& x);
  void look(const T& value, std::size_t objective, double t);

  const Model& model_;
  SignalEvaluator<T> signals_;
  std::vector<T> p_, integrals_;
  std::vector<T> step_, error_;                   // of the step measured last
  std::vector<T> g_;                              // integrands where they were evaluated last,
  std::vector<T> g_start_, g_end_;                // and at both ends of the step,
  bool start_known_ = false, end_known_ = false;  // if quadratures went there
  std::vector<double> errors_, largest_;  // Σ|error| of the steps that count, and the largest |ψ|
  bool any_integral_ = false;
  NotFinite not_finite_;
};

}  // namespace kinegrad

// The objectives of a run, summed up step by step (docs/theory/sensitivity_methods.md):
//
//   ψ = g_T(x(t_N)) + ∫ g dt,    ∫ g dt over a step = Σ weight·g(node)                          [QU-1]
//
// with the nodes of the step map, so that ψ has the order of the motion.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/assembly/signal_evaluator.hpp"
#include "kinegrad/integrators/step_map.hpp"

namespace kinegrad {

template <Scalar T>
class ObjectiveIntegral {
 public:
  /// The model must outlive it.
  explicit ObjectiveIntegral(const Model& model);

  /// Begins anew at the parameters p.
  void start(std::span<const T> p);
  /// Adds the step from x₀ to x₁; x₀ is the x₁ of the last call, if there was one.
  void add(const StepState<T>& x0, const StepState<T>& x1,
           std::span<const QuadratureNode<T>> nodes);
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
  std::vector<T> g_;        // integrands where they were evaluated last
  std::vector<T> g_end_;    // and at the end of the last step,
  bool end_known_ = false;  // if its quadrature went there
  bool any_integral_ = false;
  NotFinite not_finite_;
};

}  // namespace kinegrad

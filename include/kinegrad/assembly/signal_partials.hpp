// Derivatives of signals and integrands at a state: backwards through their tape, and from the motion
// of points and directions through the sweep of the tree [DP-7].
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kinegrad/assembly/signal_evaluator.hpp"
#include "kinegrad/assembly/tree_partials.hpp"

namespace kinegrad {

/// Cotangents of everything a signal depends on; each is added to.
struct SignalCotangent {
  std::span<double> q, v, a, lambda, p;
};

class SignalPartials {
 public:
  /// The model must outlive the object.
  explicit SignalPartials(const Model& model);

  /// Why an output of the signal tape cannot be differentiated; empty if it can.
  std::string refusal(int output) const;

  void set_parameters(std::span<const double> p);
  /// Takes a state.
  void linearize(double t, std::span<const double> q, std::span<const double> v,
                 std::span<const double> a, std::span<const double> lambda);
  /// Value of an output there.
  double output(int k) const { return values_.output(k); }
  /// Adds the derivatives of weight·output.
  void pullback(int output, double weight, const SignalCotangent& out);

 private:
  VectorState state_of(int vector) const;
  void pull_input(std::size_t k, double bar, const SignalCotangent& out);

  const Model& model_;
  TreeDynamics<double> dynamics_;
  TreePartials tree_;
  SignalEvaluator<double> values_;
  std::vector<double> p_;
  std::vector<double> bar_outputs_, bar_registers_, bar_inputs_;
  std::vector<VectorCotangent> vectors_;
  std::vector<char> touched_;
};

}  // namespace kinegrad

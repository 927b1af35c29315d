// Forces on joint coordinates whose values read reactions (docs/theory/reactive_forces.md): friction that grows with
// what a joint carries. The wrench w across a joint follows from the state and its multipliers alone, and a force along
// a free direction does not change it, so there is no loop inside
//
//   f(t, q, v, a, λ) = M a − Q + Φ_qᵀλ − Q_f(t, q, v, w(t, q, v, a, λ))                            [RL-1]
//
// but f is no longer affine in a and λ: f_a = M − Q_f,w w_a and f_λ = Φ_qᵀ − Q_f,w w_λ, neither symmetric.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kinegrad/signals/signal_evaluator.hpp"

namespace kinegrad {

/// The entry of q, v and a that such a force acts on, in the coordinates of the model.
int state_coordinate(const Model& model, const ReactiveForce& force);

/// T = double or Complex. Nothing is allocated after the first call.
template <Scalar T>
class ReactiveForces {
 public:
  /// The model must outlive the object.
  explicit ReactiveForces(const Model& model);

  bool empty() const { return coordinates_.empty(); }
  void set_parameters(std::span<const T> p) { p_.assign(p.begin(), p.end()); }
  /// f −= Q_f.
  void subtract(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                std::span<const T> lambda, std::span<T> f);
  /// What they do per unit of time at a state, of its real part.
  double power(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
               std::span<const T> lambda);

 private:
  const Model& model_;
  std::optional<SignalEvaluator<T>> values_;  // where there are such forces
  std::vector<std::size_t> coordinates_;      // by force
  std::vector<T> p_;
};

}  // namespace kinegrad

// Signals and objective integrands at a state: the expressions of the file fed with time,
// parameters, joint coordinates and the motion of points. What it answers belongs to the state of evaluate().
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kinegrad/assembly/motion_reader.hpp"
#include "kinegrad/signals/joint_reactions.hpp"

namespace kinegrad {

/// Evaluates the outputs of model.signal_tape() for T = double or Complex.
template <Scalar T>
class SignalEvaluator : public MotionReader<T> {
 public:
  /// The model must outlive the evaluator. Constants at the parameters of every evaluation, if there are any, are
  /// read instead of a set of its own.
  explicit SignalEvaluator(const Model& model, const LoadedTree<T>* constants = nullptr);

  /// Recomputes everything at the state with its multipliers (none for open chains); no allocation
  /// after the first call.
  void evaluate(std::span<const T> p, T t, std::span<const T> q, std::span<const T> v,
                std::span<const T> a, std::span<const T> lambda = {});

  /// Value of model.signals()[k].
  T signal(int k) const;
  /// Output k of the signal tape (for objectives).
  T output(int k) const { return outputs_[static_cast<std::size_t>(k)]; }
  /// What the signal tape reads and computes.
  std::span<const T> inputs() const { return inputs_; }
  /// All of them, those that only other tapes read included.
  std::vector<T> all_inputs() const;
  /// One of them.
  T input_value(const SignalInput& input) const;
  std::span<const T> registers() const { return registers_; }

  /// Reactions and energies; only where a signal asks for them.
  const JointReactions<T>* reactions() const { return reactions_.get(); }

 private:
  const Model& model_;
  std::vector<std::pair<std::size_t, std::size_t>> numbers_;  // input, and the entry of p that it is
  std::vector<std::size_t> moving_;                           // all other inputs of the tape
  std::span<const T> p_;
  T t_ = T(0);
  std::vector<T> inputs_, registers_, outputs_;
  std::unique_ptr<JointReactions<T>> reactions_;  // where a signal asks for forces or energies
};

}  // namespace kinegrad

// Signals and objective integrands at a state: the expressions of the file fed with time,
// parameters, joint coordinates and the motion of points.
//
// A tree joint's coordinates are part of the state. Those of a cut joint are read from the relative
// motion of its two frames by [K-10] (joint_motion.hpp), with
//
//   X_FM = X_WF⁻¹ X_WM
//   V: w = ω₂ − ω₁,              u = v₂(Fo) − v₁(Fo)
//   V̇: ẇ = α₂ − α₁ − ω₁×w,      u̇ = a₂(Fo) − a₁(Fo) − 2ω₁×u − w×u
//
// both bodies' points taken where Fo is, and everything turned into axes of F.
#pragma once

#include <span>
#include <vector>

#include <memory>

#include "kinegrad/assembly/joint_motion.hpp"
#include "kinegrad/assembly/joint_reactions.hpp"
#include "kinegrad/assembly/natural_map.hpp"
#include "kinegrad/assembly/tree_kinematics.hpp"

namespace kinegrad {

/// Evaluates the outputs of model.signal_tape() for T = double or Complex.
template <Scalar T>
class SignalEvaluator {
 public:
  /// The model must outlive the evaluator.
  explicit SignalEvaluator(const Model& model);

  /// Recomputes everything at the state with its multipliers (none for open chains); no allocation
  /// after the first call.
  void evaluate(std::span<const T> p, T t, std::span<const T> q, std::span<const T> v,
                std::span<const T> a, std::span<const T> lambda = {});

  /// Only how bodies and joints move; no signals.
  void move(std::span<const T> p, std::span<const T> q, std::span<const T> v, std::span<const T> a);

  /// Value of model.signals()[k].
  T signal(int k) const;
  /// Output k of the signal tape (for objectives).
  T output(int k) const { return outputs_[static_cast<std::size_t>(k)]; }
  /// Motion of a joint, cut or not.
  JointMotion<T> joint_motion(int joint) const;
  /// What fits the motion of a joint's frames [K-10]; the joint need not be one of the model's own.
  JointMotion<T> frame_motion(const Joint& joint) const;
  /// Motion of model.vectors()[index].
  PointMotion<T> point_motion(int index) const;

  /// What the signal tape read and computed last.
  std::span<const T> inputs() const { return inputs_; }
  /// All of them, those that only other tapes read included.
  std::vector<T> all_inputs() const;
  /// One of them, at the state of the last evaluate().
  T input_value(const SignalInput& input) const;
  std::span<const T> registers() const { return registers_; }

  /// Reactions and energies; only where a signal asks for them.
  const JointReactions<T>* reactions() const { return reactions_.get(); }

  /// The state in the coordinates of the tree.
  std::span<const T> tree_q() const { return q_; }
  std::span<const T> tree_v() const { return v_; }
  std::span<const T> tree_a() const { return a_; }

  const PositionKinematics<T>& position() const { return position_; }
  const VelocityKinematics<T>& velocity() const { return velocity_; }
  const AccelerationKinematics<T>& acceleration() const { return acceleration_; }

 private:
  void expand(std::span<const T> p, std::span<const T> q, std::span<const T> v,
              std::span<const T> a);

  const Model& model_;
  std::span<const T> p_, q_, v_, a_;
  std::unique_ptr<NaturalMap<T>> natural_;  // where the state has natural coordinates
  std::vector<T> p_seen_;
  VecXT<T> z_, zdot_, zddot_;
  T t_ = T(0);
  PositionKinematics<T> position_;
  VelocityKinematics<T> velocity_;
  AccelerationKinematics<T> acceleration_;
  std::vector<T> inputs_, registers_, outputs_;
  std::unique_ptr<JointReactions<T>> reactions_;  // where a signal asks for forces or energies
};

}  // namespace kinegrad

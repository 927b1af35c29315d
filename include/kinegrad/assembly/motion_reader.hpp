// How bodies, points and joints move at a state, whatever coordinates it has.
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

#include <memory>
#include <span>
#include <vector>

#include "kinegrad/assembly/joint_motion.hpp"
#include "kinegrad/assembly/natural_map.hpp"
#include "kinegrad/assembly/tree_kinematics.hpp"

namespace kinegrad {

/// T = double or Complex.
template <Scalar T>
class MotionReader {
 public:
  /// The model must outlive the object.
  explicit MotionReader(const Model& model);

  /// Takes a state; no allocation after the first call.
  void move(std::span<const T> p, std::span<const T> q, std::span<const T> v, std::span<const T> a);

  /// Motion of a joint, cut or not.
  JointMotion<T> joint_motion(int joint) const;
  /// What fits the motion of a joint's frames [K-10]; the joint need not be one of the model's own.
  JointMotion<T> frame_motion(const Joint& joint) const;
  /// Motion of model.vectors()[index].
  PointMotion<T> point_motion(int index) const;

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
  PositionKinematics<T> position_;
  VelocityKinematics<T> velocity_;
  AccelerationKinematics<T> acceleration_;
};

}  // namespace kinegrad

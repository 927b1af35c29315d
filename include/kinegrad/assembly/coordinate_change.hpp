// States from joint coordinates to those of another coordinate set and back, and the derivatives of
// the first (docs/theory/global_coordinates.md).
//
// Each joint of the other set's tree, carriers and markers included, has the coordinates and speeds
// that fit the motion of its two frames [K-10], which the joint coordinates give:
//
//   (q, v)_j = K(X_FM, V_FM),   frames at (q, v) of the start                                 [GC-3]
//
// Natural coordinates are then read from places and axes of bodies [NC-2].
// Backwards the joints of the start's tree are read from the frames of the other set in the same way.
#pragma once

#include <span>

#include "kinegrad/assembly/motion_reader.hpp"
#include "kinegrad/tree/residual_pullback.hpp"

namespace kinegrad {

/// The physical parameters of model.start(), or their cotangents: the first of the model's own.
template <typename T>
std::span<T> parameters_of_start(const Model& model, std::span<T> p) {
  return p.first(model.start().physical().size());
}

/// From model.start() to the model.
template <Scalar T>
class FromJointCoordinates {
 public:
  /// The model must outlive the object.
  explicit FromJointCoordinates(const Model& model);
  /// q and v of the model's coordinates from those of its start; p as the model has them.
  void convert(std::span<const T> p, std::span<const T> q0, std::span<const T> v0, VecXT<T>& q,
               VecXT<T>& v);
  /// The coordinates of the model's tree at the state converted last.
  const VecXT<T>& z() const { return z_; }
  const VecXT<T>& zdot() const { return zdot_; }
  const NaturalMap<T>* natural() const { return natural_.get(); }

 private:
  void reduce(std::span<const T> p, VecXT<T>& q, VecXT<T>& v);

  const Model& model_;
  MotionReader<T> motion_;
  std::unique_ptr<NaturalMap<T>> natural_;  // where that is what is wanted
  VecXT<T> zero_, z_, zdot_;
};

/// From the model to model.start().
template <Scalar T>
class ToJointCoordinates {
 public:
  /// The model must outlive the object.
  explicit ToJointCoordinates(const Model& model);
  /// q0 holds coordinates near those wanted: angles are counted on from there.
  void convert(std::span<const T> p, std::span<const T> q, std::span<const T> v, VecXT<T>& q0,
               VecXT<T>& v0);

 private:
  const Model& model_;
  MotionReader<T> motion_;
  VecXT<T> zero_;
};

/// The pull-back of FromJointCoordinates.
class FromJointPartials {
 public:
  /// The model must outlive the object.
  explicit FromJointPartials(const Model& model);
  void set_parameters(std::span<const double> p);
  /// Takes a state in joint coordinates.
  void linearize(std::span<const double> q0, std::span<const double> v0);
  /// Adds to the cotangents of q0, v0 and p.
  void pullback(std::span<const double> q_bar, std::span<const double> v_bar,
                std::span<double> q0_bar, std::span<double> v0_bar, std::span<double> p_bar);

 private:
  const Model& model_;
  TreeParameters<double> constants_;
  TreeMotion<double> moving_;
  LinearizedTree tree_;
  FromJointCoordinates<double> values_;
  std::vector<double> p_;
  VecX zero_, a_bar_, q_, v_, z_bar_, zdot_bar_;
};

}  // namespace kinegrad

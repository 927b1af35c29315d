// Reading the physical parameters p: frames, vectors and inertias at their offsets.
#pragma once

#include <span>

#include "kinegrad/math/spatial.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

/// The three numbers at `first`.
template <typename T>
Vec3T<T> vector_at(std::span<const T> p, int first) {
  const T* x = p.data() + first;
  return {x[0], x[1], x[2]};
}

/// X_BF: the frame at `block`, in its body's axes.
template <typename T>
Pose<T> frame_at(std::span<const T> p, FrameBlock block) {
  const T* r = p.data() + block.rotation();
  Pose<T> X;
  X.R << r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8];
  X.p = vector_at(p, block.origin());
  return X;
}

/// The symmetric tensor stored as xx, yy, zz, xy, xz, yz at `first`.
template <typename T>
Mat3T<T> inertia_at(std::span<const T> p, int first) {
  const T* j = p.data() + first;
  Mat3T<T> J;
  J << j[0], j[3], j[4], j[3], j[1], j[5], j[4], j[5], j[2];
  return J;
}

}  // namespace kinegrad

// The sweep behind place_bodies() and move_bodies(), for passes that choose the reference point themselves.
#pragma once

#include <span>

#include "kinegrad/tree/tree_motion.hpp"

namespace kinegrad {

/// Motion of all bodies, without speeds their configuration alone; `from_ground` leads from the common
/// reference point to the ground, where all bodies share one.
template <ReferencePoint Point, bool Speeds, Scalar T>
void sweep_motion(const TreeParameters<T>& tree, std::span<const T> q, std::span<const T> v,
                  const Vec3T<T>& from_ground, TreeMotion<T>& motion);

}  // namespace kinegrad

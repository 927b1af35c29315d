// Kinetic energy and momenta of a tree that moves (docs/theory/dynamics.md). Bodies that carry the state of a
// force have none.
#pragma once

#include "kinegrad/tree/tree_motion.hpp"

namespace kinegrad {

template <Scalar T>
T kinetic_energy(const TreeParameters<T>& tree, const TreeMotion<T>& motion);

template <Scalar T>
Vec3T<T> linear_momentum(const TreeParameters<T>& tree, const TreeMotion<T>& motion);

/// About the world origin.
template <Scalar T>
Vec3T<T> angular_momentum(const TreeParameters<T>& tree, const TreeMotion<T>& motion);

}  // namespace kinegrad

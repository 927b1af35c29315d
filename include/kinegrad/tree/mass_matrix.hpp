// The mass matrix of a tree by composite bodies (docs/theory/dynamics.md):
//
//   M_ij = S_iᵀ I_Σ S_j for j beyond or at i                                                  [D-7]
//
// One common point needs no shifts. It is the world origin, or, where bodies are described at their centres
// of mass, a place of the mechanism itself, so that its distance from the origin costs no digits.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/tree/tree_motion.hpp"

namespace kinegrad {

/// What mass_matrix() needs besides its results; nothing of it is read afterwards.
template <Scalar T>
struct MassMatrixWorkspace {
  explicit MassMatrixWorkspace(const TreeParameters<T>& tree)
      : motion(tree), composite(tree.nodes.size()), S_rows(tree.model.nq(), 6) {}

  TreeMotion<T> motion;  ///< at the common point
  std::vector<RigidInertia<T>> composite;
  Eigen::Matrix<T, Eigen::Dynamic, 6> S_rows;  ///< S transposed, for long dot products
};

/// The upper triangle of M(q); the rest of the matrix is not touched.
template <Scalar T>
void mass_matrix(const TreeParameters<T>& tree, std::span<const T> q,
                 MassMatrixWorkspace<T>& workspace,
                 Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& M);

}  // namespace kinegrad

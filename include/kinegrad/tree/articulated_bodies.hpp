// Articulated bodies: the mass matrix of a tree with its joints eliminated from the leaves to the root, so
// that accelerations and products with M⁻¹ cost O(n) (docs/theory/dynamics.md):
//
//   U = I_A S,  D = SᵀU        I_a = I_A − U D⁻¹Uᵀ
//   u = τ − Sᵀp               p_a = p + I_a c + U D⁻¹u                                        [D-8]
//   a = D⁻¹(u − UᵀA)           A = A_h + c + S a
//
// A joint with Euler parameters p has the exact null vector p in its block of M; the block is completed by
// κ p pᵀ with the right side −κ p (ṗᵀṗ), which is its normalisation [D-9].
#pragma once

#include <span>
#include <vector>

#include "kinegrad/tree/articulated_inertia.hpp"
#include "kinegrad/tree/tree_loads.hpp"

namespace kinegrad {

/// What several bodies leave to the one that carries them.
template <Scalar T>
struct ArticulatedShare {
  ArticulatedInertia<T> I;
  Halves<T> p;
};

/// The mass matrix with its joints eliminated [D-8].
template <Scalar T>
struct ArticulatedBodies {
  explicit ArticulatedBodies(const TreeParameters<T>& tree)
      : U(6, tree.model.nq()),
        D_inverse(tree.model.nq(), kMaxJointCoordinates),
        kappa(tree.model.nq()),
        tau(tree.model.nq()),
        u(tree.model.nq()),
        forks(tree.nodes.size()) {}

  Eigen::Matrix<T, 6, Eigen::Dynamic> U;  ///< or the columns of force of M
  Eigen::Matrix<T, Eigen::Dynamic, kMaxJointCoordinates> D_inverse;
  VecXT<T> kappa;   ///< of [D-9], at the first of each set of Euler parameters
  VecXT<T> tau, u;  ///< of the solution on its way
  std::vector<ArticulatedShare<T>> forks;  ///< by node, likewise
};

/// a from r = 0 and the normalisations for moving bodies with their loads; the bodies are accelerated.
/// Speeds v are read where there are Euler parameters.
template <Scalar T>
void accelerations(const TreeParameters<T>& tree, const TreeLoads<T>& loads, std::span<const T> q,
                   std::span<const T> v, TreeMotion<T>& motion, ArticulatedBodies<T>& articulated,
                   std::span<T> a);

/// Eliminates the joints of the mass matrix of bodies that have been placed at q.
template <Scalar T>
void factorize_mass(const TreeParameters<T>& tree, const TreeMotion<T>& motion,
                    std::span<const T> q, ArticulatedBodies<T>& articulated);

/// x with M̃ x = b − Σ κ p φ [D-9], φ one per set of Euler parameters in the order of the tree; a part of b
/// along p is dropped. The joints were eliminated at the same motion and q.
template <Scalar T>
void solve_mass(const TreeParameters<T>& tree, const TreeMotion<T>& motion, std::span<const T> q,
                std::span<const T> b, std::span<const T> phi, ArticulatedBodies<T>& articulated,
                std::span<T> x);

}  // namespace kinegrad

// A tree with the forces on it, as two kinds of plain values: what is constant at p, made once and shared by
// everybody who reads it, and what the passes find at one state, which belongs to their caller
// (docs/theory/dynamics.md). Two states at once are two values with the same constants.
//
//   r(t, q, v, a; p) = M(q) a − Q(t, q, v) = 0                                                [D-1]
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kinegrad/ports/force_expressions.hpp"
#include "kinegrad/tree/articulated_bodies.hpp"
#include "kinegrad/tree/residual.hpp"

namespace kinegrad {

/// The constants of bodies, joints and forces at p.
template <Scalar T>
struct LoadedTree {
  /// The model must outlive the value.
  LoadedTree(const Model& model, ReferencePoint point, TriadInertia inertia = TriadInertia::kHere);

  void set(std::span<const T> p);

  const Model& model() const { return bodies.model; }
  int nq() const { return bodies.model.nq(); }

  TreeParameters<T> bodies;
  std::vector<std::unique_ptr<Port<T>>> ports;  ///< by force
  ForceExpressions<T> expressions;
};

/// The results of the passes at one state.
template <Scalar T>
struct TreeState {
  explicit TreeState(const LoadedTree<T>& tree)
      : motion(tree.bodies),
        loads(tree.bodies),
        transmitted(tree.bodies.nodes.size()),
        expressions(tree.expressions) {}

  TreeMotion<T> motion;
  TreeLoads<T> loads;
  TransmittedForces<T> transmitted;
  ForceExpressionValues<T> expressions;
};

/// Where and when the ports of a tree are read.
template <Scalar T>
PortSite<T> port_site(const LoadedTree<T>& tree, const TreeState<T>& x, T t) {
  return {tree.bodies, x.motion, t};
}

/// All attributes of a force, those that vary at the state included.
template <Scalar T>
AttributeVector<T> attributes(const LoadedTree<T>& tree, const TreeState<T>& x,
                              const Force& force) {
  return tree.expressions.attributes(tree.bodies, force, x.expressions);
}

/// Applied forces and uniform fields on moving bodies [F-1]; the state keeps q and v.
template <Scalar T>
void apply_forces(const LoadedTree<T>& tree, T t, std::span<const T> q, std::span<const T> v,
                  TreeState<T>& x);

/// All of a state and r = M a − Q [D-6]: motion, forces, residual.
template <Scalar T>
void residual(const LoadedTree<T>& tree, T t, std::span<const T> q, std::span<const T> v,
              std::span<const T> a, TreeState<T>& x, std::span<T> r);

/// The same for the accelerations of the tree, in O(n) [D-8]; nothing is transmitted yet.
template <Scalar T>
void accelerations(const LoadedTree<T>& tree, T t, std::span<const T> q, std::span<const T> v,
                   TreeState<T>& x, ArticulatedBodies<T>& articulated, std::span<T> a);

/// Potential energy of the forces that have one, at time t in the state.
template <Scalar T>
T potential_energy(const LoadedTree<T>& tree, const TreeState<T>& x, T t);

/// What applied forces add to the sum of both energies per unit of time, of the real parts [MO-2].
template <Scalar T>
double applied_power(const LoadedTree<T>& tree, const TreeState<T>& x, T t);

}  // namespace kinegrad

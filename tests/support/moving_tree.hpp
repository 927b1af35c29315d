// A tree with its forces, one state and all that the passes need besides, for tests that ask them one by one.
#pragma once

#include <span>

#include "kinegrad/ports/linearized_forces.hpp"
#include "kinegrad/ports/loaded_tree.hpp"
#include "kinegrad/tree/mass_matrix.hpp"
#include "kinegrad/tree/momenta.hpp"

namespace kinegrad::test {

template <Scalar T>
struct MovingTree {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  MovingTree(const Model& model, ReferencePoint point)
      : tree(model, point), state(tree), articulated(tree.bodies), mass(tree.bodies) {}

  void set_parameters(std::span<const T> p) { tree.set(p); }
  void residual(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                std::span<T> r) {
    kinegrad::residual(tree, t, q, v, a, state, r);
  }
  void mass_matrix(std::span<const T> q, Matrix& M) {
    kinegrad::mass_matrix(tree.bodies, q, mass, M);
  }
  void accelerations(T t, std::span<const T> q, std::span<const T> v, std::span<T> a) {
    kinegrad::accelerations(tree, t, q, v, state, articulated, a);
  }
  void factorize_mass(std::span<const T> q) {
    place_bodies(q);
    kinegrad::factorize_mass(tree.bodies, state.motion, q, articulated);
  }
  void solve_mass(std::span<const T> q, std::span<const T> b, std::span<const T> phi,
                  std::span<T> x) {
    kinegrad::solve_mass(tree.bodies, state.motion, q, b, phi, articulated, x);
  }
  void place_bodies(std::span<const T> q) { kinegrad::place_bodies(tree.bodies, q, state.motion); }
  T kinetic_energy() const { return kinegrad::kinetic_energy(tree.bodies, state.motion); }
  T potential_energy(T t) const { return kinegrad::potential_energy(tree, state, t); }
  Vec3T<T> linear_momentum() const { return kinegrad::linear_momentum(tree.bodies, state.motion); }
  Vec3T<T> angular_momentum() const {
    return kinegrad::angular_momentum(tree.bodies, state.motion);
  }
  int nq() const { return tree.nq(); }
  const Model& model() const { return tree.model(); }

  LoadedTree<T> tree;
  TreeState<T> state;
  ArticulatedBodies<T> articulated;
  MassMatrixWorkspace<T> mass;
};

/// The derivatives of its residual.
struct ResidualDerivatives {
  explicit ResidualDerivatives(const MovingTree<double>& at)
      : linearized(at.tree.bodies, at.state.motion),
        forces(at.tree, at.state),
        beyond(at.tree.bodies.nodes.size()) {}

  void linearize(double t, std::span<const double> q, std::span<const double> v,
                 std::span<const double> a) {
    kinegrad::linearize(t, q, v, a, linearized, forces);
  }
  void matrices(MatX& r_q, MatX& r_v, MatX& r_a) {
    residual_matrices(linearized, forces, beyond, r_q, r_v, r_a);
  }
  void force_matrices(MatX& r_q, MatX& r_v) {
    for (MatX* A : {&r_q, &r_v}) A->setZero(forces.tree.nq(), forces.tree.nq());
    add_force_matrices(linearized, forces, false, r_q, r_v);
  }
  void pullback(std::span<const double> w, const ResidualCotangent& out) {
    residual_pullback(linearized, forces, w, out);
  }

  LinearizedTree linearized;
  LinearizedForces forces;
  CompositeBodies beyond;
};

}  // namespace kinegrad::test

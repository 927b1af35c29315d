// A mechanism in joint coordinates: the tree's dynamics and the constraints on it.
#pragma once

#include <vector>

#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/assembly/real_tree.hpp"
#include "kinegrad/assembly/tree_constraints.hpp"
#include "kinegrad/assembly/tree_matrices.hpp"
#include "kinegrad/ports/linearized_forces.hpp"
#include "kinegrad/ports/shared_tree.hpp"
#include "kinegrad/tree/momenta.hpp"

namespace kinegrad {

template <Scalar T>
class JointSystem final : public MechanicalSystem<T> {
 public:
  /// The model must outlive the system.
  JointSystem(const Model& model, ReferencePoint point, TriadInertia inertia = TriadInertia::kHere)
      : JointSystem(SharedTree<T>(model, point, inertia), inertia) {}
  explicit JointSystem(SharedTree<T> constants, TriadInertia inertia = TriadInertia::kHere);

  int nq() const override { return tree_.nq(); }
  int rows() const override { return constraints_.rows(); }
  int holonomic() const override { return constraints_.holonomic(); }
  bool scleronomic() const override { return scleronomic_; }
  bool is_nearly_symmetric() const override { return nearly_symmetric_; }
  EulerSets euler_sets() const override { return euler_; }
  void set_parameters(std::span<const T> p) override;
  void evaluate(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a) override;
  void move(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a) override;
  void move_on(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a) override;
  void place(T t, std::span<const T> q) override;
  const VecXT<T>& r() const override { return r_; }
  const VecXT<T>& Phi() const override { return constraints_.Phi(); }
  const VecXT<T>& Phi_dot() const override { return constraints_.Phi_dot(); }
  const VecXT<T>& Phi_ddot() const override { return constraints_.Phi_ddot(); }
  const SparseRows<T>& Phi_q() const override { return constraints_.Phi_q(state_.motion); }
  double remaining(int row) const override { return constraints_.remaining(state_.motion, row); }
  T parameter(int k) const override { return tree_.bodies.p[static_cast<std::size_t>(k)]; }
  void measure_targets(T t, std::span<const T> q, std::span<const T> v) override;
  const VecXT<T>& targets() const override { return targets_.Phi(); }
  const VecXT<T>& targets_dot() const override { return targets_.Phi_dot(); }
  const SparseRows<T>& targets_q() const override { return targets_.Phi_q(state_.motion); }
  void measure_independent(T t, std::span<const T> q, std::span<const T> v,
                           std::span<const T> a) override;
  const VecXT<T>& independent() const override { return independent_.Phi(); }
  const VecXT<T>& independent_dot() const override { return independent_.Phi_dot(); }
  const VecXT<T>& independent_ddot() const override { return independent_.Phi_ddot(); }
  const SparseRows<T>& independent_q() const override { return independent_.Phi_q(state_.motion); }
  const SparseUpper<T>& pattern() const override { return matrices_.pattern(); }
  void mass_matrix(SparseUpper<T>& M) override { matrices_.mass(state_.motion, M); }
  void newton_matrix(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                     const NewtonCoefficients& coefficients, SparseUpper<double>& N) override;
  void exact_matrix(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                    const NewtonCoefficients& coefficients, MatX& N) override;
  void exact_matrix(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                    const NewtonCoefficients& coefficients, SparseRows<double>& N) override;
  T kinetic_energy() const override {
    return kinegrad::kinetic_energy(tree_.bodies, state_.motion);
  }
  T potential_energy(T t) const override { return kinegrad::potential_energy(tree_, state_, t); }
  double applied_power(T t) const override { return kinegrad::applied_power(tree_, state_, t); }

  const TreeState<T>& state() const { return state_; }
  TreeConstraints<T>& constraints() { return constraints_; }
  const TreeConstraints<T>& constraints() const { return constraints_; }

 private:
  void linearize_real(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a);
  TreeMatrices<double>& real_matrices();
  void full_newton_matrix(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                          const NewtonCoefficients& coefficients, SparseUpper<double>& N);

  template <typename Matrix>
  void add_symmetric_forces(const NewtonCoefficients& coefficients, Matrix& r_q, Matrix& r_v,
                            SparseUpper<double>& N);
  void move_bodies(std::span<const T> q, std::span<const T> v, std::span<const T> a);

  SharedTree<T> constants_;
  const LoadedTree<T>& tree_;
  TreeState<T> state_;
  TreeConstraints<T> constraints_;
  TreeConstraints<T> targets_;      // initial values of points
  TreeConstraints<T> independent_;  // points whose components are integrated
  TreeMatrices<T> matrices_;
  RealTree<T> real_;  // partials are taken at the real parts
  RealState<T> real_state_;
  TreeMatrices<double> real_matrices_;
  LinearizedTree linearized_;
  LinearizedForces forces_;
  CompositeBodies beyond_;
  std::vector<int> euler_;
  bool scleronomic_ = true;
  bool nearly_symmetric_ = true;  // no force has states
  VecXT<T> r_;
  MatX r_q_, r_v_;
  SparseRows<double> sparse_q_, sparse_v_, newton_q_, newton_v_;
};

}  // namespace kinegrad

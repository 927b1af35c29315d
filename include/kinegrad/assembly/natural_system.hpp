// A mechanism in natural coordinates (docs/theory/global_coordinates.md, [NC]).
//
// Forces, closures and all other rows are those of the tree of triads at z = G q + g, pulled back by G;
// inertia is the constant matrix of [NC-5], and the rows of rigid bodies come besides:
//
//   r = Gᵀ(μ (z̈ − γ) + r_tree(z, ż)),   M = GᵀμG,   γ: uniform fields on the places          [NC-6]
#pragma once

#include <vector>

#include "kinegrad/assembly/joint_system.hpp"
#include "kinegrad/assembly/mapped_rows.hpp"
#include "kinegrad/assembly/rigid_rows.hpp"

namespace kinegrad {

/// Sets of Euler parameters of the tree that natural coordinates have too, where they are there.
std::vector<int> natural_euler_sets(const NaturalBasis& basis, EulerSets tree);

template <Scalar T>
class NaturalSystem final : public MechanicalSystem<T> {
 public:
  /// The model must outlive the system.
  explicit NaturalSystem(const Model& model);

  int nq() const override { return map_.nq(); }
  int rows() const override { return tree_.rows(); }
  int holonomic() const override { return tree_.holonomic(); }
  bool scleronomic() const override { return tree_.scleronomic(); }
  EulerSets euler_sets() const override { return euler_; }
  void set_parameters(std::span<const T> p) override;
  void evaluate(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a) override;
  void move(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a) override;
  void move_on(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a) override;
  void place(T t, std::span<const T> q) override;
  const VecXT<T>& r() const override { return r_; }
  const VecXT<T>& Phi() const override { return Phi_; }
  const VecXT<T>& Phi_dot() const override { return Phi_dot_; }
  const VecXT<T>& Phi_ddot() const override { return Phi_ddot_; }
  const SparseRows<T>& Phi_q() const override {
    if (!mapped_) map_rows();
    return rows_.Phi_q();
  }
  double remaining(int row) const override {
    if (!mapped_) map_rows();
    return rows_.remaining(row);
  }
  T parameter(int k) const override { return tree_.parameter(k); }
  void measure_targets(T t, std::span<const T> q, std::span<const T> v) override;
  const VecXT<T>& targets() const override { return tree_.targets(); }
  const VecXT<T>& targets_dot() const override { return tree_.targets_dot(); }
  const SparseRows<T>& targets_q() const override { return tree_.targets_q(); }
  void measure_independent(T t, std::span<const T> q, std::span<const T> v,
                           std::span<const T> a) override;
  const VecXT<T>& independent() const override { return tree_.independent(); }
  const VecXT<T>& independent_dot() const override { return tree_.independent_dot(); }
  const VecXT<T>& independent_ddot() const override { return tree_.independent_ddot(); }
  const SparseRows<T>& independent_q() const override { return independent_q_; }
  const SparseUpper<T>& pattern() const override { return pattern_; }
  void mass_matrix(SparseUpper<T>& M) override;
  bool is_nearly_symmetric() const override { return tree_.is_nearly_symmetric(); }
  void newton_matrix(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                     const NewtonCoefficients& coefficients, SparseUpper<double>& N) override;
  void exact_matrix(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                    const NewtonCoefficients& coefficients, MatX& N) override;
  void exact_matrix(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                    const NewtonCoefficients& coefficients, SparseRows<double>& N) override;
  T kinetic_energy() const override { return energy_; }
  T potential_energy(T t) const override { return tree_.potential_energy(t); }
  double applied_power(T t) const override { return tree_.applied_power(t); }

 private:
  void expand(std::span<const T> q, std::span<const T> v, std::span<const T> a);
  void take_places(std::span<const T> q);
  void map_rows() const;
  void take_rates(std::span<const T> q, std::span<const T> v, std::span<const T> a);
  template <typename U>
  void add_mass(SparseUpper<U>& N) const;
  template <typename Matrix>
  void add_exact(T t, const NewtonCoefficients& coefficients, Matrix& N);

  const Model& model_;
  JointSystem<T> tree_;
  NaturalMap<T> map_;
  RigidRows<T> rigid_;
  std::vector<Mat<T, 4, 4>> mu_;
  std::vector<int> euler_;
  mutable MappedRows<T> rows_;
  mutable bool mapped_ = true;  // Φ_q is that of the last place
  RowsTimes<T> independent_rows_;
  Congruence<T> congruence_;
  SparseUpper<T> pattern_, M_;  // M_: of the bodies
  SparseUpper<T> tree_M_;
  SparseUpper<double> tree_N_;
  SparseRows<T> independent_q_;
  VecXT<T> r_, Phi_, Phi_dot_, Phi_ddot_, z_, zdot_, zddot_, force_, q_;
  SparseRows<double> tree_exact_;
  RowCongruence row_congruence_;
  T energy_ = T(0);
};

}  // namespace kinegrad

// Derivatives of a mechanism in natural coordinates ([SY], docs/theory/global_coordinates.md).
//
// With F = μ(z̈ − γ) + f_tree(z, ż, z̈, λ) the equations are f = GᵀF + (rigid rows), hence
//
//   w·f = (G w)·F                                                                            [NC-7]
//
// and its derivatives are those of the tree with the weights G w, pulled back by G, what Γ changes on
// both sides [NC-4], what μ changes, and the constant second derivatives of the rigid rows.
#pragma once

#include <vector>

#include "kinegrad/assembly/joint_partials.hpp"
#include "kinegrad/assembly/natural_system.hpp"

namespace kinegrad {

class NaturalPartials final : public SystemPartials {
 public:
  /// The model must outlive the object.
  explicit NaturalPartials(const Model& model);

  int nq() const override { return map_.nq(); }
  int rows() const override { return tree_.rows(); }
  int holonomic() const override { return tree_.holonomic(); }
  int physical() const override { return tree_.physical(); }
  EulerSets euler_sets() const override { return euler_; }
  void set_parameters(std::span<const double> p) override;
  void linearize(double t, std::span<const double> q, std::span<const double> v,
                 std::span<const double> a, std::span<const double> lambda) override;
  void linearize_motion(double t, std::span<const double> q, std::span<const double> v,
                        std::span<const double> a) override;
  const VecX& f() const override { return f_; }
  const VecX& Phi_dot() const override { return Phi_dot_; }
  const VecX& Phi_ddot() const override { return Phi_ddot_; }
  void matrices(MatX& f_q, MatX& f_v, MatX& f_a) override;
  void jacobians(RowJacobians& out, RowLevels levels) override;
  void pullback(std::span<const double> w, const LevelCotangent& levels,
                const ResidualCotangent& out) override;
  void linearize_accelerations(double t, std::span<const double> q, std::span<const double> v,
                               std::span<const double> a) override;
  void pullback_accelerations(std::span<const double> a_bar, std::span<double> q_bar,
                              std::span<double> v_bar, std::span<double> p_bar) override;
  void linearize_inertia(std::span<const double> u, std::span<const double> lambda) override;
  void inertia_matrix(MatX& f_q) override;
  void pullback_inertia(std::span<const double> w, const ResidualCotangent& out) override;
  void set_active(std::span<const char> p_active) override { tree_.set_active(p_active); }
  void target_jacobians(RowJacobians& out) override;
  void pullback_targets(const LevelCotangent&, const ResidualCotangent&) override {}

 private:
  void take(std::span<const double> q, std::span<const double> v, std::span<const double> a);
  void add_inertia(const VecX& motion, const Vec3& field, VecX& force) const;
  void take_rates();
  void congruence(const MatX& tree, MatX& out);
  void map_rows(const MatX& tree, MatX& out) const;
  void add_rigid_matrix(std::span<const double> lambda, MatX& f_q) const;
  void pull_rigid(std::span<const double> w, std::span<const double> lambda,
                  const LevelCotangent& levels, const ResidualCotangent& out);
  void pull_element(int element, const Vec3& bar, std::span<double> q_bar,
                    std::span<double> p_bar) const;
  void pull_inertia(const VecX& weights, const VecX& motion, std::span<double> p_bar) const;
  void clear_bars();

  const Model& model_;
  JointPartials tree_;
  NaturalMap<double> map_;
  RigidRows<double> rigid_;
  NaturalCotangent gamma_bar_;
  std::vector<int> euler_;
  std::vector<Mat<double, 4, 4>> mu_;
  std::vector<double> p_, q_, v_, a_, lambda_, u_, u_lambda_;
  VecX z_, zdot_, zddot_, z_w_, z_u_;  // of the tree
  VecX F_, F_u_;                       // forces of the tree, inertia included
  VecX z_bar_, zdot_bar_, zddot_bar_;
  VecX f_, Phi_dot_, Phi_ddot_;
  MatX tree_q_, tree_v_, tree_a_, half_;
  RowJacobians tree_rows_;
};

}  // namespace kinegrad

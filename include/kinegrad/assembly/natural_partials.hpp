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
  explicit NaturalPartials(const Model& model, RowSet rows = RowSet::kConstraints);

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
  const VecX& Phi() const override { return Phi_; }
  const VecX& Phi_dot() const override { return Phi_dot_; }
  const VecX& Phi_ddot() const override { return Phi_ddot_; }
  SystemPattern pattern() const override;
  std::size_t mass_entries() const override { return mass_entries_; }
  void matrices(MatX& f_q, MatX& f_v, MatX& f_a) override;
  void matrices(SparseRows<double>& f_q, SparseRows<double>& f_v, SparseRows<double>& f_a) override;
  double remaining(int row) const override { return mapped_.remaining(row); }
  void jacobians(RowJacobians& out, RowLevels levels) override;
  void jacobians(const SparseRowJacobians& out, RowLevels levels) override;
  void pullback(std::span<const double> w, const LevelCotangent& levels,
                const ResidualCotangent& out) override;
  void linearize_accelerations(double t, std::span<const double> q, std::span<const double> v,
                               std::span<const double> a) override;
  void pullback_accelerations(std::span<const double> a_bar, std::span<double> q_bar,
                              std::span<double> v_bar, std::span<double> p_bar) override;
  void linearize_inertia(std::span<const double> u, std::span<const double> lambda) override;
  void inertia_matrix(MatX& f_q) override;
  void inertia_matrix(SparseRows<double>& f_q) override;
  void pullback_inertia(std::span<const double> w, const ResidualCotangent& out) override;
  void tangents(const DesignJacobian& design, MatX* f_p, LevelTangent* levels) override;
  void inertia_tangents(const DesignJacobian& design, MatX& f_p) override;
  void set_active(std::span<const char> p_active) override { tree_.set_active(p_active); }
  void target_jacobians(RowJacobians& out) override;
  void pullback_targets(const LevelCotangent&, const ResidualCotangent&) override {}

 private:
  void take(std::span<const double> q, std::span<const double> v, std::span<const double> a);
  void add_inertia(const VecX& motion, const Vec3& field, VecX& force) const;
  void take_levels();
  void tree_matrices();
  void tree_jacobians();
  template <typename Matrix>
  void add_mapped_rows(const SparseRows<double>& tree, Matrix& out) const;
  template <typename Matrix>
  void fill_matrices(Matrix& f_q, Matrix& f_v, Matrix& f_a);
  template <typename Jacobians>
  void fill_jacobians(Jacobians& out, RowLevels levels);
  template <typename Matrix>
  void fill_inertia(Matrix& f_q);
  template <typename Matrix>
  void add_rigid_matrix(std::span<const double> lambda, Matrix& f_q) const;
  void add_rigid_forces(std::span<const double> lambda, std::span<double> f) const;
  void pull_rigid(std::span<const double> w, std::span<const double> lambda,
                  const LevelCotangent& levels, const ResidualCotangent& out);
  void pull_element(int element, const Vec3& bar, std::span<double> q_bar,
                    std::span<double> p_bar) const;
  void pull_inertia(const VecX& weights, const VecX& motion, std::span<double> p_bar) const;
  void clear_bars();

  // natural_tangents.cpp
  struct Direction;
  void take_directions(const DesignJacobian& design);
  void change(const Direction& along, std::span<const double> x, bool place, VecX& dz) const;
  void add_pulled(const Direction& along, const VecX& F, const VecX& dF, Eigen::Ref<VecX> df) const;
  Vec3 direction_change(const Direction& along, const RigidRow& row, int k) const;
  void add_ground_forces(const Direction& along, std::span<const double> lambda,
                         Eigen::Ref<VecX> df) const;
  void add_levels(const Direction& along, int k, LevelTangent& levels) const;

  const Model& model_;
  JointPartials tree_;
  NaturalMap<double> map_;
  RigidRows<double> rigid_;
  NaturalCotangent gamma_bar_;
  std::vector<int> euler_;
  std::size_t mass_entries_ = 0;
  std::vector<Mat<double, 4, 4>> mu_;
  std::vector<double> p_, q_, v_, a_, lambda_, u_, u_lambda_;
  VecX z_, zdot_, zddot_, z_w_, z_u_;  // of the tree
  VecX F_, F_u_;                       // forces of the tree, inertia included
  VecX z_bar_, zdot_bar_, zddot_bar_;
  VecX f_, Phi_, Phi_dot_, Phi_ddot_;
  bool has_matrices_ = false, has_jacobians_ = false;  // of the current state
  SparseRows<double> tree_q_, tree_v_, tree_a_;  // F by z, ż, z̈, the inertia of bodies left out
  SparseRows<double> tree_u_;                    // of [SY-2]
  SparseRows<double> Phi_z_, Phidot_z_, Phiddot_z_, Phiddot_zdot_;
  RowCongruence congruence_;
  MappedRows<double> mapped_;  // Φ_q without the rigid rows

  struct Direction {  // what moves along a parameter, at fixed coordinates
    std::vector<std::pair<std::size_t, Mat<double, 4, 4>>> gamma, mu;  // by body
    std::vector<std::pair<int, Vec3>> ground;                          // elements
    std::vector<std::pair<std::size_t, double>> lengths;               // rigid rows: d(ē_i·ē_j)
    Vec3 field = Vec3::Zero();
  };
  std::vector<Direction> directions_;
  long taken_ = 0;  // number of the design
  MatX tree_p_;
  LevelTangent tree_levels_;
  VecX dz_, dzdot_, dzddot_, dF_;
};

}  // namespace kinegrad

// Derivatives of a mechanism in joint coordinates ([SY]), from those of the tree and of its rows.
#pragma once

#include <vector>

#include "kinegrad/assembly/acceleration_partials.hpp"
#include "kinegrad/assembly/system_partials.hpp"
#include "kinegrad/ports/shared_tree.hpp"

namespace kinegrad {

class JointPartials final : public SystemPartials, public TreeRecursion {
 public:
  /// The model must outlive the object.
  /// @pre all constraints are holonomic if other rows are to follow them
  JointPartials(const Model& model, ReferencePoint point,
                TriadInertia inertia = TriadInertia::kHere, RowSet rows = RowSet::kConstraints)
      : JointPartials(SharedTree<double>(model, point, inertia), rows) {}
  explicit JointPartials(SharedTree<double> constants, RowSet rows = RowSet::kConstraints);

  int nq() const override { return constants_.nq(); }
  int rows() const override { return constraints_.rows(); }
  int holonomic() const override { return constraints_.holonomic(); }
  int physical() const override { return constants_.model().design_map().physical_count(); }
  EulerSets euler_sets() const override { return euler_; }
  void set_parameters(std::span<const double> p) override;
  void linearize(double t, std::span<const double> q, std::span<const double> v,
                 std::span<const double> a, std::span<const double> lambda) override;
  void linearize_motion(double t, std::span<const double> q, std::span<const double> v,
                        std::span<const double> a) override;
  const VecX& f() const override { return f_; }
  const VecX& Phi() const override { return constraints_.Phi(); }
  const VecX& Phi_dot() const override { return constraints_.Phi_dot(); }
  const VecX& Phi_ddot() const override { return constraints_.Phi_ddot(); }
  LinearizedTree* tree() override { return &tree_; }
  TreeRecursion* recursion() override { return this; }
  void eliminate_joints(std::span<const double> q) override {
    place_bodies(constants_.bodies, q, state_.motion);
    factorize_mass(constants_.bodies, state_.motion, q, articulated_);
  }
  void solve_mass(std::span<const double> q, std::span<const double> b, std::span<const double> phi,
                  std::span<double> x) override {
    kinegrad::solve_mass(constants_.bodies, state_.motion, q, b, phi, articulated_, x);
  }
  const SparseRows<double>& Phi_q() const override { return constraints_.Phi_q(state_.motion); }
  void state_tangents(const MatX& dq, const MatX& dv, MatX& f, LevelTangent& levels) override;
  SystemPattern pattern() const override;
  std::size_t mass_entries() const override { return kinegrad::mass_entries(constants_.bodies); }
  void matrices(MatX& f_q, MatX& f_v, MatX& f_a) override;
  void matrices(SparseRows<double>& f_q, SparseRows<double>& f_v, SparseRows<double>& f_a) override;
  double remaining(int row) const override { return constraints_.remaining(state_.motion, row); }
  const TreeConstraints<double>& constraints() const { return constraints_; }
  const TreeMotion<double>& motion() const { return state_.motion; }
  void jacobians(RowJacobians& out, RowLevels levels) override { rows_.jacobians(out, levels); }
  void jacobians(const SparseRowJacobians& out, RowLevels levels) override {
    rows_.jacobians(out, levels);
  }
  void linearize_accelerations(double t, std::span<const double> q, std::span<const double> v,
                               std::span<const double> a) override;
  void pullback_accelerations(std::span<const double> a_bar, std::span<double> q_bar,
                              std::span<double> v_bar, std::span<double> p_bar) override {
    accelerations_.pullback(a_bar, {q_bar, v_bar, {}, p_bar});
  }
  void linearize_inertia(std::span<const double> u, std::span<const double> lambda) override;
  void inertia_matrix(MatX& f_q) override;
  void inertia_matrix(SparseRows<double>& f_q) override;
  void pullback_inertia(std::span<const double> w, const ResidualCotangent& out) override;
  void tangents(const DesignJacobian& design, MatX* f_p, LevelTangent* levels) override;
  void inertia_tangents(const DesignJacobian& design, MatX& f_p) override;
  void set_active(std::span<const char> p_active) override;
  void pullback(std::span<const double> w, const LevelCotangent& levels,
                const ResidualCotangent& out) override;
  void target_jacobians(RowJacobians& out) override { target_rows_.jacobians(out); }
  void pullback_targets(const LevelCotangent& levels, const ResidualCotangent& out) override;

  /// Sum of the uniform fields at the current state, and its derivatives: p̄ −= ∂(weight·field)/∂p.
  const Vec3& field() const { return state_.motion.field; }
  void pull_field(const Vec3& weight, std::span<double> p_bar) const {
    kinegrad::pull_field(forces_, weight, p_bar);
  }
  /// y += Φ_qᵀλ at the current configuration.
  void add_constraint_forces(std::span<const double> lambda, std::span<double> y) const {
    constraints_.Phi_q(state_.motion).add_transposed(lambda, y);
  }

 private:
  void take_directions(const DesignJacobian& design);
  void tangents(const LinearizedTree& L, LinearizedForces* forces, ConstraintTangents& rows,
                MatX* f_p, LevelTangent* levels);
  SharedTree<double> shared_;
  const LoadedTree<double>& constants_;
  TreeState<double> state_;
  ArticulatedBodies<double> articulated_;
  TreeConstraints<double> constraints_, targets_;
  LinearizedTree tree_, inertia_;  ///< of r, and of M u
  LinearizedForces forces_;
  CompositeBodies beyond_, inertia_beyond_;
  AccelerationPartials accelerations_;
  ConstraintPartials rows_, inertia_rows_, target_rows_;
  ParameterDirections directions_;
  TreeTangent tangent_;
  ForcesBeyond forces_beyond_;
  ConstraintTangents row_tangents_, inertia_row_tangents_;
  ParameterDirection state_direction_;
  std::vector<int> euler_;
  bool placed_ = false;  // inertia_ has the place of the state
  VecX f_;
  std::vector<double> zero_;
};

}  // namespace kinegrad

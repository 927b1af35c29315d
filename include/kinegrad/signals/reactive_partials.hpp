// Derivatives of a system with forces that read reactions [RL-1]: those of the system without them, and a gradient
// of every such force, which is a signal of the state and its multipliers.
//
//   f_x −= e_c (∂τ/∂x) for x = q, v, a, p      f_λ = Φ_qᵀ − e_c (∂τ/∂λ)                                 [RL-2]
#pragma once

#include <memory>

#include "kinegrad/assembly/system_partials.hpp"
#include "kinegrad/signals/signal_partials.hpp"

namespace kinegrad {

class ReactivePartials final : public SystemPartials {
 public:
  /// The model must outlive the object.
  ReactivePartials(const Model& model, std::unique_ptr<SystemPartials> system);

  int nq() const override { return system_->nq(); }
  int rows() const override { return system_->rows(); }
  int holonomic() const override { return system_->holonomic(); }
  int physical() const override { return system_->physical(); }
  EulerSets euler_sets() const override { return system_->euler_sets(); }
  void set_parameters(std::span<const double> p) override;
  bool reads_reactions() const override { return true; }
  void add_reactive_columns(const ColumnVisitor& visit) const override;
  void add_reactive_masses(const ColumnVisitor& visit) const override;

  void linearize(double t, std::span<const double> q, std::span<const double> v,
                 std::span<const double> a, std::span<const double> lambda) override;
  void linearize_motion(double t, std::span<const double> q, std::span<const double> v,
                        std::span<const double> a) override {
    system_->linearize_motion(t, q, v, a);
  }
  const VecX& f() const override { return f_; }
  const VecX& Phi() const override { return system_->Phi(); }
  const VecX& Phi_dot() const override { return system_->Phi_dot(); }
  const VecX& Phi_ddot() const override { return system_->Phi_ddot(); }
  SystemPattern pattern() const override { return system_->pattern(); }
  std::size_t mass_entries() const override { return system_->mass_entries(); }
  void matrices(MatX& f_q, MatX& f_v, MatX& f_a) override;
  void matrices(SparseRows<double>& f_q, SparseRows<double>& f_v, SparseRows<double>& f_a) override;
  void jacobians(RowJacobians& out, RowLevels levels) override { system_->jacobians(out, levels); }
  double remaining(int row) const override { return system_->remaining(row); }
  void jacobians(const SparseRowJacobians& out, RowLevels levels) override {
    system_->jacobians(out, levels);
  }
  void pullback(std::span<const double> w, const LevelCotangent& levels,
                const ResidualCotangent& out) override;
  void linearize_accelerations(double t, std::span<const double> q, std::span<const double> v,
                               std::span<const double> a) override;
  void pullback_accelerations(std::span<const double> a_bar, std::span<double> q_bar,
                              std::span<double> v_bar, std::span<double> p_bar) override;
  void linearize_inertia(std::span<const double> u, std::span<const double> lambda) override {
    system_->linearize_inertia(u, lambda);
  }
  void inertia_matrix(MatX& f_q) override { system_->inertia_matrix(f_q); }
  void inertia_matrix(SparseRows<double>& f_q) override { system_->inertia_matrix(f_q); }
  void pullback_inertia(std::span<const double> w, const ResidualCotangent& out) override {
    system_->pullback_inertia(w, out);
  }
  void tangents(const DesignJacobian& design, MatX* f_p, LevelTangent* levels) override;
  void inertia_tangents(const DesignJacobian& design, MatX& f_p) override {
    system_->inertia_tangents(design, f_p);
  }
  void set_active(std::span<const char> p_active) override {
    system_->set_active(p_active);
    signals_.set_active(p_active);
  }
  void target_jacobians(RowJacobians& out) override { system_->target_jacobians(out); }
  void pullback_targets(const LevelCotangent& levels, const ResidualCotangent& out) override {
    system_->pullback_targets(levels, out);
  }

 private:
  struct Gradient {  // of one force
    int output = 0;
    int coordinate = 0;
    VecX q, v, a, lambda;
  };

  std::unique_ptr<SystemPartials> system_;
  SignalPartials signals_;
  std::vector<Gradient> forces_;
  VecX f_;
  std::vector<double> no_q_, no_v_, no_a_, no_lambda_, no_p_, dp_;
};

/// The derivatives of the equations of a model, forces that read reactions included.
std::unique_ptr<SystemPartials> make_system_partials(const Model& model, ReferencePoint point,
                                                     RowSet rows = RowSet::kConstraints);
/// The same with the constants of a tree that somebody else keeps at p, and that others may share.
/// @pre the model has no natural coordinates
std::unique_ptr<SystemPartials> make_system_partials(const LoadedTree<double>& constants,
                                                     RowSet rows);

}  // namespace kinegrad

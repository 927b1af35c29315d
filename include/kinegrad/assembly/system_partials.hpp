// Derivatives of what a formulation solves, whatever coordinates describe the mechanism. With the
// multipliers λ given, the equations of motion and the rows are
//
//   f(t, q, v, a; p) = r + Φ_qᵀλ,        Φ(t, q; p), Φ̇(t, q, v; p), Φ̈(t, q, v, a; p)          [SY-1]
//
// and at one state all first derivatives of them are to be had, as matrices with respect to the
// coordinates and as products with a cotangent with respect to everything. A second, smaller problem
// is M(q; p) u + Φ_qᵀλ with u given: what projections solve.                                  [SY-2]
//
// Derivatives have one current state, which linearize() and linearize_motion() set; what they answer
// belongs to that state.
#pragma once

#include <functional>
#include <span>

#include "kinegrad/assembly/constraint_tangents.hpp"
#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/assembly/tree_recursion.hpp"

namespace kinegrad {

/// What the matrices of a system can have; a matrix that is handed in sparse may have more.
struct SystemPattern {
  SparseRows<double> mass;       ///< f_a
  SparseRows<double> equations;  ///< f_q, f_v and (M u + Φ_qᵀλ)_q, and all of the mass
  SparseRows<double> rows;       ///< the Jacobians of the rows at all levels
};

/// The rows of a system: the constraints alone, or after them the components of points that the file
/// wants integrated [ST-8], as rows whose multipliers are zero.
enum class RowSet { kConstraints, kWithIndependent };

class SystemPartials {
 public:
  virtual ~SystemPartials() = default;
  virtual int nq() const = 0;
  virtual int rows() const = 0;
  virtual int holonomic() const = 0;
  virtual int physical() const = 0;  ///< size of p
  virtual EulerSets euler_sets() const = 0;
  virtual void set_parameters(std::span<const double> p) = 0;
  /// Whether forces read reactions [RL-1]: f_a is not M then, f_λ is not Φ_qᵀ, and matrices are whole.
  virtual bool reads_reactions() const { return false; }
  /// What f_λ has beyond Φ_qᵀ at the current state: visit(coordinate, multiplier, value).
  using ColumnVisitor = std::function<void(int, int, double)>;
  virtual void add_reactive_columns(const ColumnVisitor& /*visit*/) const {}
  /// What f_a has beyond M there: visit(coordinate, acceleration, value).
  virtual void add_reactive_masses(const ColumnVisitor& /*visit*/) const {}

  /// Takes a state of [SY-1].
  virtual void linearize(double t, std::span<const double> q, std::span<const double> v,
                         std::span<const double> a, std::span<const double> lambda) = 0;
  /// Takes a state for its levels alone: no equations of motion.
  virtual void linearize_motion(double t, std::span<const double> q, std::span<const double> v,
                                std::span<const double> a) = 0;
  /// f at the current state of linearize().
  virtual const VecX& f() const = 0;
  /// The levels of the constraint equations at the current state.
  virtual const VecX& Phi() const = 0;
  virtual const VecX& Phi_dot() const = 0;
  virtual const VecX& Phi_ddot() const = 0;
  /// The tree linearised at that state, for others who read its motion; null where the state has other
  /// coordinates.
  virtual LinearizedTree* tree() { return nullptr; }
  /// What needs no matrix; null where the state has other coordinates than those of a tree.
  virtual TreeRecursion* recursion() { return nullptr; }
  /// Found anew with every call.
  virtual SystemPattern pattern() const = 0;
  /// How many entries the mass can have, without a pattern being made.
  virtual std::size_t mass_entries() const = 0;
  /// f_q, f_v and f_a at the current state of linearize(): whole, or in the patterns they come with.
  virtual void matrices(MatX& f_q, MatX& f_v, MatX& f_a) = 0;
  virtual void matrices(SparseRows<double>& f_q, SparseRows<double>& f_v,
                        SparseRows<double>& f_a) = 0;
  virtual void jacobians(RowJacobians& out, RowLevels levels) = 0;
  /// What remains of an equation's terms in Φ_q [RK-1].
  virtual double remaining(int row) const = 0;
  virtual void jacobians(const SparseRowJacobians& out, RowLevels levels) = 0;
  /// Adds the derivatives of w·f + φ₀·Φ + φ₁·Φ̇ + φ₂·Φ̈ to the cotangents; w may be empty.
  virtual void pullback(std::span<const double> w, const LevelCotangent& levels,
                        const ResidualCotangent& out) = 0;

  /// Takes a state with the accelerations that it has without rows, and adds āᵀ∂a/∂(q, v, p) there
  /// without a matrix [DA-3]; for systems without rows.
  virtual void linearize_accelerations(double t, std::span<const double> q,
                                       std::span<const double> v, std::span<const double> a) = 0;
  virtual void pullback_accelerations(std::span<const double> a_bar, std::span<double> q_bar,
                                      std::span<double> v_bar, std::span<double> p_bar) = 0;

  /// Takes u and λ of [SY-2] at the current configuration; the state stays.
  virtual void linearize_inertia(std::span<const double> u, std::span<const double> lambda) = 0;
  /// (M u + Φ_qᵀλ)_q.
  virtual void inertia_matrix(MatX& f_q) = 0;
  virtual void inertia_matrix(SparseRows<double>& f_q) = 0;
  /// Adds the derivatives of w·(M u + Φ_qᵀλ) to q̄ and p̄; v̄ and ā are not meant.
  virtual void pullback_inertia(std::span<const double> w, const ResidualCotangent& out) = 0;

  /// f_p dp and the levels' Φ_p dp, … along the columns dp of a design's Jacobian, a column each, at
  /// the current state, for f one of linearize() [TG-1]. Null: not wanted.
  virtual void tangents(const DesignJacobian& design, MatX* f_p, LevelTangent* levels) = 0;
  /// (M u + Φ_qᵀλ)_p dp likewise.
  virtual void inertia_tangents(const DesignJacobian& design, MatX& f_p) = 0;

  /// Only marked entries of p need cotangents from now on.
  virtual void set_active(std::span<const char> p_active) = 0;

  /// The same for the components whose initial values the file gives, as levels Φ and Φ̇.
  virtual void target_jacobians(RowJacobians& out) = 0;
  virtual void pullback_targets(const LevelCotangent& levels, const ResidualCotangent& out) = 0;
};

}  // namespace kinegrad

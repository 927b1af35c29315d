// The equations of a static equilibrium [KP-3], normalisations of Euler parameters among the constraint equations
// (docs/theory/kinematic_problems.md).
#pragma once

#include <span>

#include "kinegrad/assembly/joint_system.hpp"
#include "simulation/independent_equations.hpp"

namespace kinegrad {

class RestEquations {
 public:
  /// The model must outlive the object.
  RestEquations(const Model& model, std::span<const double> p, ReferencePoint point);

  int holonomic() const { return m_; }

  /// Forces, constraint equations and potential energy at q.
  void place(const VecX& q);
  /// K = ∂(r + Jᵀλ)/∂q by the complex step, and M, at q.
  void linearize(const VecX& q, const VecX& lambda);

  /// (Δq, λ) of Newton's step with the symmetric part of K, shifted by μM; false if it does not go downhill within
  /// the constraints.
  bool newton_step(double mu, VecX& delta, VecX& lambda) const;
  /// What holds a relaxation back: the mass matrix, or what the mechanism has of dampers.
  enum class Resistance { kMass, kDamping };
  /// R = M, or ∂r/∂v at rest with a little of M, at the place linearised last; false if there are no dampers.
  bool resist(const VecX& q, Resistance kind);
  /// Δq of an implicit step of R q′ = −(r + Jᵀλ) of length δ [KP-15]; false if there is none.
  bool relaxation_step(double length, VecX& delta) const;
  /// √(fᵀM⁻¹f) of the forces f within the constraints: how far they are from balance.
  double imbalance() const;
  /// The largest entry of q′ of the relaxation.
  double relaxation_rate() const;
  /// A direction within the constraints along which the forces lead away, of length 1.
  bool leads_away(VecX& direction) const;

  double residual(const VecX& lambda) const { return (r_ + J_.transpose() * lambda).norm(); }
  double violation() const { return equations_.violation(phi_); }
  double energy() const { return energy_; }
  /// Forces in balance and constraints met, as far as a search has to go.
  bool balanced(const VecX& lambda) const {
    return residual(lambda) <= 1e-10 * force_scale() && violation() <= kClosed;
  }
  /// The same as far as rounding may let it.
  bool nearly_balanced(const VecX& lambda) const {
    return residual(lambda) <= 1e-6 * force_scale() && violation() <= 10 * kClosed;
  }
  static constexpr double kClosed = 1e-10;
  /// Multipliers that leave least of the forces.
  VecX best_multipliers() const { return equations_.multipliers(r_); }

 private:
  double force_scale() const { return 1 + r_.norm(); }
  void complete_mass(const VecX& q);
  MatX damping_matrix(const VecX& q);

  JointSystem<double> system_;
  JointSystem<Complex> complex_;
  int n_, m_, rows_;
  VecX zero_, r_, phi_;
  VecXT<Complex> complex_zero_;
  MatX J_, K_, M_, R_;
  std::vector<double> remaining_;   // [RK-1]
  IndependentEquations equations_;  // of J_
  SparseUpper<double> mass_;
  double energy_ = 0;
};

}  // namespace kinegrad

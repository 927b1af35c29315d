// The equations of a static equilibrium [KP-3], [KP-17] (docs/theory/kinematic_problems.md). Unknown are
//
//   y_j = q_j of the mechanism,     y_j = s_j of an auxiliary coordinate, whose own angle ∫s dt stays as it is
//
// and λ. The equations are those of motion at rest, which for a state read −ṡ = 0, for bristles [KP-19]. The rows of J are the
// constraint equations, the normalisations of Euler parameters and y_H = ŷ_H: what is held.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/assembly/joint_system.hpp"
#include "simulation/independent_equations.hpp"

namespace kinegrad {

/// Where the search for an equilibrium begins: ŷ.
struct RestStart {
  VecX q;       ///< configuration
  VecX states;  ///< speeds of which those of auxiliary coordinates count
};

/// Coordinates of auxiliary bodies, whose speeds are states, by coordinate.
std::vector<char> state_coordinates(const Model& model);

class RestEquations {
 public:
  /// The model must outlive the object.
  RestEquations(const Model& model, std::span<const double> p, const RestStart& start,
                std::vector<int> held);

  int holonomic() const { return m_; }
  /// The first row of J that holds something.
  int first_held() const { return rows_ - static_cast<int>(held_.size()); }
  const std::vector<int>& held() const { return held_; }
  /// Whether contacts stick: equations of bristles are among these [KP-19].
  bool sticks() const { return !bristles_.empty(); }
  /// ŷ.
  VecX start() const { return unknowns(start_.q, start_.states); }
  VecX unknowns(const VecX& q, const VecX& states) const;
  /// q and v of y.
  void state(const VecX& y, VecX& q, VecX& v) const;

  /// Forces, constraint equations and potential energy at y.
  void place(const VecX& y);
  /// K = ∂(r + Jᵀλ)/∂y by the complex step, ∂r/∂q of the auxiliary angles, and M, at y.
  void linearize(const VecX& y, const VecX& lambda);

  /// (Δy, λ) of Newton's step with the symmetric part of K, shifted by μM; false if it does not go downhill within
  /// the constraints.
  bool newton_step(double mu, VecX& delta, VecX& lambda) const;
  /// Δy of Newton's step with all of K; false if there is none.
  bool whole_step(VecX& delta) const { return implicit_step(K_, delta); }
  /// What holds a relaxation back: the mass matrix, or what the mechanism has of dampers.
  enum class Resistance { kMass, kDamping };
  /// R = M, or ∂r/∂v at rest with a little of M, at the place linearised last; false if there are no dampers.
  bool resist(const VecX& y, Resistance kind);
  /// Δy of an implicit step of R y′ = −(r + Jᵀλ) of length δ [KP-15]; false if there is none.
  bool relaxation_step(double length, VecX& delta) const {
    return implicit_step(R_ / length + K_, delta);
  }
  /// √(fᵀM⁻¹f) of the forces f within the constraints: how far they are from balance.
  double imbalance() const;
  /// The largest entry of y′ of the relaxation.
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
    return residual(lambda) <= kNearly * force_scale() && violation() <= 10 * kClosed;
  }
  /// The mechanical coordinate among the held ones whose holding takes a force, -1: none; y where it was linearised.
  int pulled(const VecX& y, const VecX& lambda) const;
  static constexpr double kClosed = 1e-10, kNearly = 1e-6;
  /// Multipliers that leave least of the forces.
  VecX best_multipliers() const { return equations_.multipliers(r_); }

  const MatX& K() const { return K_; }
  /// ∂r/∂q of the auxiliary angles, by coordinate; other columns are zero.
  const MatX& by_angle() const { return by_angle_; }
  const IndependentEquations& equations() const { return equations_; }

 private:
  double force_scale() const { return 1 + r_.norm(); }
  bool implicit_step(const MatX& A, VecX& delta) const;
  void complete_mass(const VecX& q);
  MatX damping_matrix(const VecX& y);
  template <typename T>
  VecXT<T> bristle_residuals(JointSystem<T>& system, const VecXT<T>& q, const VecXT<T>& v) const;
  VecX derivative_along(int coordinate, bool angle, const VecX& q, const VecX& v,
                        const VecX& lambda);

  JointSystem<double> system_;
  JointSystem<Complex> complex_;
  int n_, m_, rows_;
  RestStart start_;
  std::vector<int> held_;
  std::vector<char> state_;
  std::vector<int> bristles_;
  VecX zero_, r_, phi_;
  VecXT<Complex> complex_zero_;
  MatX J_, K_, by_angle_, M_, R_;
  std::vector<double> remaining_;   // [RK-1]
  IndependentEquations equations_;  // of J_
  SparseUpper<double> mass_;
  double energy_ = 0;
};

}  // namespace kinegrad

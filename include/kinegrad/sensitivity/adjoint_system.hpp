// The adjoint equations of a motion, as a family of formulations states them
// (docs/theory/continuous_adjoint.md). With H = g + μ_q·v + μ_v·a and a, λ functions of q and v,
//
//   −μ̇_q = H_q,  −μ̇_v = H_v,        ∇ψ = ∫ H_p dt + q'ᵀμ_q + v'ᵀμ_v at the start              [CA-2]
//
// A family knows how to end (μ at t_F), to give the rate, and to make one implicit step,
//
//   μ = b + c(H_q, H_v)(μ)        c = h/2: trapezoidal rule, c = h: Euler's                       [CA-3]
//
// whose p̄ is c H_p. What g gives comes in as cotangents, weighted by c already.
#pragma once

#include <memory>
#include <span>

#include "kinegrad/formulations/stage_partials.hpp"
#include "kinegrad/simulation/motion_interpolant.hpp"

namespace kinegrad {

/// μ: what q' and v' are multiplied by, full vectors; dependent coordinates have none. Where points are
/// named, y' and ẏ' instead, until the start.
struct AdjointState {
  VecX q, v;
};

/// Derivatives of weight·g at one instant.
struct AdjointSource {
  double weight = 1;
  StateCotangent g;
  VecX a_rate;  ///< weight·ġ_a, for those who want it
};

class AdjointSystem {
 public:
  virtual ~AdjointSystem() = default;
  /// Whether sources are to have ġ_a.
  virtual bool wants_a_rate() const { return false; }
  /// Whether there is a rate at t_F; else the first step is made of steps of Euler.
  virtual bool has_rate() const = 0;

  /// Takes an instant for a step of coefficient c; 0: for the rate, an end or a change. The point
  /// must stay. False if there is no derivative.
  virtual bool linearize(const MotionPoint& x, double c) = 0;
  /// μ(t_F) from the cotangents of the terminal objective; linearized with 0.
  virtual bool end(const StateCotangent& terminal, const AdjointSource& g, AdjointState& mu,
                   std::span<double> p) = 0;
  /// −μ̇; linearized with 0.
  virtual void rate(const AdjointState& mu, const AdjointSource& g, AdjointState& out,
                    std::span<double> p) = 0;
  /// b, then μ of [CA-3].
  virtual void solve(const AdjointSource& g, AdjointState& mu, std::span<double> p) = 0;
  /// μ with other coordinates independent, those that were linearized with 0.
  virtual void change(AdjointState& mu, std::span<double> p) = 0;
  /// What is left to do at the start; linearized there.
  virtual void start(const AdjointSource& /*g*/, AdjointState& /*mu*/, std::span<double> /*p*/) {}
};

}  // namespace kinegrad

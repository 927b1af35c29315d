// How the equations of motion are solved for accelerations and multipliers (axis B of
// docs/architecture.md).
//
// The residual r(t, q, v, a) = M a − Q of the assembly is completed by the normalisation of every
// set of Euler parameters p, whose direction is an exact null vector of M and of r:
//
//   r̃ = r + Σ κ p φ,     M̃ = M + Σ κ p pᵀ                                                     [FO-1]
//
// where φ is the normalisation at the level of the caller: pᵀa + ṗᵀṗ for accelerations, ½(pᵀp − 1)
// over the step's ∂q/∂a for positions. Because pᵀr = 0, r̃ = 0 means r = 0 and φ = 0.
//
// A step integrates y, which is q itself unless the formulation works with fewer, independent
// coordinates; the state that crosses a step is full all the same (decision 14).            [FO-2]
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/formulations/stage_rule.hpp"
#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

template <Scalar T>
class Formulation {
 public:
  virtual ~Formulation() = default;
  virtual std::string_view name() const = 0;
  virtual int nq() const = 0;
  virtual EulerSets euler_sets() const = 0;
  /// Number of multipliers λ, one per row of the constraints.
  virtual int multipliers() const { return 0; }
  /// Why explicit (implicit) methods cannot use it; empty if they can.
  virtual std::string_view refuses_explicit() const { return {}; }
  virtual std::string_view refuses_implicit() const { return {}; }
  /// Why implicit methods without numerical damping cannot use it; empty if they can.
  virtual std::string_view needs_damping() const { return {}; }

  /// What it solves, for those who differentiate it.
  virtual StageRule stage_rule() const { return {}; }
  /// The independent coordinates of the step begun last; null: all are. With it a step can be made
  /// again, bit by bit, by a formulation that restores it first.
  virtual const CoordinateSelection* selection() const { return nullptr; }
  virtual void restore(const CoordinateSelection& /*selection*/) {}

  /// The physical parameters of the run.
  virtual void set_parameters(std::span<const T> p) = 0;

  /// a with r + Φ_qᵀλ = 0, the constraints and the normalisations at acceleration level, and λ.
  /// False if that is impossible (singular mass matrix).
  virtual bool acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                            std::span<T> lambda) = 0;

  /// The coordinate that made acceleration() fail, -1: not known.
  virtual int lost_coordinate() const { return -1; }

  /// Asked when a step fails: whether it does because the coordinates that the model wants
  /// integrated do not describe the motion there.
  virtual bool lost_independent() const { return false; }

  /// What was left open of the constraint equations since the step began, over their terms: of those that hardly
  /// differ from others, by their regularisation or by rounding. 0 where nothing is known.        [LO-1]
  virtual double open() const { return 0; }

  /// Whether the last accelerations are, or since the step began were, one solution of several: of forces that read
  /// reactions [RL-6].
  virtual bool several() const { return false; }

  /// How many coordinates y a step integrates.
  virtual int integrated() const { return nq(); }
  /// Whether expand() begins with what q and v hold; else these are y and ẏ.
  virtual bool expands_from_guess() const { return integrated() < nq(); }
  /// Before a step: chooses y. The state is not changed.
  virtual bool begin_step(T /*t*/, std::span<const T> /*q*/, std::span<const T> /*v*/) {
    return true;
  }
  /// Before a stage of that step: Newton's method remembers nothing of the stage before it.
  virtual void begin_stage() {}
  /// Multipliers of a solved stage inside of a step, where correct() does not find them.
  virtual void end_stage(T /*t*/, std::span<const T> /*q*/, std::span<const T> /*v*/,
                         std::span<const T> /*a*/, std::span<T> /*lambda*/) {}
  /// y, ẏ and ÿ of a state.
  virtual void reduce(T /*t*/, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                      std::span<T> y, std::span<T> ydot, std::span<T> yddot) {
    std::copy(q.begin(), q.end(), y.begin());
    std::copy(v.begin(), v.end(), ydot.begin());
    std::copy(a.begin(), a.end(), yddot.begin());
  }
  /// q and v from y and ẏ; what they hold before is the first guess. False if they cannot be found.
  virtual bool expand(T /*t*/, std::span<const T> y, std::span<const T> ydot, std::span<T> q,
                      std::span<T> v) {
    std::copy(y.begin(), y.end(), q.begin());
    std::copy(ydot.begin(), ydot.end(), v.begin());
    return true;
  }
  /// a from ÿ at an expanded state.
  virtual bool lift(T /*t*/, std::span<const T> /*q*/, std::span<const T> /*v*/,
                    std::span<const T> yddot, std::span<T> a) {
    std::copy(yddot.begin(), yddot.end(), a.begin());
    return true;
  }

  /// One correction of Newton's method for ÿ (and λ, which is updated) at a state on the step's
  /// formulas q(ÿ), v(ÿ): delta is to be added to ÿ. A formulation may use a cheaper matrix than
  /// asked for; Newton's method then needs more iterations. False if the matrix is not finite.
  virtual bool correct(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                       std::span<T> lambda, const NewtonCoefficients& coefficients,
                       std::span<T> delta) = 0;

  /// Whether the multipliers, too, have settled with the last correction: where accelerations depend on them, those of a
  /// mechanism at rest may settle before.
  virtual bool settled() const { return true; }

  /// Ends an implicit step: brings speeds, accelerations and multipliers onto the constraints. By
  /// itself only pᵀv = 0 and pᵀa = −vᵀv of the Euler parameters, along which nothing moves [GA-4].
  virtual bool finish(T /*t*/, std::span<const T> q, std::span<T> v, std::span<T> a,
                      std::span<T> /*lambda*/) {
    normalise(q, v, a);
    return true;
  }

  /// Kinetic energy of the state that correct() or acceleration() was given.
  virtual T kinetic_energy() const = 0;

 protected:
  /// φ of [FO-1] in a correction of Newton's method, of the Euler parameters that begin at `first`.
  static T normalisation(int first, std::span<const T> q, std::span<const T> v,
                         std::span<const T> a, const NewtonCoefficients& c) {
    const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + first);
    if (!c.normalises_accelerations) return (la::squared_norm(p) - T(1)) * T(0.5 / c.c_q);
    const auto pdot = Eigen::Map<const Vec<T, 4>>(v.data() + first);
    const auto pddot = Eigen::Map<const Vec<T, 4>>(a.data() + first);
    return la::dot(p, pddot) + la::squared_norm(pdot);
  }
  /// An entry of its derivative by ÿ, with all terms or pᵀ alone: that of positions is pᵀ, that of accelerations
  /// pᵀ + 2c_v ṗᵀ + c_q p̈ᵀ.
  static double normalisation_slope(int entry, std::span<const T> q, std::span<const T> v,
                                    std::span<const T> a, const NewtonCoefficients& c) {
    const auto k = static_cast<std::size_t>(entry);
    const double p = real_part(q[k]);
    if (!c.exact || !c.normalises_accelerations) return p;
    return p + 2 * c.c_v * real_part(v[k]) + c.c_q * real_part(a[k]);
  }
  void normalise(std::span<const T> q, std::span<T> v, std::span<T> a) const {
    for (int first : euler_sets()) {
      const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + first);
      auto pdot = Eigen::Map<Vec<T, 4>>(v.data() + first);
      auto pddot = Eigen::Map<Vec<T, 4>>(a.data() + first);
      const T pp = la::squared_norm(p);
      pdot -= p * (la::dot(p, pdot) / pp);
      pddot -= p * ((la::dot(p, pddot) + la::squared_norm(pdot)) / pp);
    }
  }
};

}  // namespace kinegrad

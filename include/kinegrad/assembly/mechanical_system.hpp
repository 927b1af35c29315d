// What a formulation sees of a mechanism, whatever coordinates describe it (axis A of
// docs/architecture.md): coordinates q with speeds v = q̇, and
//
//   r(t, q, v, a) = M(q) a − Q(t, q, v)        equations of motion without constraints         [D-1]
//   Φ(t, q), Φ̇(t, q, v), Φ̈(t, q, v, a), Φ_q    constraints; nonholonomic rows have no Φ
//
// so that the motion satisfies r + Φ_qᵀλ = 0 and Φ = 0. Levels are values, not coefficients: with
// b = −Φ_t and c = −(Φ̇_q v + Φ̇_t), Φ̇ = Φ_q v − b and Φ̈ = Φ_q a − c.                          [C-5]
//
// A system has one current state, which evaluate(), move() and place() set; what it answers belongs to
// that state. Two states at once are two systems with the same constants.
#pragma once

#include <span>

#include "kinegrad/math/sparse_rows.hpp"
#include "kinegrad/math/sparse_upper.hpp"

namespace kinegrad {

/// First coordinate of every set of Euler parameters.
using EulerSets = std::span<const int>;

/// What Newton's matrix r_a + c_v r_v + c_q r_q is made of: c_v = ∂v/∂a, c_q = ∂q/∂a of the step.
struct NewtonCoefficients {
  double c_v = 0, c_q = 0;
  bool exact = false;  ///< all of r_q and r_v; else only what applied forces contribute
  bool kept = false;   ///< the matrix of the correction before serves: a trial of the line search
  /// φ of [FO-1] is that of accelerations, pᵀa + ṗᵀṗ; else that of positions, ½(pᵀp − 1)/c_q.
  bool normalises_accelerations = false;
};

template <Scalar T>
class MechanicalSystem {
 public:
  virtual ~MechanicalSystem() = default;
  virtual int nq() const = 0;
  /// Rows of Φ_q; the first holonomic() of them are constraints on positions.
  virtual int rows() const = 0;
  virtual int holonomic() const = 0;
  /// No row depends on time by itself: Φ_t = 0.
  virtual bool scleronomic() const = 0;
  virtual EulerSets euler_sets() const = 0;
  virtual void set_parameters(std::span<const T> p) = 0;

  /// r, Φ, Φ̇, Φ̈ and Φ_q at a state.
  virtual void evaluate(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a) = 0;
  /// Φ, Φ̇, Φ̈ and Φ_q alone, the last where it is asked for.
  virtual void move(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a) = 0;
  /// Φ̇ and Φ̈ for other speeds and accelerations at the current configuration.
  virtual void move_on(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a) = 0;
  /// Φ and Φ_q alone.
  virtual void place(T t, std::span<const T> q) = 0;

  virtual const VecXT<T>& r() const = 0;
  virtual const VecXT<T>& Phi() const = 0;
  virtual const VecXT<T>& Phi_dot() const = 0;
  virtual const VecXT<T>& Phi_ddot() const = 0;
  virtual const SparseRows<T>& Phi_q() const = 0;
  /// What remains of an equation's terms in its row of Phi_q() [RK-1]: 1 where it is a clear part of
  /// them, 0 where the equation vanishes and its row is zero.
  virtual double remaining(int row) const = 0;

  virtual T parameter(int k) const = 0;  ///< entry k of p

  /// The components whose initial values the file gives, their rates and Jacobian, at the current
  /// state. Rates are zero where it is a configuration alone.
  virtual void measure_targets(T t, std::span<const T> q, std::span<const T> v) = 0;
  virtual const VecXT<T>& targets() const = 0;
  virtual const VecXT<T>& targets_dot() const = 0;
  virtual const SparseRows<T>& targets_q() const = 0;

  /// The components of points that the file wants integrated, f, ḟ, f̈ and f_q, at the current state.
  /// Where it is a configuration alone v and a are empty, and f and f_q alone are measured.
  virtual void measure_independent(T t, std::span<const T> q, std::span<const T> v,
                                   std::span<const T> a) = 0;
  virtual const VecXT<T>& independent() const = 0;
  virtual const VecXT<T>& independent_dot() const = 0;
  virtual const VecXT<T>& independent_ddot() const = 0;
  virtual const SparseRows<T>& independent_q() const = 0;

  /// What M and Newton's matrix can have, values zero.
  virtual const SparseUpper<T>& pattern() const = 0;
  /// M at the current configuration.
  virtual void mass_matrix(SparseUpper<T>& M) = 0;
  /// A symmetric approximation of r_a + c_v r_v + c_q r_q at the real parts of the current state, which
  /// (t, q, v, a) repeats: what applied forces contribute, not inertial ones.
  virtual void newton_matrix(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                             const NewtonCoefficients& coefficients, SparseUpper<double>& N) = 0;
  /// Whether that is good enough for Newton's method: it is not where forces have states, whose equations are
  /// coupled with those of the motion in one direction by far more than in the other.         [OS-5]
  virtual bool is_nearly_symmetric() const { return true; }
  /// All of r_a + c_v r_v + c_q r_q, there; with accelerations that may differ from those of evaluate().
  virtual void exact_matrix(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                            const NewtonCoefficients& coefficients, MatX& N) = 0;
  /// The same in the pattern of both triangles of pattern(), which N comes with.
  virtual void exact_matrix(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                            const NewtonCoefficients& coefficients, SparseRows<double>& N) = 0;

  /// Kinetic energy of the current state.
  virtual T kinetic_energy() const = 0;
  /// Potential energy of the forces that have one, at time t in that state.
  virtual T potential_energy(T t) const = 0;
  /// What applied forces add to the sum of both per unit of time, of the real parts.          [MO-2]
  virtual double applied_power(T t) const = 0;
};

}  // namespace kinegrad

// How the equations of motion are solved for accelerations (axis B of docs/architecture.md).
//
// For a tree the residual r(t, q, v, a) = M a − Q of the assembly is completed by the normalisation
// of every set of Euler parameters p, whose direction is an exact null vector of M and of r:
//
//   r̃ = r + Σ κ p φ,     M̃ = M + Σ κ p pᵀ                                                     [FO-1]
//
// where φ is the normalisation at the level of the caller: pᵀa + ṗᵀṗ for accelerations, ½(pᵀp − 1)
// over the step's ∂q/∂a for positions. Because pᵀr = 0, r̃ = 0 means r = 0 and φ = 0.
#pragma once

#include <span>
#include <string_view>

#include "kinegrad/math/scalar.hpp"

namespace kinegrad {

/// First coordinate of every set of Euler parameters of a tree.
using EulerSets = std::span<const int>;

template <Scalar T>
class Formulation {
 public:
  virtual ~Formulation() = default;
  virtual std::string_view name() const = 0;
  virtual int nq() const = 0;
  virtual EulerSets euler_sets() const = 0;

  /// The physical parameters of the run.
  virtual void set_parameters(std::span<const T> p) = 0;

  /// a with r = 0 and the normalisations at acceleration level. False if that is impossible
  /// (singular mass matrix).
  virtual bool acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a) = 0;

  /// r(t, q, v, a).
  virtual void residual(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                        std::span<T> r) = 0;

  /// Prepares Newton's matrix r_a + c_v r_v + c_q r_q (completed) at the state of the last
  /// residual(). `exact` takes all of r_q and r_v, else only what applied forces contribute. A
  /// formulation may use less than it is offered; Newton's method then needs more iterations.
  virtual bool prepare(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                       double c_v, double c_q, bool exact) = 0;
  /// x = −N⁻¹(r + Σ κ p φ) with the matrix prepared; φ one per Euler set.
  virtual void solve(std::span<const T> q, std::span<const T> r, std::span<const T> phi,
                     std::span<T> x) = 0;

  /// Energies of the last state given to residual() or acceleration().
  virtual T kinetic_energy() const = 0;
};

}  // namespace kinegrad

// From the named parameters ρ of a model to its physical parameters p (docs/theory/parameters.md).
//
// p is one flat vector of every number the mechanics reads: masses, centres of mass, inertias, joint
// frames, points, force attributes, spline values and slopes, initial coordinates and speeds. Each
// entry is an expression of ρ; all of them together are one tape, so that [PM-1]
//
//   p = P(ρ)      dp = P_ρ dρ   (forward)      ρ̄ += P_ρᵀ p̄   (reverse)
//
// are exact and cost one pass each. Spline slopes follow from spline values by a tridiagonal solve
// and are pulled back by the transposed one.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/math/spline.hpp"
#include "kinegrad/math/tape.hpp"

namespace kinegrad {

/// A spline's place in p: n values at `first`, then n slopes.
struct SplineBlock {
  Spline spline;
  int first = 0;
};

class DesignMap {
 public:
  DesignMap() = default;
  /// The tape gives every entry of p but the slopes, which are left 0 by it.
  DesignMap(Tape tape, std::vector<SplineBlock> splines, int parameter_count);

  int parameter_count() const { return parameter_count_; }
  int physical_count() const { return tape_.output_count(); }
  const Tape& tape() const { return tape_; }
  const std::vector<SplineBlock>& splines() const { return splines_; }

  /// Scratch memory of one user of the map.
  template <Scalar T>
  struct Workspace {
    std::vector<T> registers;
    std::vector<double> tangent_registers;
    std::vector<double> bar_outputs;
  };
  template <Scalar T>
  Workspace<T> make_workspace() const;

  /// p = P(ρ), T = double or Complex.
  template <Scalar T>
  void evaluate(std::span<const T> rho, std::span<T> p, Workspace<T>& work) const;
  /// dp = P_ρ dρ at ρ and p, of which `work` is as evaluate() has filled it.
  void forward(std::span<const double> rho, std::span<const double> p,
               std::span<const double> d_rho, std::span<double> d_p, Workspace<double>& work) const;
  /// Entries of p that the chosen parameters move at ρ, as marks.
  std::vector<char> moved_by(std::span<const double> rho, std::span<const int> parameters) const;
  /// ρ̄ += P_ρᵀ p̄, likewise.
  void reverse(std::span<const double> rho, std::span<const double> p,
               std::span<const double> p_bar, std::span<double> rho_bar,
               Workspace<double>& work) const;

 private:
  Tape tape_;
  std::vector<SplineBlock> splines_;
  int parameter_count_ = 0;
};

}  // namespace kinegrad

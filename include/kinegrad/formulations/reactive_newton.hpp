// Newton's method for mechanisms whose forces read reactions (docs/theory/reactive_forces.md). The equations
//
//   f(t, q, v, a, λ) = 0 of [RL-1],      ℓ = E λ at the level of a rule [ST-1]
//
// are not affine in a and λ. Their whole, unsymmetric matrix is that of the derivatives of a solved stage [ST-3],
//
//   | f_a + f_v v_a + f_q q_a   f_λ | |Δa|      | f      |
//   | L                         −E  | |Δλ| = −  | ℓ − Eλ |                                        [RL-3]
//
// with the normalisations of Euler parameters among the equations. Equations that depend on each other are regularised,
// and the regularisation is forgotten [B-2]: what friction reads is unique, so it does not matter which of the multipliers
// carry what the others could carry as well.                                                      [RL-4]
#pragma once

#include <memory>
#include <vector>

#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/assembly/system_partials.hpp"
#include "kinegrad/formulations/stage_partials.hpp"
#include "kinegrad/signals/reactive_forces.hpp"

namespace kinegrad {

/// What a mechanism with such forces is made of; the partials with them, and without.
template <Scalar T>
struct ReactiveParts {
  std::unique_ptr<MechanicalSystem<T>> system;
  std::unique_ptr<SystemPartials> partials, plain;
};

template <Scalar T>
class ReactiveNewton {
 public:
  /// The model must outlive the object.
  ReactiveNewton(const Model& model, ReactiveParts<T> parts, const StageRule& rule);

  MechanicalSystem<T>& system() { return *system_; }
  const MechanicalSystem<T>& system() const { return *system_; }
  void set_parameters(std::span<const T> p);

  /// a and λ at given q and v; `selection`: of independent coordinates, null: all are. False if there are none that
  /// Newton's method finds.
  bool accelerations(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                     std::span<T> lambda, const CoordinateSelection* selection);
  /// The same, from a and λ that are near.
  bool accelerations_near(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                          std::span<T> lambda, const CoordinateSelection* selection) {
    force_size_ = 0;
    return settle(t, q, v, a, lambda, selection) || accelerations(t, q, v, a, lambda, selection);
  }

  /// A step begins, and with which accelerations.
  void begin_step();
  void begin_stage() { corrections_ = 0; }
  void begin_with(std::span<const T> a);
  /// One correction at a state of a step; λ is updated, and Δa returned.
  bool correct(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
               std::span<T> lambda, const NewtonCoefficients& c,
               const CoordinateSelection* selection);
  T delta(int coordinate) const { return z_(coordinate); }
  /// Ends an implicit step at a state whose accelerations it has found: where they have changed by much, whether they are
  /// those that belong to small friction [RL-6].
  void judge(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
             std::span<const T> lambda, const CoordinateSelection* selection);
  /// Whether the multipliers do not change any more with the last correction.
  bool settled() const;
  /// Whether one of the solutions since the step began is not the only one [RL-6].
  bool several() const { return several_; }

 private:
  struct Place {  // the real part of a state
    std::vector<double> q, v, a, lambda;
  };
  bool linearize(StagePartials& stage, T t, std::span<const T> q, std::span<const T> v,
                 std::span<const T> a, std::span<const T> lambda, const NewtonCoefficients& c,
                 const CoordinateSelection* selection);
  void residual(const StagePartials& stage, bool reactive, T t, std::span<const T> q,
                std::span<const T> v, std::span<const T> a, std::span<const T> lambda);
  T level_value(const StagePartials& stage, int row, std::span<const T> q, std::span<const T> v,
                std::span<const T> a, std::span<const T> lambda) const;
  void solve(StagePartials& stage);
  enum class Start { kWithout, kReversed, kLarge };
  bool start(Start start, T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
             std::span<T> lambda, const CoordinateSelection* selection);
  bool settle(T t, std::span<const T> q, std::span<const T> v, std::span<T> a, std::span<T> lambda,
              const CoordinateSelection* selection);
  double add_multipliers(const StagePartials& stage, std::span<T> lambda) const;
  double largest_step(std::span<const T> x) const;

  std::unique_ptr<MechanicalSystem<T>> system_;
  ReactiveForces<T> forces_;
  std::unique_ptr<SystemPartials> partials_, plain_;  // at the real part of a state
  StagePartials stage_, without_;                     // with such forces, and without
  int n_, m_;
  int corrections_ = 0;  // of this step
  double last_size_ = 0, last_ratio_ = 0;
  double changed_ = 0, changed_before_ = 0, multiplier_size_ = 0;  // of λ by the last corrections
  bool several_ = false;
  std::vector<double> a_before_;  // where the step begins
  double force_size_ = 0;         // of the equations of motion at rest
  VecXT<T> z_;
  VecX part_;
  std::vector<double> p_;
  Place place_;
};

}  // namespace kinegrad

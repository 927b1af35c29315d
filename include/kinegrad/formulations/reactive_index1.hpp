// The formulation index1 of mechanisms whose forces read reactions (docs/theory/reactive_forces.md). The equations
//
//   f(t, q, v, a, λ) = 0 of [RL-1],      Φ̈ + 2ξΩΦ̇ + Ω²Φ = 0
//
// are not affine in a and λ, so accelerations, too, are found by Newton's method, with the whole unsymmetric matrix
//
//   | f_a + c_v f_v + c_q f_q   f_λ | |Δa|      | f |
//   | ℓ_a + c_v ℓ_v + c_q ℓ_q   0   | |Δλ| = −  | ℓ |                                            [RL-3]
//
// completed by the normalisations of Euler parameters [FO-1]. Where constraint equations depend on each other reactions
// are not unique, nor are forces that read them: the matrix is singular, and that is the end of the run.
#pragma once

#include <memory>

#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/assembly/reactive_forces.hpp"
#include "kinegrad/assembly/system_partials.hpp"
#include "kinegrad/formulations/border.hpp"
#include "kinegrad/formulations/formulation.hpp"
#include "kinegrad/formulations/options.hpp"

namespace kinegrad {

template <Scalar T>
class ReactiveIndex1 final : public Formulation<T> {
 public:
  static constexpr std::string_view kName = "index1";

  /// The model must outlive the object; the partials are those with forces that read reactions, and without.
  ReactiveIndex1(const Model& model, std::unique_ptr<MechanicalSystem<T>> system,
                 std::unique_ptr<SystemPartials> partials, std::unique_ptr<SystemPartials> plain,
                 const FormulationOptions& options);

  std::string_view name() const override { return kName; }
  int nq() const override { return system_->nq(); }
  int multipliers() const override { return system_->rows(); }
  EulerSets euler_sets() const override { return system_->euler_sets(); }
  StageRule stage_rule() const override { return {.stabilisation = stabilisation_}; }
  void set_parameters(std::span<const T> p) override;
  bool acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                    std::span<T> lambda) override;
  bool correct(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
               std::span<T> lambda, const NewtonCoefficients& coefficients,
               std::span<T> delta) override;
  T kinetic_energy() const override { return system_->kinetic_energy(); }

 private:
  void residual(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                std::span<const T> lambda, const NewtonCoefficients& c);
  bool factorize(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                 std::span<const T> lambda, const NewtonCoefficients& c);
  void equilibrate();
  double solve();
  double add_correction(int first, int count, std::span<T> x) const;

  std::unique_ptr<MechanicalSystem<T>> system_;
  ReactiveForces<T> forces_;
  std::unique_ptr<SystemPartials> partials_, plain_;  // at the real part of a state
  bool reactive_ = true;  // forces that read reactions count in this correction
  border::Stabilisation stabilisation_;
  int n_, m_;
  VecXT<T> z_;
  VecX part_, real_, scale_, scaled_, kappa_;
  MatX f_q_, f_v_, f_a_, K_;
  RowJacobians J_;
  Eigen::PartialPivLU<MatX> lu_;
  std::vector<double> p_, q_, v_, a_, lambda_;
};

}  // namespace kinegrad

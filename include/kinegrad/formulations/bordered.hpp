// The formulations that carry multipliers (docs/theory/constrained.md): one system with a border
// [B-1], and rules that say at which level the constraints stand in it.
//
//   rule       equations beside r + Φ_qᵀλ = 0                                     E          label
//   index1     Φ̈ + 2ξΩΦ̇ + Ω²Φ = 0, Ω = 0 unless asked for                        small      [I1-1]
//   penalty    λ = α(Φ̈ + 2ξΩΦ̇ + Ω²Φ)                                            1/α        [PE-1]
//   index3     Φ = 0, in Newton's method divided by ∂q/∂a                          small      [I3-1]
//   ali3p      Φ = 0 by λ ← λ + αΦ, then Φ̇ = 0 and Φ̈ = 0 by mass-orthogonal
//              projections                                                         1/(α ∂q/∂a) [AL-1]
//
// Nonholonomic rows stand at velocity level where the others stand at position level.
#pragma once

#include <memory>
#include <vector>

#include "kinegrad/formulations/border.hpp"
#include "kinegrad/formulations/formulation.hpp"
#include "kinegrad/formulations/open_equations.hpp"
#include "kinegrad/formulations/options.hpp"
#include "kinegrad/math/bordered_solver.hpp"
#include "kinegrad/math/row_span.hpp"

namespace kinegrad {

/// What makes a bordered formulation.
struct BorderRule {
  std::string_view name;
  bool position_level = false;  ///< else acceleration level
  bool soft = false;            ///< the multipliers are a penalty on the violation
  bool augmented = false;       ///< λ ← λ + αΦ instead of a small E
  bool projects = false;
  double omega = 0;
  double penalty = 1e12;
  std::string_view refuses_explicit = {};
  std::string_view needs_damping = {};
};

template <Scalar T>
class Bordered final : public Formulation<T> {
 public:
  Bordered(std::unique_ptr<MechanicalSystem<T>> system, const BorderRule& rule,
           const FormulationOptions& options);

  std::string_view name() const override { return rule_.name; }
  int nq() const override { return system_->nq(); }
  int multipliers() const override { return system_->rows(); }
  EulerSets euler_sets() const override { return system_->euler_sets(); }
  std::string_view refuses_explicit() const override { return rule_.refuses_explicit; }
  std::string_view needs_damping() const override {
    return system_->holonomic() ? rule_.needs_damping : std::string_view{};
  }
  StageRule stage_rule() const override;
  void set_parameters(std::span<const T> p) override { system_->set_parameters(p); }
  bool acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                    std::span<T> lambda) override;
  int lost_coordinate() const override {  // what was lost may be an equation
    return mass_.lost() < nq() ? mass_.lost() : -1;
  }
  double open() const override;
  bool begin_step(T t, std::span<const T> q, std::span<const T> v) override;
  void begin_stage() override;
  bool correct(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
               std::span<T> lambda, const NewtonCoefficients& coefficients,
               std::span<T> delta) override;
  bool finish(T t, std::span<const T> q, std::span<T> v, std::span<T> a,
              std::span<T> lambda) override;
  T kinetic_energy() const override { return system_->kinetic_energy(); }

 private:
  void complete_mass(std::span<const T> q);
  void small_border();
  template <typename U>
  void take_sizes(const SparseUpper<U>& N);
  double row_size(int row) const;
  double small_part() const;
  template <typename U>
  double square_of(std::span<const U> motion) const;
  void take_terms(std::span<const T> motion);
  bool met(double part) const;
  double missed_of(int i) const;
  void solve_exactly(int passes, std::span<const T> motion);
  OpenEquations beside_motion(std::span<const T> motion) const;
  void keep_open(std::span<const T> a, std::span<const T> lambda);
  void keep_correction(std::span<const T> a, std::span<const T> lambda);
  void stabilised_rows();
  void adapt_regularisation();
  bool finds_all_multipliers() const { return !rule_.position_level && !rule_.soft; }
  void take_multipliers_out(std::span<T> lambda);
  void solve_newton();
  void solve_newton_exactly(std::span<const T> a);
  void limit_correction(double c_q);
  void newton_border(const NewtonCoefficients& c);
  void leave_to_projections();
  void differentiate_rows(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                          const NewtonCoefficients& c);
  template <typename Matrix>
  bool take_exact(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                  const NewtonCoefficients& c, Matrix& exact);
  bool prepare_newton(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                      const NewtonCoefficients& c);
  void newton_right(std::span<const T> q, std::span<const T> v, std::span<const T> a,
                    std::span<const T> lambda, const NewtonCoefficients& c);

  /// What the last correction of equations at acceleration level left open, and the one before; sizes of the
  /// equations and what remains of them where its matrix was made.
  struct LastCorrection {
    VecX missed, missed_before, size, remaining, lambda, a;
    bool known = false;
  };

  std::unique_ptr<MechanicalSystem<T>> system_;
  BorderRule rule_;
  FormulationOptions options_;
  border::Stabilisation stabilisation_;
  int n_, m_;
  int corrections_ = 0;  // of this step
  double last_size_ = 0, last_ratio_ = 0;
  double open_ = 0;  // [LO-1]
  LastCorrection last_;
  SparseUpper<T> M_;
  SparseUpper<double> N_;
  MatX exact_;                     // Newton's matrix with every term: whole,
  SparseRows<double> exact_rows_;  // or, where it is solved with sparsely, in its pattern
  VecXT<T> E_, kappa_, z_, right_, y_, y_before_, zero_;
  VecX E_real_;                // E of Newton's matrix
  VecX terms_;                 // Σ_k |J_ik a_k| of the equations
  std::vector<double> sizes_;  // inverse ones of the diagonal of N
  double largest_size_ = 0;
  VecX part_;
  SparseRows<double> J_real_, J_rows_;
  DependentOnSpeeds dependent_;  // that Newton's method of the step leaves out [B-6]
  bool careful_ = false;         // Newton's method is slow: every term of its matrix
  double border_scale_ = 1;      // and a smaller border
  BorderedSolver<T> mass_;
  BorderedSolver<double> newton_;
};

}  // namespace kinegrad

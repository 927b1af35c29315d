// Matrix R: independent coordinates (docs/theory/constrained.md, [MR]).
//
// The rows of Φ_q (normalisations of Euler parameters included) are eliminated with complete
// pivoting: pivot columns are dependent, the others independent. With rows R and columns D of the
// pivots and I the independent speeds,
//
//   v = R v_I + …,   R_I = 1,   R_D = −J_RD⁻¹ J_RI                                           [MR-1]
//   RᵀM R a_I = −Rᵀ(M a_0 + r_0)                    a_0: Φ̈ = 0 with a_I = 0                 [MR-2]
//
// A step integrates the independent coordinates alone; dependent ones follow from Φ = 0 and Φ̇ = 0
// at every stage. Nonholonomic rows make further speeds dependent, whose coordinates are integrated
// all the same. The set is frozen inside a step and chosen anew between steps when R grows, which it
// does on the way to a position where the set is singular [MR-3]: the state that crosses a step is
// full, so the change is the identity on it.
#pragma once

#include <memory>
#include <vector>

#include "kinegrad/formulations/formulation.hpp"
#include "kinegrad/formulations/normalised_rows.hpp"
#include "kinegrad/formulations/reduced_equations.hpp"
#include "kinegrad/math/complete_pivoting.hpp"
#include "kinegrad/math/small_lu.hpp"
#include "kinegrad/model/coordinate_units.hpp"

namespace kinegrad {

template <Scalar T>
class MatrixR final : public Formulation<T> {
 public:
  static constexpr std::string_view kName = "matrix-r";

  /// A system of the model, which must outlive it.
  MatrixR(const Model& model, std::unique_ptr<MechanicalSystem<T>> system);

  std::string_view name() const override { return kName; }
  int nq() const override { return n_; }
  int multipliers() const override { return m_; }
  EulerSets euler_sets() const override { return system_->euler_sets(); }
  StageRule stage_rule() const override { return {.independent = true}; }
  const CoordinateSelection* selection() const override;
  void restore(const CoordinateSelection& selection) override;
  void set_parameters(std::span<const T> p) override;
  bool acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                    std::span<T> lambda) override;
  int integrated() const override { return static_cast<int>(integrated_.size()); }
  bool begin_step(T t, std::span<const T> q, std::span<const T> v) override;
  void begin_stage() override { equations_.begin_step(); }
  void end_stage(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                 std::span<T> lambda) override;
  void reduce(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a, std::span<T> y,
              std::span<T> ydot, std::span<T> yddot) override;
  bool expand(T t, std::span<const T> y, std::span<const T> ydot, std::span<T> q,
              std::span<T> v) override;
  bool lift(T t, std::span<const T> q, std::span<const T> v, std::span<const T> yddot,
            std::span<T> a) override;
  bool correct(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
               std::span<T> lambda, const NewtonCoefficients& coefficients,
               std::span<T> delta) override;
  bool finish(T t, std::span<const T> q, std::span<T> v, std::span<T> a,
              std::span<T> lambda) override;
  double open() const override { return open_; }
  T kinetic_energy() const override { return system_->kinetic_energy(); }

  /// Chooses the coordinates where none are chosen yet.
  bool ensure_choice(T t, std::span<const T> q, std::span<const T> v) {
    return chosen_ || begin_step(t, q, v);
  }
  /// How far dependent coordinates move with independent ones at a configuration, which decides whether the next
  /// step chooses anew [MR-3].
  void measure_growth(T t, std::span<const T> q);

  /// Coordinates whose speeds are independent now, ascending.
  const std::vector<int>& independent() const { return free_; }
  /// How often the set was chosen, the first time included.
  int selections() const { return selections_; }

 private:
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  bool select(std::span<const T> q);
  T row_value(std::size_t pivot, RowLevel level, std::span<const T> q, std::span<const T> v,
              std::span<const T> a) const {
    return rows_.value(pivot_row_[pivot], level, q, v, a);
  }
  bool factorize(int rank);
  void make_R();
  double position_growth(std::span<const T> q);
  bool close(T t, std::span<T> q);
  bool all_rows_hold();
  bool speeds_hold(std::span<const T> v);
  void find_multipliers(const VecXT<T>& r, std::span<T> lambda);
  void solve_dependent(int rank);
  void keep_open(double t, std::span<const T> v);

  /// Of coordinate `dependent` along `column`, in units of both.
  double growth_of(int dependent, int column, const T& slope) const {
    return std::abs(real_part(slope)) * units_(column) / units_(dependent);  // holomorphic: a size
  }

  const Model& model_;
  std::unique_ptr<MechanicalSystem<T>> system_;
  VecX units_;  // of the coordinates [KP-11]
  int n_, m_;
  NormalisedRows<T> rows_;
  ReducedEquations<T> equations_;
  VecXT<T> r_;
  CompletePivoting pivoting_;
  bool chosen_ = false;
  double growth_ = 0;  // largest entry of R, in units of the coordinates
  int selections_ = 0;
  double open_ = 0, usual_pivot_ = 0, slope_ = 1, last_t_ = 0, last_d_ = 1;  // [LO-2]
  std::vector<int> pivot_row_, dependent_;  // in order of elimination, holonomic ones first
  mutable CoordinateSelection snapshot_;
  int position_rank_ = 0;        // pivots that hold for positions
  std::vector<int> integrated_;  // coordinates not dependent by positions
  std::vector<int> free_;        // coordinates with independent speeds
  SmallLu<T> lu_;                // of J_RD
  Matrix R_;
  VecXT<T> step_, zero_, a_, yddot_;
  VecXT<T> lifted_;  // dependent part of the accelerations lift() found
};

}  // namespace kinegrad

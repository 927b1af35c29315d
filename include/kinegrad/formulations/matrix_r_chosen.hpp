// Matrix R with the independent coordinates that the model names: coordinates of the tree and
// components of points, y = f(q) (docs/theory/constrained.md, [MR-4] to [MR-6]).
//
// B = f_q has a row of the identity for a coordinate of the tree and a variable one for a point. With
// the rows R of the constraints and normalisations, as many as their rank, G = [J_R; B] is square and
//
//   G Δq = −[Φ; f − y],   G Δv = −[Φ̇; ḟ − ẏ],   G Δa = −[Φ̈; f̈ − ÿ]                            [MR-4]
//   G R = [0; 1]                                                                             [MR-5]
//   Gᵀ[λ_R; μ] = −r,   μ = −Rᵀr = 0                                                           [MR-6]
//
// The set is the user's: it is not chosen anew. Where G is singular, or changes its orientation
// within a step, y does not describe the motion, and the step says so.
#pragma once

#include <memory>
#include <vector>

#include "kinegrad/formulations/formulation.hpp"
#include "kinegrad/formulations/normalised_rows.hpp"
#include "kinegrad/formulations/reduced_equations.hpp"
#include "kinegrad/math/complete_pivoting.hpp"
#include "kinegrad/math/small_lu.hpp"
#include "kinegrad/model/coordinate_units.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

template <Scalar T>
class MatrixRChosen final : public Formulation<T> {
 public:
  static constexpr std::string_view kName = "matrix-r";

  /// A system of the model, which must outlive the object and names the independent coordinates.
  /// @pre all rows of the system are holonomic
  MatrixRChosen(const Model& model, std::unique_ptr<MechanicalSystem<T>> system);

  std::string_view name() const override { return kName; }
  int nq() const override { return n_; }
  int multipliers() const override { return system_->rows(); }
  EulerSets euler_sets() const override { return system_->euler_sets(); }
  /// Coordinates of the tree are a choice like any other of Matrix R; components of points are not.
  StageRule stage_rule() const override {
    StageRule rule{.independent = true};
    if (!of_tree_) rule.named = independent_;
    return rule;
  }
  const CoordinateSelection* selection() const override;
  void restore(const CoordinateSelection& selection) override;
  void set_parameters(std::span<const T> p) override;
  bool acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                    std::span<T> lambda) override;
  bool lost_independent() const override { return lost_; }
  int integrated() const override { return freedom_; }
  bool expands_from_guess() const override { return true; }  // y may be coordinates of points
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
  T kinetic_energy() const override { return system_->kinetic_energy(); }

 private:
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  T f(std::size_t k, RowLevel level, std::span<const T> q, std::span<const T> v,
      std::span<const T> a) const;
  void place(T t, std::span<const T> q);
  void fill(std::span<const T> q);
  bool select();
  bool factorize();
  void make_R();
  void divide_tree() const;
  double growth() const;
  void residuals(RowLevel level, std::span<const T> y, std::span<const T> q, std::span<const T> v,
                 std::span<const T> a);
  bool close(T t, std::span<const T> y, std::span<T> q);
  bool all_rows_hold();
  void find_multipliers(const VecXT<T>& r, std::span<T> lambda);
  bool fail() {
    lost_ = true;
    return false;
  }

  const Model& model_;
  std::unique_ptr<MechanicalSystem<T>> system_;
  VecX units_;  // of the coordinates [KP-11]
  const std::vector<IndependentCoordinate>& independent_;
  int n_, freedom_;
  NormalisedRows<T> rows_;
  ReducedEquations<T> equations_;
  VecXT<T> r_;
  CompletePivoting pivoting_;
  bool of_tree_ = true;  // all of the choice
  bool selected_ = false;
  bool lost_ = false;
  mutable CoordinateSelection snapshot_;
  int orientation_ = 0;         // of G where its rows were selected; 0: to be found
  double growth_ = 0;           // there
  std::vector<int> pivot_row_;  // R
  Matrix B_;
  SmallLu<T> G_;
  Matrix R_;
  VecXT<T> step_, zero_, a_, lifted_;
};

}  // namespace kinegrad

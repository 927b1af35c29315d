// The matrix of a stage or of the projections after it, [ST-3] and [ST-4]
// (docs/theory/step_derivatives.md).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kinegrad/assembly/system_partials.hpp"
#include "kinegrad/formulations/stage_rule.hpp"
#include "kinegrad/math/linear_solver.hpp"
#include "kinegrad/math/pattern_matrix.hpp"
#include "kinegrad/math/small_ldlt.hpp"
#include "kinegrad/math/small_lu.hpp"

namespace kinegrad {

/// The patterns that the derivatives of a stage keep, the normalisations after the other rows; none
/// where whole matrices are faster, or independent coordinates fill them.
std::optional<SystemPattern> stage_pattern(const SystemPartials& system, const StageRule& rule);

/// The parts of a stage's matrix.
enum class StageBlock { kMass, kEquations, kRows, kColumns };

/// [N Jᵀ; L −E] with rows that may depend on each other: where they do, a small border instead of a
/// missing E, forgotten by repeating [B-2]. Forwards and transposed. Whole until it gets a pattern; rows that
/// vanish in L and J, as half of a planar loop's do, are then left out of the factorisation.
class StageMatrix {
 public:
  /// The matrix has the parts f_a, f_q and f_v, L, and Jᵀ with the pattern of the rows.
  void set_pattern(const SystemPattern& pattern);
  /// Coordinates whose part of N is singular along them: first ones of Euler parameters.
  void set_euler_sets(EulerSets sets) { euler_.assign(sets.begin(), sets.end()); }
  /// N = Nᵀ and L = J from now on.
  void set_symmetric() { symmetric_ = true; }
  /// A zero matrix of n equations and l rows, to be filled; `dependent`: rows may depend on each other.
  void resize(int n, int l, bool dependent = true);
  /// Adds c times a part; J is given, and Jᵀ added, for kColumns.
  void add(StageBlock block, const PatternMatrix& part, double c = 1);
  /// @pre it has no pattern
  double& at(int i, int j) { return A_.at(i, j); }
  /// What remains of the equations' terms in J [RK-1], 1 unless said. One of which nothing remains does not
  /// count: it acts on nothing, and its multiplier rests.
  void set_remaining(std::span<const double> remaining) {
    remaining_.assign(remaining.begin(), remaining.end());
  }
  /// The regularisation as a part of the diagonal of L N⁻¹Jᵀ [B-7].
  void set_regularisation(double part) { regularisation_ = part; }
  /// E of a row that is to stay.
  void set_softness(int row, double E) { softness_[static_cast<std::size_t>(row)] = E; }
  bool factorize();
  /// The sign of the determinant of a whole matrix over that of a mass matrix with as many independent constraints,
  /// (−1)^l; 0 where it is singular.
  int orientation() const { return (A_.size() - n_) % 2 ? -A_.orientation() : A_.orientation(); }
  void solve(std::span<double> z);
  /// All columns at once.
  void solve(MatX& Z);
  void solve_transposed(std::span<double> z);

 private:
  template <typename Solve>
  void repeat(std::span<double> z, std::span<const double> border, const Solve& solve);
  template <int Width>
  void solve_columns(MatX& Z, Eigen::Index first, Eigen::Index count);
  void take_masses(const PatternMatrix& M);
  bool vanishes(int row) const;
  void leave_out();
  void clear_column(int row);
  bool factorize_whole();
  bool factorize_independent();
  double alone(int row) const;
  template <typename Solve>
  void solve_kept(std::span<double> z, const Solve& solve);
  void take_sizes();
  double row_size(int row, double largest) const;
  const std::vector<int>& places(StageBlock block) const {
    return places_[static_cast<std::size_t>(block)];
  }

  int n_ = 0, l_ = 0;
  /// How a whole matrix is factorised: with a border, or where rows are independent without one, symmetric
  /// ones in half the time.
  enum class Factors { kBordered, kPlain, kSymmetric };
  bool dependent_ = true, symmetric_ = false;
  Factors factors_ = Factors::kBordered;
  SmallLu<double> A_;
  SmallLdlt<double> K_;
  std::vector<double> copy_;                      // of A_, should it need its border
  std::unique_ptr<LinearSolver<double>> sparse_;  // null: whole
  SparseColumns<double> S_;
  SparseRows<double> rows_;                 // the pattern of L
  std::array<std::vector<int>, 4> places_;  // in S_, of the entries of each part
  std::vector<int> diagonal_;               // in S_
  std::vector<int> euler_;
  std::vector<double> sizes_;   // of N's diagonal
  std::vector<double> masses_;  // of M's; empty: not known
  double regularisation_ = border::kSmall;
  std::vector<double> softness_, border_, right_, remaining_;
  std::vector<int> kept_, left_out_;            // unknowns that are factorised, rows that are not
  std::vector<double> alone_;                   // of the latter: unknown over right side
  std::vector<double> kept_border_, unknowns_;  // of the kept ones
  std::vector<double> block_, right_block_;     // right sides row by row
};

}  // namespace kinegrad

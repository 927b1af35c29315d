// Systems with a border of constraints (docs/theory/constrained.md, [B]):
//
//   | N   Jᵀ | |x|   |f|
//   | J  −E  | |y| = |g|        E diagonal, positive                                         [B-1]
//
// E keeps the matrix regular where rows of J depend on each other. Where the constraints are meant
// to hold exactly the system is solved again with g − E y, the method of multipliers: what E spoils
// falls by E/(J N⁻¹Jᵀ) each time, and a redundant set of rows stays harmless              [B-2].
//
// Small or full matrices are factorised densely, N symmetric by LDLᵀ: the matrix is quasi-definite
// if N is positive definite, so no pivoting is needed. Where N alone is singular and the rows hold
// what it leaves free (frames without mass, thin rods), rows are added to it: with S diagonal,
//
//   N + JᵀSJ,  E/(1 − SE)  and  f + JᵀSg  in place of N, E and f give x and (1 − SE) y.       [B-4]
//
// Elimination visits only what the patterns of N and J let differ from zero [B-8], of sparse matrices in an order of
// its own [B-9]. Large sparse matrices, and smaller ones that cannot do without pivots, go to a sparse LU.
#pragma once

#include <memory>
#include <span>

#include "kinegrad/math/fixed_ldlt.hpp"
#include "kinegrad/math/linear_solver.hpp"
#include "kinegrad/math/small_ldlt.hpp"
#include "kinegrad/math/sparse_rows.hpp"
#include "kinegrad/math/sparse_upper.hpp"

namespace kinegrad {

/// Nothing is allocated after the first factorisation.
template <Scalar T>
class BorderedSolver {
 public:
  BorderedSolver() = default;
  BorderedSolver(const BorderedSolver&) = delete;  // factors refer to its patterns
  BorderedSolver& operator=(const BorderedSolver&) = delete;

  /// The patterns of N and J; chooses how to factorise.
  void analyse(const SparseUpper<T>& N, const SparseRows<T>& J);
  bool sparse() const { return sparse_ != nullptr; }

  /// N symmetric. False if N is singular.
  bool factorize(const SparseUpper<T>& N, const SparseRows<T>& J, const VecXT<T>& E);
  /// Any full N, and rows that differ from the columns beside N, by dense LU.
  bool factorize_full(const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& N,
                      const SparseRows<T>& J, const SparseRows<T>& rows, const VecXT<T>& E);
  /// The same in the pattern of both triangles of N, by sparse LU. @pre sparse()
  bool factorize_full(const SparseRows<T>& N, const SparseRows<T>& J, const SparseRows<T>& rows,
                      const VecXT<T>& E);

  /// z = (f; g) in, (x; y) out.
  void solve(VecXT<T>& z) const;
  int size() const { return n_ + m_; }
  /// The unknown whose pivot was lost when factorize() last failed, -1: none.
  int lost() const {
    if (kind_ == Kind::kFixed) return fixed().K.lost();
    return kind_ == Kind::kLdlt ? K_.lost() : -1;
  }

 private:
  enum class Kind { kFixed, kLdlt, kSparse, kFull };
  struct Fixed {  // an elimination in a fixed order, and where the entries of N, J, E and JᵀSJ go
    FixedLdlt<T> K;
    std::vector<int> N, J, E, rows;
  };
  void make_fixed(const SparseUpper<T>& N, const SparseRows<T>& J);
  Fixed make_fixed(const SparseUpper<T>& N, const SparseRows<T>& J, bool with_rows) const;
  bool factorize_fixed(const SparseUpper<T>& N, const SparseRows<T>& J, const VecXT<T>& E);
  void fill_fixed(const SparseUpper<T>& N, const SparseRows<T>& J, const VecXT<T>& E);
  Fixed& fixed() { return fixed_[shifted_ ? 1 : 0]; }
  const Fixed& fixed() const { return fixed_[shifted_ ? 1 : 0]; }
  template <typename Border, typename Entry>
  void add_rows(const SparseUpper<T>& N, const SparseRows<T>& J, const VecXT<T>& E,
                const Border& border, const Entry& entry);
  void fill_dense(const SparseUpper<T>& N, const SparseRows<T>& J, const VecXT<T>& E);
  void make_full();
  void build_patterns(const SparseUpper<T>& N, const SparseRows<T>& J);
  void build_sparse(const SparseUpper<T>& N, const SparseRows<T>& J);
  int place(int i, int j) const;
  void fill_sparse(const SparseUpper<T>& N, const SparseRows<T>& J, const VecXT<T>& E);

  int n_ = 0, m_ = 0;
  Kind kind_ = Kind::kLdlt;
  std::vector<Fixed> fixed_;  // plain and with rows added to N; empty where it does not pay
  SmallLdlt<T> K_;
  EliminationPattern plain_, with_rows_;  // of the matrix, and of that with rows added to N
  bool shifted_ = false;   // N is factorised with rows added [B-4]
  SparseRows<T> J_;        // where it is
  std::vector<T> S_, SE_;  // S of a row, and what its y is scaled by
  mutable std::vector<T> g_;
  SparseColumns<T> A_;
  std::vector<std::pair<int, int>> N_places_, J_places_;  // of an entry and its mirror image
  std::vector<int> E_places_, full_places_;               // the latter of both triangles of N
  std::unique_ptr<LinearSolver<T>> sparse_, full_;
  SparseColumns<T> full_matrix_;
};

extern template class BorderedSolver<double>;
extern template class BorderedSolver<std::complex<double>>;

}  // namespace kinegrad

// Systems with a border of constraints (docs/theory/constrained.md, [B]):
//
//   | N   Jᵀ | |x|   |f|
//   | J  −E  | |y| = |g|        E diagonal, positive                                         [B-1]
//
// E keeps the matrix regular where rows of J depend on each other. Where the constraints are meant
// to hold exactly the system is solved again with g − E y, the method of multipliers: what E spoils
// falls by E/(J N⁻¹Jᵀ) each time, and a redundant set of rows stays harmless              [B-2].
#pragma once

#include <Eigen/LU>
#include <span>

#include "kinegrad/math/sparse_rows.hpp"

namespace kinegrad {

/// Dense. Nothing is allocated after resize().
template <Scalar T>
class BorderedSolver {
 public:
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  void resize(int n, int m);

  /// N symmetric, its upper triangle given: LDLᵀ; the matrix is quasi-definite if N is positive
  /// definite, so no pivoting is needed. False if N is singular.
  bool factorize_symmetric(const Matrix& N, const SparseRows<T>& J, const VecXT<T>& E);
  /// Any N: LU.
  bool factorize(const Matrix& N, const SparseRows<T>& J, const VecXT<T>& E);

  /// z = (f; g) in, (x; y) out.
  void solve(VecXT<T>& z) const;
  int size() const { return n_ + m_; }

 private:
  void fill(const Matrix& N, const SparseRows<T>& J, const VecXT<T>& E, bool full);
  bool ldlt();

  int n_ = 0, m_ = 0;
  bool symmetric_ = true;
  Matrix K_;  // lower triangle: L below the diagonal, the inverse of D on it
  mutable VecXT<T> work_;
  Eigen::PartialPivLU<Matrix> lu_;
};

extern template class BorderedSolver<double>;
extern template class BorderedSolver<std::complex<double>>;

}  // namespace kinegrad

// Square linear systems A x = b with a matrix whose pattern never changes: one interface for dense
// and sparse factorisations.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kinegrad/math/scalar.hpp"

namespace kinegrad {

/// A square matrix by columns.
template <typename T>
struct SparseColumns {
  std::vector<int> start{0}, row;  ///< rows ascending within a column
  std::vector<T> value;
  int size() const { return static_cast<int>(start.size()) - 1; }
};

/// T = double or Complex. Nothing is allocated after the first factorize().
template <Scalar T>
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  /// False if the matrix is singular or not finite.
  virtual bool factorize(const SparseColumns<T>& A) = 0;
  /// x holds the right side, then the solution.
  virtual void solve(std::span<T> x) const = 0;
  /// The same with Aᵀ.
  virtual void solve_transposed(std::span<T> x) const = 0;
};

/// With fewer entries than this a sparse factorisation pays: measured, it does from some sixty unknowns
/// on if most of the matrix is empty.
inline std::size_t sparse_limit(int size) {
  constexpr int kSmall = 60;
  constexpr double kFull = 0.2;
  return size > kSmall ? static_cast<std::size_t>(kFull * size * size) : 0;
}

/// LU with partial pivoting.
template <Scalar T>
std::unique_ptr<LinearSolver<T>> make_dense_lu(int size);
/// SuiteSparse's KLU: orders once, pivots at the first matrix and keeps the order as long as it does
/// not lose digits.
template <Scalar T>
std::unique_ptr<LinearSolver<T>> make_sparse_lu();

}  // namespace kinegrad

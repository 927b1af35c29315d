// The change of least length that meets rows, and what is left of a change beside them: with rows J that
// are independent,
//
//   [ I  Jᵀ ; J  0 ] [d; y] = [x; b]         d = (I − J⁺J)x + J⁺b,   x − d = Jᵀy        [KP-10]
//
// Analytic in J: complex rows are transposed, not conjugated.
#pragma once

#include <Eigen/QR>
#include <vector>

#include "kinegrad/math/small_lu.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

/// Rows that span all of them, as column pivoting finds them, and an orthonormal basis beside them.
class IndependentRows {
 public:
  IndependentRows(const MatX& J, double tolerance);

  std::vector<int> rows;  ///< in ascending order
  /// How many columns the basis has.
  int free() const { return static_cast<int>(columns_) - static_cast<int>(rows.size()); }
  /// Columns z with J z = 0. A matrix of the size of J's columns squared: only for who needs it.
  MatX beside() const;

 private:
  Eigen::Index columns_;
  Eigen::ColPivHouseholderQR<MatX> factor_;
};

template <Scalar T>
class Nearest {
 public:
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  /// False if the rows depend on each other.
  bool take(const Matrix& J);
  void solve(const VecXT<T>& x, const VecXT<T>& b);
  VecXT<T> change() const { return z_.head(columns_); }                   ///< d
  VecXT<T> multipliers() const { return z_.tail(z_.size() - columns_); }  ///< y

 private:
  SmallLu<T> lu_;
  VecXT<T> z_;
  Eigen::Index columns_ = 0;
};

}  // namespace kinegrad

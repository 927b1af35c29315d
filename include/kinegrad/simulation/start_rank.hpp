// The rank rule [RK-3] for parts of a Jacobian, as starts have them: equations are divided by the size of their
// terms [KP-12], and what is left of a column or an equation is compared with the whole Jacobian, of which
// the matrix at hand may be a part. A part whose entries are all rounding has rank zero.
#pragma once

#include <Eigen/QR>

#include "kinegrad/math/rank_rule.hpp"
#include "kinegrad/simulation/nearest.hpp"

namespace kinegrad {

/// Of the whole Jacobian.
inline constexpr double kStartRank = rank::kDependent;

/// The largest column of a matrix, what pivoting starts with.
inline double largest_column(const MatX& A) {
  return A.size() == 0 ? 0 : A.colwise().norm().maxCoeff();  // holomorphic: real
}

/// What a part is compared with: its whole Jacobian, which scaled equations make about 1, so that one
/// that is rounding altogether does not pass.
inline double size_of_whole(const MatX& J) { return std::max(1.0, largest_column(J)); }

/// The equations that span all of a part, and a basis of what they leave free.
inline IndependentRows independent_equations(const MatX& part) {
  const double own = largest_column(part.transpose());
  if (!(own > kStartRank)) return IndependentRows(MatX::Zero(0, part.cols()), kStartRank);
  return IndependentRows(part, kStartRank * std::max(1.0, own) / own);
}

/// Least squares with a part of a Jacobian of size `whole`: the shortest solution.
class PartSolver {
 public:
  PartSolver() = default;
  PartSolver(const MatX& part, double whole) { compute(part, whole); }

  void compute(const MatX& part, double whole) {
    rows_ = part.rows();
    columns_ = part.cols();
    const double own = largest_column(part);
    empty_ = !(own > kStartRank * whole);
    if (empty_) return;
    factor_.setThreshold(kStartRank * whole / own);
    factor_.compute(part);
  }
  int rank() const { return empty_ ? 0 : static_cast<int>(factor_.rank()); }
  MatX solve(const MatX& b) const {
    if (empty_) return MatX::Zero(columns_, b.cols());
    return factor_.solve(b);
  }
  MatX solve_transposed(const MatX& x) const {
    if (empty_) return MatX::Zero(rows_, x.cols());
    return factor_.transpose().solve(x);
  }

 private:
  Eigen::CompleteOrthogonalDecomposition<MatX> factor_;
  Eigen::Index rows_ = 0, columns_ = 0;
  bool empty_ = true;
};

/// A real function of a vector, of complex ones by their parts.
template <typename T, typename F>
VecXT<T> by_parts(const VecXT<T>& x, const F& f) {
  if constexpr (std::is_same_v<T, double>) {
    return f(x);
  } else {
    const VecX re = f(x.real()), im = f(x.imag());
    VecXT<T> y(re.size());
    y.real() = re;
    y.imag() = im;
    return y;
  }
}

}  // namespace kinegrad

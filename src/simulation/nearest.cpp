#include "kinegrad/simulation/nearest.hpp"

#include <algorithm>

namespace kinegrad {

IndependentRows::IndependentRows(const MatX& J, double tolerance) {
  const Eigen::Index n = J.cols();
  if (J.rows() == 0) {
    beside.setIdentity(n, n);
    return;
  }
  Eigen::ColPivHouseholderQR<MatX> factor;
  factor.setThreshold(tolerance);
  factor.compute(J.transpose());
  const Eigen::Index rank = factor.rank();
  for (Eigen::Index i = 0; i < rank; ++i) {
    rows.push_back(static_cast<int>(factor.colsPermutation().indices()(i)));
  }
  std::sort(rows.begin(), rows.end());
  const MatX Q = factor.householderQ() * MatX::Identity(n, n);
  beside = Q.rightCols(n - rank);
}

template <Scalar T>
bool Nearest<T>::take(const Matrix& J) {
  columns_ = J.cols();
  const auto n = static_cast<int>(J.cols()), l = static_cast<int>(J.rows());
  lu_.resize(n + l);
  for (int j = 0; j < n; ++j) {
    lu_.at(j, j) = T(1);
    for (int i = 0; i < l; ++i) lu_.at(n + i, j) = lu_.at(j, n + i) = J(i, j);
  }
  z_.setConstant(n + l, T(0));
  return lu_.factorize();
}

template <Scalar T>
void Nearest<T>::solve(const VecXT<T>& x, const VecXT<T>& b) {
  z_ << x, b;
  lu_.solve(out(z_));
}

template class Nearest<double>;
template class Nearest<Complex>;

}  // namespace kinegrad

#include "kinegrad/simulation/nearest.hpp"

#include <algorithm>

namespace kinegrad {

IndependentRows::IndependentRows(const MatX& J, double tolerance) : columns_(J.cols()) {
  if (J.rows() == 0) return;
  factor_.setThreshold(tolerance);
  factor_.compute(J.transpose());
  for (Eigen::Index i = 0; i < factor_.rank(); ++i) {
    rows.push_back(static_cast<int>(factor_.colsPermutation().indices()(i)));
  }
  std::sort(rows.begin(), rows.end());
}

MatX IndependentRows::beside() const {
  const Eigen::Index n = columns_;
  if (rows.empty() && factor_.rows() == 0) return MatX::Identity(n, n);
  const MatX Q = factor_.householderQ() * MatX::Identity(n, n);
  return Q.rightCols(free());
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

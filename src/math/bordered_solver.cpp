#include "kinegrad/math/bordered_solver.hpp"

#include <cmath>

namespace kinegrad {

template <Scalar T>
void BorderedSolver<T>::resize(int n, int m) {
  n_ = n;
  m_ = m;
  K_.resize(size(), size());
  K_.setConstant(T(0));
  work_.resize(size());
  lu_ = Eigen::PartialPivLU<Matrix>(size());
}

template <Scalar T>
void BorderedSolver<T>::fill(const Matrix& N, const SparseRows<T>& J, const VecXT<T>& E,
                             bool full) {
  for (int j = 0; j < n_; ++j) {
    if (full) {
      K_.col(j).head(n_) = N.col(j);
    } else {
      for (int i = j; i < n_; ++i) K_(i, j) = N(j, i);
    }
    for (int i = n_; i < n_ + m_; ++i) K_(i, j) = T(0);
  }
  for (int j = n_; j < n_ + m_; ++j) {
    for (int i = full ? 0 : j; i < n_ + m_; ++i) K_(i, j) = T(0);
    K_(j, j) = -E(j - n_);
  }
  for (int i = 0; i < m_; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(J.start[row]);
         k < static_cast<std::size_t>(J.start[row + 1]); ++k) {
      K_(n_ + i, J.column[k]) = J.value[k];
      if (full) K_(J.column[k], n_ + i) = J.value[k];
    }
  }
}

/// K = L D Lᵀ by columns; a pivot far below its own diagonal means that N is singular.
template <Scalar T>
bool BorderedSolver<T>::ldlt() {
  constexpr double kLost = 1e-13;  // a pivot below this part of its diagonal has no digit left
  const int s = size();
  bool fine = true;
  for (int j = 0; j < s; ++j) {
    const double before = real_part(K_(j, j));
    for (int k = 0; k < j; ++k) work_(k) = K_(j, k) * K_(k, k);
    T d = K_(j, j);
    for (int k = 0; k < j; ++k) d -= K_(j, k) * work_(k);
    if (j < n_ && !(real_part(d) > kLost * before)) fine = false;
    K_(j, j) = d;
    const T inverse = T(1) / d;
    for (int i = j + 1; i < s; ++i) {
      T sum = K_(i, j);
      for (int k = 0; k < j; ++k) sum -= K_(i, k) * work_(k);
      K_(i, j) = sum * inverse;
    }
  }
  for (int j = 0; j < s; ++j) K_(j, j) = T(1) / K_(j, j);
  return fine;
}

template <Scalar T>
bool BorderedSolver<T>::factorize_symmetric(const Matrix& N, const SparseRows<T>& J,
                                            const VecXT<T>& E) {
  symmetric_ = true;
  fill(N, J, E, false);
  return ldlt();
}

template <Scalar T>
bool BorderedSolver<T>::factorize(const Matrix& N, const SparseRows<T>& J, const VecXT<T>& E) {
  symmetric_ = false;
  fill(N, J, E, true);
  lu_.compute(K_);
  return std::isfinite(real_part(lu_.matrixLU().diagonal().sum()));
}

template <Scalar T>
void BorderedSolver<T>::solve(VecXT<T>& z) const {
  if (!symmetric_) {
    work_.noalias() = lu_.solve(z);
    z = work_;
    return;
  }
  const int s = size();
  for (int j = 0; j < s; ++j) {
    const T x = z(j);
    for (int i = j + 1; i < s; ++i) z(i) -= K_(i, j) * x;
  }
  for (int j = 0; j < s; ++j) z(j) *= K_(j, j);
  for (int j = s; j-- > 0;) {
    T sum = z(j);
    for (int i = j + 1; i < s; ++i) sum -= K_(i, j) * z(i);
    z(j) = sum;
  }
}

template class BorderedSolver<double>;
template class BorderedSolver<std::complex<double>>;

}  // namespace kinegrad

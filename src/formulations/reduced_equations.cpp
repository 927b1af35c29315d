#include "kinegrad/formulations/reduced_equations.hpp"

#include <cmath>

#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

/// RᵀA R of the first columns of R, into a matrix to be factorised.
template <typename T, typename Columns>
void reduce_matrix(const SparseUpper<T>& A, const Columns& R, int freedom, Columns& AR,
                   SmallLu<T>& out) {
  const auto n = static_cast<std::size_t>(A.size());
  out.resize(freedom);
  for (int j = 0; j < freedom; ++j) {
    AR.col(j).setConstant(T(0));
    A.add_product({R.col(j).data(), n}, {AR.col(j).data(), n});
    for (int i = 0; i < freedom; ++i) out.at(i, j) = la::dot(R.col(i), AR.col(j));
  }
}

}  // namespace

template <Scalar T>
ReducedEquations<T>::ReducedEquations(MechanicalSystem<T>& system)
    : system_(system),
      n_(system.nq()),
      MR_(n_, n_),
      NR_(n_, n_),
      M_(system.pattern()),
      x_(n_),
      part_(n_),
      real_(n_) {
  mass_lu_.reserve(n_);
  newton_.reserve(n_);
  N_.start = M_.start;
  N_.row = M_.row;
  N_.value.resize(M_.value.size());
}

template <Scalar T>
void ReducedEquations<T>::lift_residual(const VecXT<T>& lift, VecXT<T>& r) {
  system_.mass_matrix(M_);
  r = system_.r();
  M_.add_product(in(lift), out(r));
}

template <Scalar T>
bool ReducedEquations<T>::accelerate(const Matrix& R, int freedom, VecXT<T>& a, VecXT<T>& r) {
  lift_residual(a, r);
  reduce_matrix<T>(M_, R, freedom, MR_, mass_lu_);
  if (!mass_lu_.factorize()) return false;
  for (int j = 0; j < freedom; ++j) x_(j) = -la::dot(R.col(j), r);
  mass_lu_.solve({x_.data(), static_cast<std::size_t>(freedom)});
  for (int j = 0; j < freedom; ++j) {
    a += R.col(j) * x_(j);
    r += MR_.col(j) * x_(j);
  }
  return true;
}

template <Scalar T>
bool ReducedEquations<T>::correct(T t, std::span<const T> q, std::span<const T> v,
                                  std::span<const T> a, const VecXT<T>& r, const Matrix& R,
                                  int freedom, const NewtonCoefficients& c, VecXT<T>& x) {
  constexpr double kFast = 1e-2;
  if (!c.kept && (corrections_ == 0 || c.exact || last_ratio_ > kFast)) {
    if (!prepare_newton(t, q, v, a, R, freedom, c)) return false;
  }
  for (int j = 0; j < freedom; ++j) x(j) = -la::dot(R.col(j), r);
  const auto f = static_cast<std::size_t>(freedom);
  if constexpr (std::is_same_v<T, double>) {
    newton_.solve({x.data(), f});
  } else {
    for (int j = 0; j < freedom; ++j) real_(j) = x(j).real();
    newton_.solve({real_.data(), f});
    for (int j = 0; j < freedom; ++j) part_(j) = x(j).imag();
    newton_.solve({part_.data(), f});
    for (int j = 0; j < freedom; ++j) x(j) = T(real_(j), part_(j));
  }
  return true;
}

template <Scalar T>
bool ReducedEquations<T>::took(double squared_size, const NewtonCoefficients& c) {
  if (c.kept) return std::isfinite(squared_size);
  last_ratio_ = corrections_ == 0 ? 0 : std::sqrt(squared_size / (last_size_ + 1e-300));
  last_size_ = squared_size;
  ++corrections_;
  return std::isfinite(squared_size);
}

/// RᵀN R; N is taken at the real parts.
template <Scalar T>
bool ReducedEquations<T>::prepare_newton(T t, std::span<const T> q, std::span<const T> v,
                                         std::span<const T> a, const Matrix& R, int freedom,
                                         const NewtonCoefficients& c) {
  const auto real_R = [&](int i, int j) { return real_part(R(i, j)); };
  if (!c.exact && system_.is_nearly_symmetric()) {
    system_.newton_matrix(t, q, v, a, c, N_);
    if constexpr (std::is_same_v<T, double>) {
      reduce_matrix<double>(N_, R, freedom, NR_, newton_);
    } else {
      exact_.resize(n_, n_);
      for (int j = 0; j < freedom; ++j) {
        for (int i = 0; i < n_; ++i) exact_(i, j) = real_R(i, j);
      }
      reduce_matrix<double>(N_, exact_, freedom, NR_, newton_);
    }
    return newton_.factorize() || freedom == 0;
  }
  exact_.resize(n_, n_);
  system_.exact_matrix(t, q, v, a, c, exact_);
  newton_.resize(freedom);
  for (int j = 0; j < freedom; ++j) {
    for (int i = 0; i < freedom; ++i) {
      double sum = 0;
      for (int k = 0; k < n_; ++k) {
        for (int l = 0; l < n_; ++l) sum += real_R(k, i) * exact_(k, l) * real_R(l, j);
      }
      newton_.at(i, j) = sum;
    }
  }
  return newton_.factorize() || freedom == 0;
}

template class ReducedEquations<double>;
template class ReducedEquations<Complex>;

}  // namespace kinegrad

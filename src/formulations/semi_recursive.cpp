#include "kinegrad/formulations/semi_recursive.hpp"

#include <cmath>
#include <utility>

namespace kinegrad {

template <Scalar T>
SemiRecursive<T>::SemiRecursive(SharedTree<T> constants)
    : constants_(std::move(constants)),
      tree_(constants_.get()),
      state_(tree_),
      mass_(tree_.bodies),
      real_(tree_),
      real_state_(real_, state_),
      real_mass_(real_.get().bodies),
      linearized_(real_.get().bodies, real_state_.get().motion),
      forces_(real_.get(), real_state_.get()),
      beyond_(real_.get().bodies.nodes.size()),
      euler_(euler_sets_of(tree_.model())),
      kappa_(euler_.size()),
      M_(tree_.nq(), tree_.nq()),
      N_(tree_.nq(), tree_.nq()),
      r_q_(tree_.nq(), tree_.nq()),
      r_v_(tree_.nq(), tree_.nq()),
      newton_(tree_.nq()),
      right_(tree_.nq()),
      zero_(VecXT<T>::Constant(tree_.nq(), T(0))),
      part_(tree_.nq()) {
  M_.setConstant(T(0));
}

template <Scalar T>
void SemiRecursive<T>::set_parameters(std::span<const T> p) {
  constants_.set(p);
  real_.update();
}

template <Scalar T>
bool SemiRecursive<T>::acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                                    std::span<T>) {
  const auto n = static_cast<std::size_t>(nq());
  mass_matrix(tree_.bodies, q, mass_, M_);
  residual(tree_, t, q, v, {zero_.data(), n}, state_, {right_.data(), n});
  for (int first : euler_) {  // [FO-1] with φ = pᵀa + ṗᵀṗ
    const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + first);
    const auto pdot = Eigen::Map<const Vec<T, 4>>(v.data() + first);
    const T kappa = M_.template block<4, 4>(first, first).trace();
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i <= j; ++i) M_(first + i, first + j) += kappa * p(i) * p(j);
    }
    const T along = la::dot(p, right_.template segment<4>(first)) / la::squared_norm(p);
    right_.template segment<4>(first) += p * (kappa * la::squared_norm(pdot) - along);
  }
  Eigen::Map<VecXT<T>> out(a.data(), nq());
  out = -right_;
  if constexpr (std::is_same_v<T, double>) {
    factor_.compute(M_);
    if (factor_.info() != Eigen::Success) return false;
    factor_.solveInPlace(out);
  } else {
    M_.template triangularView<Eigen::StrictlyLower>() = M_.transpose();
    factor_.compute(M_);
    right_ = factor_.solve(out);
    out = right_;
  }
  return true;
}

template <Scalar T>
bool SemiRecursive<T>::prepare(T t, std::span<const T> q, std::span<const T> v,
                               std::span<const T> a, const NewtonCoefficients& c) {
  RealState<T>& x = real_state_;
  x.evaluate(t, q, v, a);
  linearize(x.t(), x.q(), x.v(), x.a(), linearized_, forces_);
  if (c.exact) {
    residual_matrices(linearized_, forces_, beyond_, r_q_, r_v_, N_);
  } else {
    r_q_.setZero();
    r_v_.setZero();
    add_force_matrices(linearized_, forces_, false, r_q_, r_v_);
    mass_matrix(real_.get().bodies, x.q(), real_mass_, N_);
    N_.triangularView<Eigen::StrictlyLower>() = N_.transpose();
  }
  for (std::size_t e = 0; e < euler_.size(); ++e) {
    const int first = euler_[e];
    const auto p = Eigen::Map<const Vec<double, 4>>(x.q().data() + first);
    const double kappa = N_.block<4, 4>(first, first).trace();
    kappa_[e] = T(kappa);
    for (int j = 0; j < 4; ++j) {
      const double slope = this->normalisation_slope(first + j, q, v, a, c);
      for (int i = 0; i < 4; ++i) N_(first + i, first + j) += kappa * p(i) * slope;
    }
  }
  N_ += c.c_v * r_v_ + c.c_q * r_q_;
  newton_.compute(N_);
  return N_.allFinite();
}

template <Scalar T>
bool SemiRecursive<T>::correct(T t, std::span<const T> q, std::span<const T> v,
                               std::span<const T> a, std::span<T>, const NewtonCoefficients& c,
                               std::span<T> delta) {
  residual(tree_, t, q, v, a, state_, {right_.data(), static_cast<std::size_t>(nq())});
  right_ = -right_;
  if (!c.kept && !prepare(t, q, v, a, c)) return false;
  for (std::size_t e = 0; e < euler_.size(); ++e) {  // [FO-1]
    const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + euler_[e]);
    const T phi = this->normalisation(euler_[e], q, v, a, c);
    right_.template segment<4>(euler_[e]) -= p * (kappa_[e] * phi);
  }
  Eigen::Map<VecXT<T>> out(delta.data(), nq());
  if constexpr (std::is_same_v<T, double>) {
    out.noalias() = newton_.solve(right_);
  } else {  // a real matrix: both parts by themselves
    part_ = newton_.solve(right_.real().eval());
    out.real() = part_;
    part_ = newton_.solve(right_.imag().eval());
    out.imag() = part_;
  }
  return true;
}

template class SemiRecursive<double>;
template class SemiRecursive<Complex>;

}  // namespace kinegrad

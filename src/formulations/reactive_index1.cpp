#include "kinegrad/formulations/reactive_index1.hpp"

#include <algorithm>
#include <cmath>

#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

template <typename T>
void take_real(std::span<const T> from, std::vector<double>& to) {
  to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = real_part(from[i]);
}

/// Real and imaginary part count alike: both are to be round-off.
double size_of(double x) { return std::abs(x); }
double size_of(const Complex& x) {
  return std::max(std::abs(x.real()), 1e200 * std::abs(x.imag()));  // holomorphic: a size
}

}  // namespace

template <Scalar T>
ReactiveIndex1<T>::ReactiveIndex1(const Model& model, std::unique_ptr<MechanicalSystem<T>> system,
                                  std::unique_ptr<SystemPartials> partials,
                                  const FormulationOptions& options)
    : system_(std::move(system)),
      forces_(model),
      partials_(std::move(partials)),
      n_(system_->nq()),
      m_(system_->rows()),
      z_(n_ + m_),
      part_(n_ + m_),
      kappa_(static_cast<Eigen::Index>(system_->euler_sets().size())),
      K_(n_ + m_, n_ + m_),
      lu_(n_ + m_) {
  options.validate();
  stabilisation_ = {std::max(options.stabilisation_frequency, 0.0),  // holomorphic: an option
                    options.stabilisation_damping};
}

template <Scalar T>
void ReactiveIndex1<T>::set_parameters(std::span<const T> p) {
  system_->set_parameters(p);
  forces_.set_parameters(p);
  take_real(p, p_);
  partials_->set_parameters(p_);
}

/// z = −(f, ℓ), completed [FO-1]; c_q = 0: at acceleration level.
template <Scalar T>
void ReactiveIndex1<T>::residual(T t, std::span<const T> q, std::span<const T> v,
                                 std::span<const T> a, std::span<const T> lambda, double c_q) {
  system_->evaluate(t, q, v, a);
  z_.head(n_) = system_->r();
  const std::span<T> f(z_.data(), static_cast<std::size_t>(n_));
  system_->Phi_q().add_transposed(lambda, f);
  forces_.subtract(t, q, v, a, lambda, f);
  const EulerSets sets = system_->euler_sets();
  for (std::size_t e = 0; e < sets.size(); ++e) {
    const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + sets[e]);
    const auto pdot = Eigen::Map<const Vec<T, 4>>(v.data() + sets[e]);
    const auto pddot = Eigen::Map<const Vec<T, 4>>(a.data() + sets[e]);
    auto part = z_.template segment<4>(sets[e]);
    const T along = la::dot(p, part) / la::squared_norm(p);
    const T phi = c_q == 0 ? la::dot(p, pddot) + la::squared_norm(pdot)
                           : (la::squared_norm(p) - T(1)) * T(0.5 / c_q);
    part += p * (T(kappa_(static_cast<Eigen::Index>(e))) * phi - along);
  }
  for (int i = 0; i < m_; ++i) z_(n_ + i) = stabilisation_.value(*system_, i);
  z_ = -z_;
}

/// The matrix of [RL-3] at the real part of a state. False where it is singular.
template <Scalar T>
bool ReactiveIndex1<T>::factorize(T t, std::span<const T> q, std::span<const T> v,
                                  std::span<const T> a, std::span<const T> lambda, double c_v,
                                  double c_q) {
  take_real(q, q_);
  take_real(v, v_);
  take_real(a, a_);
  take_real(lambda, lambda_);
  partials_->linearize(real_part(t), q_, v_, a_, lambda_);
  partials_->matrices(f_q_, f_v_, f_a_);
  partials_->jacobians(J_, RowLevels::kAll);
  K_.topLeftCorner(n_, n_) = f_a_ + c_v * f_v_ + c_q * f_q_;
  const EulerSets sets = system_->euler_sets();
  for (std::size_t e = 0; e < sets.size(); ++e) {
    const Vec<double, 4> p = Eigen::Map<const Vec<double, 4>>(q_.data() + sets[e]);
    double kappa = f_a_.block<4, 4>(sets[e], sets[e]).trace();
    if (!(kappa > 0)) kappa = 1;
    kappa_(static_cast<Eigen::Index>(e)) = kappa;
    K_.block<4, 4>(sets[e], sets[e]) += kappa * p * p.transpose();
  }
  K_.topRightCorner(n_, m_) = J_.Phi_q.transpose();
  partials_->add_reactive_columns(
      [&](int coordinate, int i, double x) { K_(coordinate, n_ + i) += x; });
  for (int i = 0; i < m_; ++i) {
    const auto level = stabilisation_.factors(i < system_->holonomic());
    K_.row(n_ + i).head(n_) =
        J_.Phi_q.row(i) +
        c_v * (J_.Phiddot_v.row(i) + level.phi_dot * J_.Phi_q.row(i)) +
        c_q * (J_.Phiddot_q.row(i) + level.phi_dot * J_.Phidot_q.row(i) +
               level.phi * J_.Phi_q.row(i));
  }
  K_.bottomRightCorner(m_, m_).setZero();
  if (!K_.allFinite()) return false;
  lu_.compute(K_);
  constexpr double kSingular = 1e-13;  // of the largest pivot: rounding, with some room
  const auto pivots = lu_.matrixLU().diagonal().cwiseAbs();
  return n_ + m_ == 0 || pivots.minCoeff() > kSingular * pivots.maxCoeff();
}

/// z ← K⁻¹z; its size.
template <Scalar T>
double ReactiveIndex1<T>::solve() {
  if constexpr (std::is_same_v<T, double>) {
    z_ = lu_.solve(z_).eval();
  } else {  // a real matrix: both parts by themselves
    part_ = lu_.solve(z_.real()).eval();
    z_.real() = part_;
    part_ = lu_.solve(z_.imag()).eval();
    z_.imag() = part_;
  }
  double size = 0;
  for (int i = 0; i < n_ + m_; ++i) size = std::max(size, size_of(z_(i)));  // holomorphic: a size
  return size;
}

/// Newton's method from rest without multipliers: the first correction is the motion without what the reactions
/// would add. Corrections that do not shrink for long have no solution to go to.
template <Scalar T>
bool ReactiveIndex1<T>::acceleration(T t, std::span<const T> q, std::span<const T> v,
                                     std::span<T> a, std::span<T> lambda) {
  constexpr int kMost = 60;
  constexpr double kRounding = 4e-15;
  std::fill(a.begin(), a.end(), T(0));
  std::fill(lambda.begin(), lambda.end(), T(0));
  double before = 0;
  for (int k = 0; k < kMost; ++k) {
    if (!factorize(t, q, v, a, lambda, 0, 0)) return false;
    residual(t, q, v, a, lambda, 0);
    const double change = solve();
    if (!std::isfinite(change)) return false;
    double size = 0;
    for (int i = 0; i < n_ + m_; ++i) {
      T& x = i < n_ ? a[static_cast<std::size_t>(i)] : lambda[static_cast<std::size_t>(i - n_)];
      x += z_(i);
      size = std::max(size, size_of(x));  // holomorphic: a size
    }
    const bool stands = k > 2 && change >= 0.5 * before && change <= 1e-10 * size;
    if (change <= kRounding * size || stands) return true;
    before = change;
  }
  return false;
}

template <Scalar T>
bool ReactiveIndex1<T>::correct(T t, std::span<const T> q, std::span<const T> v,
                                std::span<const T> a, std::span<T> lambda,
                                const NewtonCoefficients& c, std::span<T> delta) {
  if (!c.kept && !factorize(t, q, v, a, lambda, c.c_v, c.c_q)) return false;
  residual(t, q, v, a, lambda, c.c_q);
  const double size = solve();
  std::copy(z_.data(), z_.data() + n_, delta.begin());
  for (int i = 0; i < m_; ++i) lambda[static_cast<std::size_t>(i)] += z_(n_ + i);
  return std::isfinite(size);
}

template class ReactiveIndex1<double>;
template class ReactiveIndex1<Complex>;

}  // namespace kinegrad

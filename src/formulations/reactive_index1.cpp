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
                                  std::unique_ptr<SystemPartials> plain,
                                  const FormulationOptions& options)
    : system_(std::move(system)),
      forces_(model),
      partials_(std::move(partials)),
      plain_(std::move(plain)),
      n_(system_->nq()),
      m_(system_->rows()),
      z_(n_ + m_),
      part_(n_ + m_),
      real_(n_ + m_),
      scale_(n_ + m_),
      scaled_(n_ + m_),
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
  plain_->set_parameters(p_);
}

/// z = −(f, ℓ), completed [FO-1]; c_q = 0: at acceleration level.
template <Scalar T>
void ReactiveIndex1<T>::residual(T t, std::span<const T> q, std::span<const T> v,
                                 std::span<const T> a, std::span<const T> lambda,
                                 const NewtonCoefficients& c) {
  system_->evaluate(t, q, v, a);
  z_.head(n_) = system_->r();
  const std::span<T> f(z_.data(), static_cast<std::size_t>(n_));
  system_->Phi_q().add_transposed(lambda, f);
  if (reactive_) forces_.subtract(t, q, v, a, lambda, f);
  const EulerSets sets = system_->euler_sets();
  for (std::size_t e = 0; e < sets.size(); ++e) {
    const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + sets[e]);
    auto part = z_.template segment<4>(sets[e]);
    const T along = la::dot(p, part) / la::squared_norm(p);
    const T phi = this->normalisation(sets[e], q, v, a, c);
    part += p * (T(kappa_(static_cast<Eigen::Index>(e))) * phi - along);
  }
  for (int i = 0; i < m_; ++i) z_(n_ + i) = stabilisation_.value(*system_, i);
  z_ = -z_;
}

/// The matrix of [RL-3] at the real part of a state. False where it is singular.
template <Scalar T>
bool ReactiveIndex1<T>::factorize(T t, std::span<const T> q, std::span<const T> v,
                                  std::span<const T> a, std::span<const T> lambda,
                                  const NewtonCoefficients& c) {
  const double c_v = c.c_v, c_q = c.c_q;
  take_real(q, q_);
  take_real(v, v_);
  take_real(a, a_);
  take_real(lambda, lambda_);
  SystemPartials& partials = reactive_ ? *partials_ : *plain_;
  partials.linearize(real_part(t), q_, v_, a_, lambda_);
  partials.matrices(f_q_, f_v_, f_a_);
  partials.jacobians(J_, RowLevels::kAll);
  K_.topLeftCorner(n_, n_) = f_a_ + c_v * f_v_ + c_q * f_q_;
  const EulerSets sets = system_->euler_sets();
  for (std::size_t e = 0; e < sets.size(); ++e) {
    const Vec<double, 4> p = Eigen::Map<const Vec<double, 4>>(q_.data() + sets[e]);
    double kappa = f_a_.block<4, 4>(sets[e], sets[e]).trace();
    if (!(kappa > 0)) kappa = 1;
    kappa_(static_cast<Eigen::Index>(e)) = kappa;
    for (int j = 0; j < 4; ++j) {
      const double slope = this->normalisation_slope(sets[e] + j, q, v, a, c);
      for (int i = 0; i < 4; ++i) K_(sets[e] + i, sets[e] + j) += kappa * p(i) * slope;
    }
  }
  K_.topRightCorner(n_, m_) = J_.Phi_q.transpose();
  partials.add_reactive_columns(
      [&](int coordinate, int i, double x) { K_(coordinate, n_ + i) += x; });
  for (int i = 0; i < m_; ++i) {
    const auto level = stabilisation_.factors(i < system_->holonomic());
    K_.row(n_ + i).head(n_) = J_.Phi_q.row(i) +
                              c_v * (J_.Phiddot_v.row(i) + level.phi_dot * J_.Phi_q.row(i)) +
                              c_q * (J_.Phiddot_q.row(i) + level.phi_dot * J_.Phidot_q.row(i) +
                                     level.phi * J_.Phi_q.row(i));
  }
  K_.bottomRightCorner(m_, m_).setZero();
  if (!K_.allFinite()) return false;
  equilibrate();
  lu_.compute(K_);
  constexpr double kSingular = 1e-13;  // of the largest pivot: rounding, with some room
  double least = HUGE_VAL, largest = 0;
  for (Eigen::Index i = 0; i < n_ + m_; ++i) {
    const double pivot = std::abs(lu_.matrixLU()(i, i));  // holomorphic: a real matrix
    least = std::min(least, pivot);                       // holomorphic: a real matrix
    largest = std::max(largest, pivot);                   // holomorphic: a real matrix
  }
  return n_ + m_ == 0 || least > kSingular * largest;
}

/// K ← S K S, so that its entries are numbers without units: masses become 1, and so does what a constraint equation
/// moves.
template <Scalar T>
void ReactiveIndex1<T>::equilibrate() {
  scale_.setOnes();
  double largest = 0;
  for (int i = 0; i < n_; ++i)
    largest = std::max(largest, std::abs(K_(i, i)));  // holomorphic: real
  for (int i = 0; i < n_; ++i) {
    const double mass = std::abs(K_(i, i));  // holomorphic: a real matrix
    if (!border::is_massless(mass, largest)) scale_(i) = 1 / std::sqrt(mass);
  }
  for (int i = 0; i < m_; ++i) {
    double sum = 0;
    for (int j = 0; j < n_; ++j) {
      const double x = J_.Phi_q(i, j) * scale_(j);
      sum += x * x;
    }
    if (sum > 0) scale_(n_ + i) = 1 / std::sqrt(sum);
  }
  for (int j = 0; j < n_ + m_; ++j) {
    for (int i = 0; i < n_ + m_; ++i) K_(i, j) *= scale_(i) * scale_(j);
  }
}

/// z ← K⁻¹z; its size.
template <Scalar T>
double ReactiveIndex1<T>::solve() {
  const auto solved = [&](const auto& right) -> const VecX& {
    scaled_.array() = right.array() * scale_.array();
    part_.noalias() = lu_.permutationP() * scaled_;
    lu_.matrixLU().template triangularView<Eigen::UnitLower>().solveInPlace(part_);
    lu_.matrixLU().template triangularView<Eigen::Upper>().solveInPlace(part_);
    part_.array() *= scale_.array();
    return part_;
  };
  if constexpr (std::is_same_v<T, double>) {
    z_ = solved(z_);
  } else {  // a real matrix: one part after the other
    real_ = z_.real();
    z_.real() = solved(real_);
    real_ = z_.imag();
    z_.imag() = solved(real_);
  }
  double size = 0;
  for (int i = 0; i < n_ + m_; ++i) size = std::max(size, size_of(z_(i)));  // holomorphic: a size
  return size;
}

/// Newton's method. The first correction leaves out the forces that read reactions, which are not known yet; from there on
/// it is [RL-3]. Accelerations and multipliers have to settle each by itself: they have other units and sizes. Imaginary
/// parts follow in the two corrections after that, whose matrix is that of the solution.
template <Scalar T>
bool ReactiveIndex1<T>::acceleration(T t, std::span<const T> q, std::span<const T> v,
                                     std::span<T> a, std::span<T> lambda) {
  constexpr int kMost = 60;
  constexpr int kMore = std::is_same_v<T, double> ? 0 : 2;
  constexpr double kRounding = 4e-15, kStands = 1e-12;
  const NewtonCoefficients given{0, 0, false, false, true};  // q and v are
  std::fill(a.begin(), a.end(), T(0));
  std::fill(lambda.begin(), lambda.end(), T(0));
  double before = 0;
  int more = -1;  // corrections to go once the real part has settled
  for (int k = 0; k < kMost; ++k) {
    reactive_ = k > 0;
    if (!factorize(t, q, v, a, lambda, given)) return false;
    residual(t, q, v, a, lambda, given);
    if (!std::isfinite(solve())) return false;
    const double change =
        std::max(add_correction(0, n_, a), add_correction(n_, m_, lambda));  // holomorphic: sizes
    if (more > 0) --more;
    const bool stands = k > 3 && change >= 0.5 * before && change <= kStands;
    if (more < 0 && k > 0 && (change <= kRounding || stands)) more = kMore;
    if (more == 0) return true;
    before = change;
  }
  return false;
}

/// x += z from `first` on; the largest change over the largest number, of real parts.
template <Scalar T>
double ReactiveIndex1<T>::add_correction(int first, int count, std::span<T> x) const {
  double change = 0, size = 0;
  for (int i = 0; i < count; ++i) {
    T& entry = x[static_cast<std::size_t>(i)];
    entry += z_(first + i);
    change = std::max(change, std::abs(real_part(z_(first + i))));  // holomorphic: a size
    size = std::max(size, std::abs(real_part(entry)));              // holomorphic: a size
  }
  return size > 0 ? change / size : 0;
}

template <Scalar T>
bool ReactiveIndex1<T>::correct(T t, std::span<const T> q, std::span<const T> v,
                                std::span<const T> a, std::span<T> lambda,
                                const NewtonCoefficients& c, std::span<T> delta) {
  reactive_ = true;
  if (!c.kept && !factorize(t, q, v, a, lambda, c)) return false;
  residual(t, q, v, a, lambda, c);
  const double size = solve();
  std::copy(z_.data(), z_.data() + n_, delta.begin());
  for (int i = 0; i < m_; ++i) lambda[static_cast<std::size_t>(i)] += z_(n_ + i);
  return std::isfinite(size);
}

template class ReactiveIndex1<double>;
template class ReactiveIndex1<Complex>;

}  // namespace kinegrad

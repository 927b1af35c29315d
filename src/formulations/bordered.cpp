#include "kinegrad/formulations/bordered.hpp"

#include <algorithm>
#include <cmath>

#include "kinegrad/base/error.hpp"

namespace kinegrad {

void FormulationOptions::validate() const {
  const auto require = [](bool holds, const char* message) {
    if (!holds) throw InvalidArgument(message);
  };
  require(penalty > 0 && std::isfinite(penalty), "the penalty must be positive");
  require(std::isfinite(stabilisation_frequency), "the stabilisation frequency must be finite");
  require(stabilisation_damping > 0 && std::isfinite(stabilisation_damping),
          "the stabilisation damping must be positive");
  require(multiplier_start >= 0 && multiplier_start <= 1,
          "the multiplier start factor must be between 0 and 1");
  require(projection_scale > 0 && std::isfinite(projection_scale),
          "the projection scale must be positive");
}

namespace {

/// E of [B-1] where constraints are to hold exactly, as a part of what J M⁻¹Jᵀ has on its diagonal:
/// large enough that rows which depend on each other up to a drift of the motion (1e-6) stay
/// harmless, small enough to be forgotten after a few passes of [B-2].
constexpr double kSmallBorder = 1e-6;
constexpr int kPasses = 3;
/// Rows with less than this part of the largest diagonal count as if they had it: those that vanish,
/// as half of a planar loop's do, hold nothing but rounding, and a part of that would be no border.
constexpr double kSmallRow = 1e-4;

/// sizes → E.
template <typename Vector>
void make_small_border(Vector& sizes) {
  double largest = 0;
  for (const auto& x : sizes) largest = std::max(largest, real_part(x));
  for (auto& x : sizes) {
    x = kSmallBorder * std::max(real_part(x), kSmallRow * largest) + 1e-300;
  }
}

template <typename T>
std::span<const T> view(const VecXT<T>& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace

template <Scalar T>
Bordered<T>::Bordered(std::unique_ptr<MechanicalSystem<T>> system, const BorderRule& rule,
                      const FormulationOptions& options)
    : system_(std::move(system)),
      rule_(rule),
      options_(options),
      n_(system_->nq()),
      m_(system_->rows()),
      M_(n_, n_),
      N_(n_, n_),
      E_(m_),
      kappa_(static_cast<Eigen::Index>(system_->euler_sets().size())),
      z_(n_ + m_),
      right_(n_ + m_),
      zero_(VecXT<T>::Constant(n_, T(0))),
      E_real_(m_),
      part_(n_ + m_) {
  options_.validate();
  if (options_.stabilisation_frequency >= 0) rule_.omega = options_.stabilisation_frequency;
  rule_.xi = options_.stabilisation_damping;
  M_.setConstant(T(0));
  mass_.resize(n_, m_);
  newton_.resize(n_, m_);
  const SparseRows<T>& J = system_->Phi_q();
  J_real_ = {J.columns, J.start, J.column, std::vector<double>(J.value.size())};
}

/// M̃ of [FO-1], upper triangle.
template <Scalar T>
void Bordered<T>::complete_mass(std::span<const T> q) {
  const EulerSets sets = system_->euler_sets();
  for (std::size_t e = 0; e < sets.size(); ++e) {
    const int first = sets[e];
    const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + first);
    const T kappa = M_.template block<4, 4>(first, first).trace();
    kappa_(static_cast<Eigen::Index>(e)) = kappa;
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i <= j; ++i) M_(first + i, first + j) += kappa * p(i) * p(j);
    }
  }
}

/// E as a small part of the diagonal of J M⁻¹Jᵀ, which is taken with the diagonal of M alone.
template <Scalar T>
void Bordered<T>::small_border(const Matrix& M) {
  const SparseRows<T>& J = system_->Phi_q();
  for (int i = 0; i < m_; ++i) {
    double sum = 0;
    const auto row = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(J.start[row]);
         k < static_cast<std::size_t>(J.start[row + 1]); ++k) {
      const double x = real_part(J.value[k]);
      sum += x * x / real_part(M(J.column[k], J.column[k]));
    }
    E_(i) = T(sum);
  }
  make_small_border(E_);
}

/// Φ̈ + 2ξΩΦ̇ + Ω²Φ; of a nonholonomic row Φ̈ + ΩΦ̇.
template <Scalar T>
T Bordered<T>::stabilised(int row) const {
  const T rate = system_->Phi_dot()(row), second = system_->Phi_ddot()(row);
  if (row >= system_->holonomic()) return second + rate * T(rule_.omega);
  return second + rate * T(2 * rule_.xi * rule_.omega) +
         system_->Phi()(row) * T(rule_.omega * rule_.omega);
}

/// z ← solution for the right side z with the border's equations met without E [B-2].
template <Scalar T>
void Bordered<T>::solve_exactly(int passes) {
  right_ = z_;
  mass_.solve(z_);
  for (int pass = 1; pass < passes; ++pass) {
    for (int i = n_; i < n_ + m_; ++i) z_(i) = right_(i) - E_(i - n_) * z_(i);
    z_.head(n_) = right_.head(n_);
    mass_.solve(z_);
  }
}

template <Scalar T>
bool Bordered<T>::acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                               std::span<T> lambda) {
  system_->evaluate(t, q, v, view(zero_));
  system_->mass_matrix(q, M_);
  complete_mass(q);
  if (rule_.soft) {
    E_.setConstant(T(1 / options_.penalty));
  } else {
    small_border(M_);
  }
  if (!mass_.factorize_symmetric(M_, system_->Phi_q(), E_)) return false;
  z_.head(n_) = -system_->r();
  const EulerSets sets = system_->euler_sets();
  for (std::size_t e = 0; e < sets.size(); ++e) {  // [FO-1] with φ = pᵀa + ṗᵀṗ
    const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + sets[e]);
    const auto pdot = Eigen::Map<const Vec<T, 4>>(v.data() + sets[e]);
    auto f = z_.template segment<4>(sets[e]);
    const T along = la::dot(p, f) / la::squared_norm(p);
    f -= p * (kappa_(static_cast<Eigen::Index>(e)) * la::squared_norm(pdot) + along);
  }
  for (int i = 0; i < m_; ++i) z_(n_ + i) = -stabilised(i);
  solve_exactly(rule_.soft ? 1 : kPasses);
  std::copy(z_.data(), z_.data() + n_, a.begin());
  std::copy(z_.data() + n_, z_.data() + n_ + m_, lambda.begin());
  return true;
}

template <Scalar T>
bool Bordered<T>::begin_step(T, std::span<const T>, std::span<const T>) {
  first_correction_ = true;
  return true;
}

/// −(r + Φ_qᵀλ) completed, and minus the rows at the level of the rule.
template <Scalar T>
void Bordered<T>::newton_right(std::span<const T> q, std::span<const T> lambda,
                               const NewtonCoefficients& c) {
  z_.head(n_) = system_->r();
  system_->Phi_q().add_transposed(lambda, {z_.data(), static_cast<std::size_t>(n_)});
  z_.head(n_) = -z_.head(n_);
  const EulerSets sets = system_->euler_sets();
  for (std::size_t e = 0; e < sets.size(); ++e) {
    const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + sets[e]);
    const T phi = (la::squared_norm(p) - T(1)) * T(0.5 / c.c_q);
    z_.template segment<4>(sets[e]) -= p * (kappa_(static_cast<Eigen::Index>(e)) * phi);
  }
  for (int i = 0; i < m_; ++i) {
    T& g = z_(n_ + i);
    if (!rule_.position_level) {
      g = -stabilised(i);
      if (rule_.soft) g += lambda[static_cast<std::size_t>(i)] * T(1 / options_.penalty);
    } else if (i < system_->holonomic()) {
      g = system_->Phi()(i) * T(-1 / c.c_q);
    } else {
      g = system_->Phi_dot()(i) * T(-1 / c.c_v);
    }
  }
}

template <Scalar T>
bool Bordered<T>::correct(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                          std::span<T> lambda, const NewtonCoefficients& c, std::span<T> delta) {
  if (first_correction_ && rule_.augmented) {
    for (T& x : lambda) x *= T(options_.multiplier_start);  // [AL-2]
  }
  first_correction_ = false;
  system_->evaluate(t, q, v, a);
  system_->newton_matrix(t, q, v, a, c, N_);
  const EulerSets sets = system_->euler_sets();
  for (std::size_t e = 0; e < sets.size(); ++e) {
    const int first = sets[e];
    Vec<double, 4> p;
    for (int i = 0; i < 4; ++i) p(i) = real_part(q[static_cast<std::size_t>(first + i)]);
    const double kappa = N_.block<4, 4>(first, first).trace();
    kappa_(static_cast<Eigen::Index>(e)) = T(kappa);
    N_.block<4, 4>(first, first) += kappa * p * p.transpose();
  }
  newton_right(q, lambda, c);
  if (!factorize_newton(c)) return false;
  if constexpr (std::is_same_v<T, double>) {
    newton_.solve(z_);
  } else {  // a real matrix: both parts by themselves
    part_ = z_.real();
    newton_.solve(part_);
    z_.real() = part_;
    part_ = z_.imag();
    newton_.solve(part_);
    z_.imag() = part_;
  }
  std::copy(z_.data(), z_.data() + n_, delta.begin());
  for (int i = 0; i < m_; ++i) lambda[static_cast<std::size_t>(i)] += z_(n_ + i);
  return true;
}

/// Newton's matrix of all rules; the rows' own derivatives are taken as Φ_q alone.
template <Scalar T>
bool Bordered<T>::factorize_newton(const NewtonCoefficients& c) {
  const SparseRows<T>& J = system_->Phi_q();
  for (std::size_t k = 0; k < J.value.size(); ++k) J_real_.value[k] = real_part(J.value[k]);
  for (int i = 0; i < m_; ++i) {
    if (rule_.augmented) {
      const double slope = i < system_->holonomic() ? c.c_q : c.c_v;
      E_real_(i) = 1 / (options_.penalty * slope);
    } else if (rule_.soft) {
      E_real_(i) = 1 / options_.penalty;
    } else {
      double sum = 0;
      const auto row = static_cast<std::size_t>(i);
      for (auto k = static_cast<std::size_t>(J.start[row]);
           k < static_cast<std::size_t>(J.start[row + 1]); ++k) {
        sum += J_real_.value[k] * J_real_.value[k] / std::abs(N_(J.column[k], J.column[k]));
      }
      E_real_(i) = sum;
    }
  }
  if (!rule_.augmented && !rule_.soft) make_small_border(E_real_);
  if (!N_.allFinite()) return false;
  if (!c.exact && newton_.factorize_symmetric(N_, J_real_, E_real_)) return true;
  return newton_.factorize(N_, J_real_, E_real_);
}

/// Mass-orthogonal projections of speeds and accelerations onto the constraints [AL-3], [AL-4].
template <Scalar T>
bool Bordered<T>::finish(T t, std::span<const T> q, std::span<T> v, std::span<T> a,
                         std::span<T> lambda) {
  if (!rule_.projects) return Formulation<T>::finish(t, q, v, a, lambda);
  this->normalise(q, v, a);
  system_->evaluate(t, q, v, a);
  system_->mass_matrix(q, M_);
  complete_mass(q);
  if (options_.iterative_projections) {
    small_border(M_);
  } else {
    E_.setConstant(T(1 / (options_.projection_scale * options_.penalty)));
  }
  if (!mass_.factorize_symmetric(M_, system_->Phi_q(), E_)) return false;
  const int passes = options_.iterative_projections ? kPasses : 1;
  z_.head(n_).setConstant(T(0));
  for (int i = 0; i < m_; ++i) z_(n_ + i) = -system_->Phi_dot()(i);
  solve_exactly(passes);
  for (int i = 0; i < n_; ++i) v[static_cast<std::size_t>(i)] += z_(i);
  this->normalise(q, v, a);
  system_->evaluate(t, q, v, a);
  z_.head(n_).setConstant(T(0));
  for (int i = 0; i < m_; ++i) z_(n_ + i) = -system_->Phi_ddot()(i);
  solve_exactly(passes);
  for (int i = 0; i < n_; ++i) a[static_cast<std::size_t>(i)] += z_(i);
  for (int i = 0; i < m_; ++i) lambda[static_cast<std::size_t>(i)] += z_(n_ + i);
  return true;
}

template class Bordered<double>;
template class Bordered<Complex>;

}  // namespace kinegrad

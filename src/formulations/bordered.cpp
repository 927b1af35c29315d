#include "kinegrad/formulations/bordered.hpp"

#include <algorithm>
#include <cmath>

#include "kinegrad/base/error.hpp"
#include "kinegrad/math/row_span.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

void FormulationOptions::validate() const {
  const auto require = [](bool holds, const char* message) {
    if (!holds) throw InvalidArgument(message);
  };
  require(penalty >= 0 && std::isfinite(penalty), "the penalty must be positive");
  require(std::isfinite(stabilisation_frequency), "the stabilisation frequency must be finite");
  require(stabilisation_damping > 0 && std::isfinite(stabilisation_damping),
          "the stabilisation damping must be positive");
  require(multiplier_start >= 0 && multiplier_start <= 1,
          "the multiplier start factor must be between 0 and 1");
  require(projection_scale > 0 && std::isfinite(projection_scale),
          "the projection scale must be positive");
}

namespace {

/// Real and imaginary part count alike: both are to be round-off.
double size_of(double x) { return std::abs(x); }
double size_of(const Complex& x) {
  return std::max(std::abs(x.real()), 1e200 * std::abs(x.imag()));  // holomorphic: a size
}

bool all_finite(const MatX& A) { return A.allFinite(); }
bool all_finite(const SparseRows<double>& A) {
  return std::all_of(A.value.begin(), A.value.end(), [](double x) { return std::isfinite(x); });
}

/// A + κ p pᵀ with κ the trace of A's block [FO-1], or of A where nothing has mass there; returns κ.
template <typename T>
T complete_block(SparseUpper<T>& A, double largest, int first, const Vec<T, 4>& p) {
  T kappa(0);
  for (int i = first; i < first + 4; ++i) kappa += A.diagonal(i);
  if (border::is_massless(real_part(kappa), largest)) kappa = T(largest);
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i <= j; ++i) A.at(first + i, first + j) += kappa * p(i) * p(j);
  }
  return kappa;
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
      M_(system_->pattern()),
      E_(m_),
      kappa_(static_cast<Eigen::Index>(system_->euler_sets().size())),
      z_(n_ + m_),
      right_(n_ + m_),
      y_(m_),
      y_before_(m_),
      zero_(VecXT<T>::Constant(n_, T(0))),
      E_real_(m_),
      terms_(m_),
      sizes_(static_cast<std::size_t>(n_)),
      part_(n_ + m_) {
  last_ = {VecX::Zero(m_), VecX::Zero(m_), VecX::Zero(m_),
           VecX::Zero(m_), VecX::Zero(m_), VecX::Zero(n_)};
  options_.validate();
  stabilisation_ = {
      options_.stabilisation_frequency < 0 ? rule_.omega : options_.stabilisation_frequency,
      options_.stabilisation_damping};
  if (options_.penalty == 0) options_.penalty = rule_.penalty;
  constexpr double kLeastPenalty = 1e6;  // below, corrections are small before constraints are met
  if (rule_.augmented && options_.penalty < kLeastPenalty) {
    throw InvalidArgument("the penalty of ali3p must be at least 1e6");
  }
  const SparseRows<T>& J = system_->Phi_q();
  J_real_ = {J.columns, J.start, J.column, std::vector<double>(J.value.size())};
  N_.start = M_.start;
  N_.row = M_.row;
  N_.value.resize(M_.value.size());
  mass_.analyse(M_, J);
  newton_.analyse(N_, J_real_);
  J_rows_ = J_real_;
  if (newton_.sparse()) {
    exact_rows_ = M_.whole_pattern();
  } else {
    exact_.resize(n_, n_);
  }
}

template <Scalar T>
StageRule Bordered<T>::stage_rule() const {
  StageRule rule;
  rule.position_level = rule_.position_level;
  rule.stabilisation = stabilisation_;
  if (rule_.soft) rule.softness = 1 / options_.penalty;
  rule.projects = rule_.projects;
  if (!options_.iterative_projections) {
    rule.projection_softness = 1 / (options_.projection_scale * options_.penalty);
  }
  return rule;
}

/// What J N⁻¹Jᵀ is measured with: the inverse of the diagonal of N before it is completed, zero of what has no
/// mass.
template <Scalar T>
template <typename U>
void Bordered<T>::take_sizes(const SparseUpper<U>& N) {
  for (int j = 0; j < n_; ++j) sizes_[static_cast<std::size_t>(j)] = real_part(N.diagonal(j));
  border::spread_euler_sizes(sizes_, system_->euler_sets());
  largest_size_ = sizes_.empty() ? 0 : *std::max_element(sizes_.begin(), sizes_.end());
  for (double& size : sizes_) size = border::share(1, size, largest_size_);
}

/// A diagonal entry of J N⁻¹Jᵀ, with the diagonal of N alone.
template <Scalar T>
double Bordered<T>::row_size(int i) const {
  double sum = 0;
  const SparseRows<T>& J = system_->Phi_q();
  J.each(i, [&](int column, const T& value) {
    const double x = real_part(value);
    sum += x * x * sizes_[static_cast<std::size_t>(column)];
  });
  return sum;
}

/// M̃ of [FO-1].
template <Scalar T>
void Bordered<T>::complete_mass(std::span<const T> q) {
  take_sizes(M_);
  const EulerSets sets = system_->euler_sets();
  for (std::size_t e = 0; e < sets.size(); ++e) {
    const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + sets[e]);
    kappa_(static_cast<Eigen::Index>(e)) = complete_block<T>(M_, largest_size_, sets[e], p);
  }
}

template <Scalar T>
void Bordered<T>::small_border() {
  for (int i = 0; i < m_; ++i) E_(i) = T(row_size(i));
  border::make_small(small_part(), E_, [&](int i) { return system_->remaining(i); });
}

template <Scalar T>
double Bordered<T>::small_part() const {
  return rule_.position_level ? border::kSmallWhereHeld : border::kSmall;
}

/// aᵀM a of accelerations, or of speeds, with the diagonal of M alone.
template <Scalar T>
template <typename U>
double Bordered<T>::square_of(std::span<const U> motion) const {
  double sum = 0;
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    const double x = real_part(motion[k]);
    if (sizes_[k] > 0) sum += x * x / sizes_[k];
  }
  return sum;
}

/// Sizes of what the equations add up to with these accelerations, or speeds: Σ_k |J_ik a_k|.
template <Scalar T>
void Bordered<T>::take_terms(std::span<const T> motion) {
  const SparseRows<T>& J = system_->Phi_q();
  for (int i = 0; i < m_; ++i) {
    double sum = 0;
    J.each(i, [&](int column, const T& value) {
      sum += std::abs(real_part(value) *
                      real_part(motion[static_cast<std::size_t>(column)]));  // holomorphic: a size
    });
    terms_(i) = sum;
  }
  // of equations in which nothing moves rounding is left, of what moves elsewhere
  constexpr double kLeast = 1e-3;
  const double largest = terms_.lpNorm<Eigen::Infinity>();     // holomorphic: a size
  for (double& x : terms_) x = std::max(x, kLeast * largest);  // holomorphic: a size
}

/// Whether what the last pass missed, m = E |Δy|, is so small a part of the terms in all equations.
template <Scalar T>
bool Bordered<T>::met(double part) const {
  for (int i = 0; i < m_; ++i) {
    if (missed_of(i) > part * terms_(i)) return false;
  }
  return true;
}

template <Scalar T>
double Bordered<T>::missed_of(int i) const {
  return real_part(E_(i)) * size_of(z_(n_ + i) - y_(i));
}

/// z ← solution for the right side z with the border's equations met without E [B-2]. After a pass
/// they miss by E times what y has changed, which is rounding beside the terms of that motion: the one that was found
/// if none is given.
template <Scalar T>
void Bordered<T>::solve_exactly(int passes, std::span<const T> motion) {
  constexpr double kMet = 1e-16;
  right_ = z_;
  y_.setConstant(T(0));
  y_before_.setConstant(T(0));
  mass_.solve(z_);
  if (passes == 1) return;
  take_terms(motion.empty() ? std::span<const T>(z_.data(), static_cast<std::size_t>(n_)) : motion);
  for (int pass = 1; pass < passes && !met(kMet); ++pass) {
    y_before_ = y_;
    y_ = z_.tail(m_);
    z_ = right_;
    for (int i = 0; i < m_; ++i) z_(n_ + i) -= E_(i) * y_(i);
    mass_.solve(z_);
  }
}

/// The measure of what is left open beside these accelerations, or speeds.                       [LO-1]
template <Scalar T>
OpenEquations Bordered<T>::beside_motion(std::span<const T> motion) const {
  OpenEquations open;
  open.add_motion(square_of<T>(motion));
  return open;
}

/// What the last pass of [B-2] still changed is what it leaves open. In most steps that is rounding.   [LO-1]
template <Scalar T>
void Bordered<T>::keep_open(std::span<const T> a, std::span<const T> lambda) {
  constexpr double kRounding = 1e-13;
  if (met(kRounding)) return;
  OpenEquations open = beside_motion(a);
  for (int i = 0; i < m_; ++i) {
    const double E = real_part(E_(i));
    const double multiplier = lambda.empty() ? 0 : real_part(lambda[static_cast<std::size_t>(i)]);
    open.add({row_size(i), system_->remaining(i), E, E * size_of(y_(i) - y_before_(i)),
              missed_of(i) > kRounding * terms_(i) ? missed_of(i) : 0, multiplier});
  }
  open_ = std::max(open_, open.value());  // holomorphic: a size
}

template <Scalar T>
bool Bordered<T>::acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                               std::span<T> lambda) {
  system_->evaluate(t, q, v, in(zero_));
  system_->mass_matrix(M_);
  complete_mass(q);
  if (rule_.soft) {
    E_.setConstant(T(1 / options_.penalty));
  } else {
    small_border();
  }
  if (!mass_.factorize(M_, system_->Phi_q(), E_)) return false;
  z_.head(n_) = -system_->r();
  const EulerSets sets = system_->euler_sets();
  for (std::size_t e = 0; e < sets.size(); ++e) {  // [FO-1] with φ = pᵀa + ṗᵀṗ
    const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + sets[e]);
    const auto pdot = Eigen::Map<const Vec<T, 4>>(v.data() + sets[e]);
    auto f = z_.template segment<4>(sets[e]);
    const T along = la::dot(p, f) / la::squared_norm(p);
    f -= p * (kappa_(static_cast<Eigen::Index>(e)) * la::squared_norm(pdot) + along);
  }
  stabilised_rows();
  solve_exactly(rule_.soft ? 1 : border::kPasses, {});
  std::copy(z_.data(), z_.data() + n_, a.begin());
  std::copy(z_.data() + n_, z_.data() + n_ + m_, lambda.begin());
  if (!rule_.soft) keep_open(a, lambda);
  return true;
}

template <Scalar T>
bool Bordered<T>::begin_step(T, std::span<const T>, std::span<const T>) {
  corrections_ = 0;
  open_ = 0;
  last_.known = false;
  last_.missed.setZero();
  return true;
}

template <Scalar T>
void Bordered<T>::begin_stage() {
  open_ = open();  // of the stages before
  corrections_ = 0;
  last_.known = false;
  last_.missed.setZero();
}

/// −(r + Φ_qᵀλ) completed, and minus the rows at the level of the rule.
template <Scalar T>
void Bordered<T>::newton_right(std::span<const T> q, std::span<const T> v, std::span<const T> a,
                               std::span<const T> lambda, const NewtonCoefficients& c) {
  z_.head(n_) = system_->r();
  system_->Phi_q().add_transposed(lambda, {z_.data(), static_cast<std::size_t>(n_)});
  z_.head(n_) = -z_.head(n_);
  const EulerSets sets = system_->euler_sets();
  for (std::size_t e = 0; e < sets.size(); ++e) {
    const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + sets[e]);
    const T phi = this->normalisation(sets[e], q, v, a, c);
    auto f = z_.template segment<4>(sets[e]);
    // what constraint equations that read Euler parameters bring along p is η of [ST-1]
    const T along = c.normalises_accelerations ? la::dot(p, f) / la::squared_norm(p) : T(0);
    f -= p * (kappa_(static_cast<Eigen::Index>(e)) * phi + along);
  }
  if (!rule_.position_level) {
    stabilised_rows();
    if (rule_.soft) {
      const T softness(1 / options_.penalty);
      for (int i = 0; i < m_; ++i) z_(n_ + i) += lambda[static_cast<std::size_t>(i)] * softness;
    }
    return;
  }
  const int holonomic = system_->holonomic();
  const VecXT<T>&Phi = system_->Phi(), &Phi_dot = system_->Phi_dot();
  const T position(-1 / c.c_q), velocity(-1 / c.c_v);
  for (int i = 0; i < holonomic; ++i) z_(n_ + i) = Phi(i) * position;
  for (int i = holonomic; i < m_; ++i) {  // the multiplier of what others imply rests
    z_(n_ + i) = rule_.projects && dependent_[i] ? T(0) : Phi_dot(i) * velocity;
  }
}

/// −(Φ̈ + 2ξΩΦ̇ + Ω²Φ) of all equations, as right sides.
template <Scalar T>
void Bordered<T>::stabilised_rows() {
  const int holonomic = system_->holonomic();
  const VecXT<T>&Phi_dot = system_->Phi_dot(), &Phi_ddot = system_->Phi_ddot();
  if (stabilisation_.omega == 0) {
    z_.tail(m_) = -Phi_ddot;
    return;
  }
  const VecXT<T>& Phi = system_->Phi();
  for (int i = 0; i < m_; ++i) {
    const border::Stabilisation::Factors level = stabilisation_.factors(i < holonomic);
    z_(n_ + i) = -(Phi_ddot(i) + Phi_dot(i) * T(level.phi_dot));
    if (i < holonomic) z_(n_ + i) -= Phi(i) * T(level.phi);
  }
}

/// Where corrections do not shrink the step ends near a singular position: a smaller regularisation
/// and all terms of the matrix [B-3].
template <Scalar T>
void Bordered<T>::adapt_regularisation() {
  constexpr double kSlow = 0.2, kLeastScale = 1e-9;
  if (corrections_ == 0) {
    careful_ = false;
    border_scale_ = 1;
  } else if (corrections_ > 1 && last_ratio_ > kSlow) {
    careful_ = !rule_.position_level;
    if (rule_.position_level && border_scale_ > kLeastScale) border_scale_ *= 0.01;
  }
}

template <Scalar T>
bool Bordered<T>::correct(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                          std::span<T> lambda, const NewtonCoefficients& c, std::span<T> delta) {
  if (corrections_ == 0 && rule_.augmented) {
    for (T& x : lambda) x *= T(options_.multiplier_start);  // [AL-2]
  }
  system_->evaluate(t, q, v, a);
  // the matrix of the first correction serves as long as corrections shrink fast
  constexpr double kFast = 1e-2;
  const bool fresh = !c.kept && (corrections_ == 0 || c.exact || last_ratio_ > kFast);
  if (!c.kept) adapt_regularisation();
  if (fresh && !prepare_newton(t, q, v, a, c)) return false;
  const bool anew = finds_all_multipliers();
  newton_right(q, v, a, lambda, c);
  if (anew) {
    take_multipliers_out(lambda);
    solve_newton_exactly(a);
  } else {
    solve_newton();
  }
  if (border_scale_ < 1) limit_correction(c.c_q);
  double size = 0;
  for (int i = 0; i < n_; ++i) {
    delta[static_cast<std::size_t>(i)] = z_(i);
    const double x = real_part(z_(i));
    size += x * x;
  }
  for (int i = 0; i < m_; ++i) lambda[static_cast<std::size_t>(i)] += z_(n_ + i);
  if (c.kept) return std::isfinite(size);  // a trial leaves no memory behind
  if (anew) keep_correction(a, lambda);
  // corrections that are rounding shrink no further, and say nothing about the matrix
  constexpr double kRounding = 1e-13;
  const bool rounding = c.c_q * std::sqrt(size) <= kRounding;
  last_ratio_ = corrections_ == 0 || rounding ? 0 : std::sqrt(size / (last_size_ + 1e-300));
  last_size_ = size;
  ++corrections_;
  return std::isfinite(size);
}

/// z ← the solution of Newton's matrix, which is real, for both parts of the right side z.
template <Scalar T>
void Bordered<T>::solve_newton() {
  if constexpr (std::is_same_v<T, double>) {
    newton_.solve(z_);
  } else {
    part_ = z_.real();
    newton_.solve(part_);
    z_.real() = part_;
    part_ = z_.imag();
    newton_.solve(part_);
    z_.imag() = part_;
  }
}

/// Out of the right side go the multipliers that Newton's matrix finds anew, with its own Jᵀ: what the present one differs by, and
/// its imaginary part, stays.
template <Scalar T>
void Bordered<T>::take_multipliers_out(std::span<T> lambda) {
  for (int i = 0; i < m_; ++i) {
    T& y = lambda[static_cast<std::size_t>(i)];
    J_real_.each(i, [&](int column, double value) { z_(column) += y * T(value); });
    y = T(0);
  }
}

/// The same in the passes of [B-2], as many in every correction: the multipliers are all of λ, not what is to be added to it.
/// Equations that follow from others and differ by drift are pushed three times, not by every correction of the run.
///                                                                                                [B-11]
template <Scalar T>
void Bordered<T>::solve_newton_exactly(std::span<const T> a) {
  constexpr double kMet = 1e-16;
  right_ = z_;
  y_.setConstant(T(0));
  y_before_.setConstant(T(0));
  solve_newton();
  take_terms(a);
  const auto met = [&] {
    for (int i = 0; i < m_; ++i) {
      if (E_real_(i) * size_of(z_(n_ + i) - y_(i)) > kMet * terms_(i)) return false;
    }
    return true;
  };
  for (int pass = 1; pass < border::kPasses && !met(); ++pass) {
    y_before_ = y_;
    y_ = z_.tail(m_);
    z_ = right_;
    for (int i = 0; i < m_; ++i) z_(n_ + i) -= E_real_(i) * y_(i);
    solve_newton();
  }
}

/// The last pass of a correction leaves E Δλ of its equations open: nothing where they can be met, and more where equations depend on
/// each other and say different things. What it does to the motion is found where it is asked for.   [LO-1]
template <Scalar T>
void Bordered<T>::keep_correction(std::span<const T> a, std::span<const T> lambda) {
  constexpr double kRounding = 1e-13;
  for (int i = 0; i < m_; ++i) {
    last_.missed_before(i) = E_real_(i) * size_of(y_(i) - y_before_(i));
    const double missed = E_real_(i) * size_of(z_(n_ + i) - y_(i));
    last_.missed(i) = missed > kRounding * terms_(i) ? missed : 0;
    last_.lambda(i) = real_part(lambda[static_cast<std::size_t>(i)]);
  }
  for (int i = 0; i < n_; ++i) last_.a(i) = real_part(a[static_cast<std::size_t>(i)]);
  last_.known = true;
}

template <Scalar T>
double Bordered<T>::open() const {
  if (!last_.known) return open_;
  OpenEquations open;
  open.add_motion(square_of<double>(in(last_.a)));
  for (int i = 0; i < m_; ++i) {
    open.add({last_.size(i), last_.remaining(i), E_real_(i), last_.missed_before(i),
              last_.missed(i), last_.lambda(i)});
  }
  return std::max(open_, open.value());  // holomorphic: a size
}

/// With a small border a singular matrix throws coordinates away, perhaps to another solution: no
/// correction moves one by more than a tenth of a radian or metre.
template <Scalar T>
void Bordered<T>::limit_correction(double c_q) {
  constexpr double kLargest = 0.1;
  double largest = 0;
  for (int i = 0; i < n_; ++i) {
    const double x = real_part(z_(i));
    largest = std::max(largest, x < 0 ? -x : x);  // holomorphic: a size
  }
  if (c_q * largest > kLargest) z_ *= T(kLargest / (c_q * largest));
}

/// E of Newton's matrix: that of the rule, but of the augmented Lagrangian nowhere less than what keeps
/// equations harmless which depend on each other [B-5].
template <Scalar T>
void Bordered<T>::newton_border(const NewtonCoefficients& c) {
  if (rule_.soft) {
    E_real_.setConstant(1 / options_.penalty);
    return;
  }
  for (int i = 0; i < m_; ++i) {
    last_.size(i) = E_real_(i) = row_size(i);
    last_.remaining(i) = system_->remaining(i);
  }
  border::make_small(border::kSmall, E_real_, [&](int i) { return last_.remaining(i); });
  if (rule_.augmented) {
    const int holonomic = system_->holonomic();
    const double position = 1 / (options_.penalty * c.c_q);
    const double velocity = 1 / (options_.penalty * c.c_v);
    for (int i = 0; i < m_; ++i) {
      const double augmented = i < holonomic ? position : velocity;
      E_real_(i) = std::max(E_real_(i), augmented);  // holomorphic: a real border
    }
  }
  E_real_ *= border_scale_;
}

/// Equations on speeds that follow from others do so at the level of speeds alone: beside positions, which the
/// step has met exactly, and speeds, which it has met up to O(h²), they are a contradiction, and their
/// multipliers would grow with every correction [B-6].
template <Scalar T>
void Bordered<T>::leave_to_projections() {
  if (corrections_ == 0) {
    const auto row = [&](int i, VecX& x) { J_real_.add_row(i, 1, out(x)); };
    dependent_.find(m_, system_->holonomic(), n_, row,
                    [&](int i) { return system_->remaining(i); });
  }
  for (int i = system_->holonomic(); i < m_; ++i) {
    if (!dependent_[i]) continue;
    const auto first = J_real_.value.begin() + J_real_.start[static_cast<std::size_t>(i)];
    const auto last = J_real_.value.begin() + J_real_.start[static_cast<std::size_t>(i) + 1];
    std::fill(first, last, 0.0);
    E_real_(i) = 1;
  }
}

/// Newton's matrix of all rules; the rows' own derivatives are taken as Φ_q alone.
template <Scalar T>
bool Bordered<T>::prepare_newton(T t, std::span<const T> q, std::span<const T> v,
                                 std::span<const T> a, const NewtonCoefficients& c) {
  system_->newton_matrix(t, q, v, a, c, N_);
  const EulerSets sets = system_->euler_sets();
  take_sizes(N_);
  for (std::size_t e = 0; e < sets.size(); ++e) {
    Vec<double, 4> p;
    for (int i = 0; i < 4; ++i) p(i) = real_part(q[static_cast<std::size_t>(sets[e] + i)]);
    kappa_(static_cast<Eigen::Index>(e)) = T(complete_block<double>(N_, largest_size_, sets[e], p));
  }
  const SparseRows<T>& J = system_->Phi_q();
  for (std::size_t k = 0; k < J.value.size(); ++k) J_real_.value[k] = real_part(J.value[k]);
  newton_border(c);
  if (rule_.projects && system_->holonomic() < m_) leave_to_projections();
  const bool approximate = !c.exact && !careful_ && system_->is_nearly_symmetric();
  if (approximate && newton_.factorize(N_, J_real_, E_real_)) return true;
  if (newton_.sparse()) return take_exact(t, q, v, a, c, exact_rows_);
  return take_exact(t, q, v, a, c, exact_);
}

/// Newton's matrix with every term, completed, and the rows' own derivatives; factorised.
template <Scalar T>
template <typename Matrix>
bool Bordered<T>::take_exact(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                             const NewtonCoefficients& c, Matrix& exact) {
  system_->exact_matrix(t, q, v, a, c, exact);
  const EulerSets sets = system_->euler_sets();
  for (std::size_t e = 0; e < sets.size(); ++e) {
    const double kappa = real_part(kappa_(static_cast<Eigen::Index>(e)));
    const auto p = [&](int i) { return real_part(q[static_cast<std::size_t>(sets[e] + i)]); };
    for (int j = 0; j < 4; ++j) {
      const double slope = this->normalisation_slope(sets[e] + j, q, v, a, c);
      for (int i = 0; i < 4; ++i) exact(sets[e] + i, sets[e] + j) += kappa * p(i) * slope;
    }
  }
  if (!all_finite(exact)) return false;
  J_rows_.value = J_real_.value;
  if (!rule_.position_level) differentiate_rows(t, q, v, a, c);
  return newton_.factorize_full(exact, J_real_, J_rows_, E_real_);
}

/// The derivative of Φ̈ + 2ξΩΦ̇ + Ω²Φ along a step: (1 + 2ξΩc_v + Ω²c_q) Φ_q + 2c_v Φ̇_q. Because
/// Φ̇_q is the rate of Φ_q, the last term is what Φ_q changes by along 2c_v v.               [B-3]
template <Scalar T>
void Bordered<T>::differentiate_rows(T t, std::span<const T> q, std::span<const T> v,
                                     std::span<const T> a, const NewtonCoefficients& c) {
  for (int i = 0; i < n_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    right_(i) = q[k] + v[k] * T(2 * c.c_v);
  }
  system_->place(t, {right_.data(), static_cast<std::size_t>(n_)});
  const double scale = stabilisation_.slope(true, c.c_v, c.c_q) - 1;
  const SparseRows<T>& J = system_->Phi_q();
  for (std::size_t k = 0; k < J.value.size(); ++k) {
    J_rows_.value[k] = scale * J_real_.value[k] + real_part(J.value[k]);
  }
  system_->evaluate(t, q, v, a);
}

/// Mass-orthogonal projections of speeds and accelerations onto the constraints [AL-3], [AL-4].
template <Scalar T>
bool Bordered<T>::finish(T t, std::span<const T> q, std::span<T> v, std::span<T> a,
                         std::span<T> lambda) {
  if (!rule_.projects) return Formulation<T>::finish(t, q, v, a, lambda);
  this->normalise(q, v, a);
  system_->move(t, q, v, a);
  system_->mass_matrix(M_);
  complete_mass(q);
  if (options_.iterative_projections) {
    small_border();
  } else {
    E_.setConstant(T(1 / (options_.projection_scale * options_.penalty)));
  }
  if (!mass_.factorize(M_, system_->Phi_q(), E_)) return false;
  const int passes = options_.iterative_projections ? border::kPasses : 1;
  z_.head(n_).setConstant(T(0));
  z_.tail(m_) = -system_->Phi_dot();
  solve_exactly(passes, v);
  for (int i = 0; i < n_; ++i) v[static_cast<std::size_t>(i)] += z_(i);
  if (passes > 1) keep_open(v, {});
  this->normalise(q, v, a);
  system_->move_on(t, q, v, a);
  z_.head(n_).setConstant(T(0));
  z_.tail(m_) = -system_->Phi_ddot();
  solve_exactly(passes, a);
  for (int i = 0; i < n_; ++i) a[static_cast<std::size_t>(i)] += z_(i);
  for (int i = 0; i < m_; ++i) lambda[static_cast<std::size_t>(i)] += z_(n_ + i);
  if (passes > 1) keep_open(a, lambda);
  return true;
}

template class Bordered<double>;
template class Bordered<Complex>;

}  // namespace kinegrad

#include "kinegrad/formulations/reactive_newton.hpp"

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

double size_of_real(double x) { return std::abs(x); }
double size_of_real(const Complex& x) { return std::abs(x.real()); }  // holomorphic: a size

template <typename Vector>
double largest_of(const Vector& x) {
  double largest = 0;
  for (const auto& entry : x)
    largest = std::max(largest, size_of_real(entry));  // holomorphic: a size
  return largest;
}

}  // namespace

template <Scalar T>
ReactiveNewton<T>::ReactiveNewton(const Model& model, ReactiveParts<T> parts, const StageRule& rule)
    : system_(std::move(parts.system)),
      forces_(model),
      partials_(std::move(parts.partials)),
      plain_(std::move(parts.plain)),
      stage_(*partials_, rule),
      without_(*plain_, rule),
      n_(system_->nq()),
      m_(system_->rows()) {
  const auto most = n_ + m_ + static_cast<int>(system_->euler_sets().size());
  z_.resize(most);
  part_.resize(most);
}

template <Scalar T>
void ReactiveNewton<T>::set_parameters(std::span<const T> p) {
  system_->set_parameters(p);
  forces_.set_parameters(p);
  take_real(p, p_);
  partials_->set_parameters(p_);
  plain_->set_parameters(p_);
}

template <Scalar T>
void ReactiveNewton<T>::begin_step() {
  corrections_ = 0;
  several_ = false;
}

template <Scalar T>
void ReactiveNewton<T>::begin_with(std::span<const T> a) {
  take_real(a, a_before_);
}

/// The matrix of [RL-3] at the real part of a state.
template <Scalar T>
bool ReactiveNewton<T>::linearize(StagePartials& stage, T t, std::span<const T> q,
                                  std::span<const T> v, std::span<const T> a,
                                  std::span<const T> lambda, const NewtonCoefficients& c,
                                  const CoordinateSelection* selection) {
  take_real(q, place_.q);
  take_real(v, place_.v);
  take_real(a, place_.a);
  take_real(lambda, place_.lambda);
  stage.normalise_accelerations(c.normalises_accelerations);
  const StagePoint x{real_part(t), place_.q, place_.v, place_.a, place_.lambda};
  return stage.linearize(x, c.c_q, c.c_v, selection);
}

/// ℓ − Eλ of a constraint equation, or of a normalisation.
template <Scalar T>
T ReactiveNewton<T>::level_value(const StagePartials& stage, int row, std::span<const T> q,
                                 std::span<const T> v, std::span<const T> a,
                                 std::span<const T> lambda) const {
  const StageLevel level = stage.level_of(row);
  T phi(0), phi_dot(0), phi_ddot(0);
  if (row < m_) {
    if (row < system_->holonomic()) phi = system_->Phi()(row);
    phi_dot = system_->Phi_dot()(row);
    phi_ddot = system_->Phi_ddot()(row) - lambda[static_cast<std::size_t>(row)] * T(level.softness);
  } else {
    const int first = system_->euler_sets()[static_cast<std::size_t>(row - m_)];
    const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + first);
    const auto pdot = Eigen::Map<const Vec<T, 4>>(v.data() + first);
    const auto pddot = Eigen::Map<const Vec<T, 4>>(a.data() + first);
    phi = (la::squared_norm(p) - T(1)) * T(0.5);
    phi_dot = la::dot(p, pdot);
    phi_ddot = la::dot(p, pddot) + la::squared_norm(pdot);
  }
  return phi * T(level.phi) + phi_dot * T(level.phi_dot) + phi_ddot * T(level.phi_ddot);
}

/// z = −(f, ℓ − Eλ) at a state. What f has along Euler parameters is the multiplier of their normalisation.
template <Scalar T>
void ReactiveNewton<T>::residual(const StagePartials& stage, bool reactive, T t,
                                 std::span<const T> q, std::span<const T> v, std::span<const T> a,
                                 std::span<const T> lambda) {
  system_->evaluate(t, q, v, a);
  z_.head(n_) = system_->r();
  const std::span<T> f(z_.data(), static_cast<std::size_t>(n_));
  system_->Phi_q().add_transposed(lambda, f);
  if (reactive) forces_.subtract(t, q, v, a, lambda, f);
  for (const int first : system_->euler_sets()) {
    const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + first);
    auto part = z_.template segment<4>(first);
    part -= p * (la::dot(p, part) / la::squared_norm(p));
  }
  for (int i = 0; i < stage.equations(); ++i) {
    z_(n_ + i) = stage.rests(i) ? T(0) : level_value(stage, stage.row_of(i), q, v, a, lambda);
  }
  z_ = -z_;
}

/// z ← solution of [RL-3] for the right side z; the matrix is real, so one part after the other.
template <Scalar T>
void ReactiveNewton<T>::solve(StagePartials& stage) {
  const auto count = static_cast<std::size_t>(n_ + stage.equations());
  if constexpr (std::is_same_v<T, double>) {
    stage.solve({z_.data(), count});
  } else {
    part_ = z_.real();
    stage.solve({part_.data(), count});
    z_.real() = part_;
    part_ = z_.imag();
    stage.solve({part_.data(), count});
    z_.imag() = part_;
  }
}

/// λ += Δλ; the largest change, of real parts.
template <Scalar T>
double ReactiveNewton<T>::add_multipliers(const StagePartials& stage, std::span<T> lambda) const {
  double change = 0;
  for (int i = 0; i < stage.equations(); ++i) {
    const int row = stage.row_of(i);
    if (row >= m_) continue;
    lambda[static_cast<std::size_t>(row)] += z_(n_ + i);
    change = std::max(change, size_of_real(z_(n_ + i)));  // holomorphic: a size
  }
  return change;
}

/// Where Newton's method begins: the accelerations and multipliers without forces that read reactions; the same with
/// multipliers reversed; or ten times as large.
template <Scalar T>
bool ReactiveNewton<T>::start(Start kind, T t, std::span<const T> q, std::span<const T> v,
                              std::span<T> a, std::span<T> lambda,
                              const CoordinateSelection* selection) {
  std::fill(a.begin(), a.end(), T(0));
  std::fill(lambda.begin(), lambda.end(), T(0));
  if (!linearize(without_, t, q, v, a, lambda, {}, selection)) return false;
  residual(without_, false, t, q, v, a, lambda);
  force_size_ = largest_of(z_.head(n_));
  solve(without_);
  for (int i = 0; i < n_; ++i) a[static_cast<std::size_t>(i)] = z_(i);
  add_multipliers(without_, lambda);
  if (kind == Start::kWithout) return std::isfinite(largest_of(z_));
  constexpr double kLarge = 10;
  const double factor = kind == Start::kReversed ? -1 : kLarge;
  for (T& x : lambda) x *= T(factor);
  for (T& x : a) x *= T(factor);
  return std::isfinite(largest_of(z_));
}

/// Newton's method from where a and λ are. Accelerations and multipliers have to settle each by itself: they have other
/// units and sizes. Imaginary parts follow in the two corrections after that, whose matrix is that of the solution.
/// Corrections that do not become smaller any more are rounding, of what cancels perhaps: beside the accelerations and
/// forces that cancel.
template <Scalar T>
bool ReactiveNewton<T>::settle(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                               std::span<T> lambda, const CoordinateSelection* selection) {
  constexpr int kMost = 40;
  constexpr int kMore = std::is_same_v<T, double> ? 0 : 2;
  constexpr double kRounding = 4e-15, kStands = 1e-9, kNothing = 1e-13;
  double before = HUGE_VAL;
  int more = -1;  // corrections to go once the real part has settled
  const double usual_a = largest_of(a), usual_lambda = largest_of(lambda);
  constexpr double kFast =
      1e-2;  // the matrix serves once more; derivatives of a complex run need that of the solution
  double ratio = 1;
  for (int k = 0; k < kMost; ++k) {
    const bool fresh = !std::is_same_v<T, double> || k == 0 || ratio > kFast;
    if (fresh && !linearize(stage_, t, q, v, a, lambda, {}, selection)) return false;
    residual(stage_, true, t, q, v, a, lambda);
    solve(stage_);
    double moved = 0;
    for (int i = 0; i < n_; ++i) {
      a[static_cast<std::size_t>(i)] += z_(i);
      moved = std::max(moved, size_of_real(z_(i)));  // holomorphic: a size
    }
    const double changed = add_multipliers(stage_, lambda);
    if (!std::isfinite(moved) || !std::isfinite(changed)) return false;
    const double size = std::max(largest_of(a), usual_a);  // holomorphic: sizes
    const double forces =
        std::max({largest_of(lambda), usual_lambda, force_size_});  // holomorphic: sizes
    const auto within = [&](double part) {
      return moved <= std::max(part * size, kNothing) &&    // holomorphic: sizes
             changed <= std::max(part * forces, kNothing);  // holomorphic: sizes
    };
    const double change = moved / (size + kNothing) + changed / (forces + kNothing);
    const bool stands = k > 2 && change >= 0.5 * before && within(kStands);
    if (more > 0) --more;
    if (more < 0 && (within(kRounding) || stands)) more = kMore;
    if (more == 0) {
      several_ = several_ || stage_.orientation() < 0;
      return true;
    }
    ratio = k == 0 ? change : change / before;
    before = change;
  }
  return false;
}

template <Scalar T>
bool ReactiveNewton<T>::accelerations(T t, std::span<const T> q, std::span<const T> v,
                                      std::span<T> a, std::span<T> lambda,
                                      const CoordinateSelection* selection) {
  for (const Start kind : {Start::kWithout, Start::kReversed, Start::kLarge}) {
    if (!start(kind, t, q, v, a, lambda, selection)) return false;
    if (settle(t, q, v, a, lambda, selection)) return true;
  }
  return false;
}

template <Scalar T>
bool ReactiveNewton<T>::correct(T t, std::span<const T> q, std::span<const T> v,
                                std::span<const T> a, std::span<T> lambda,
                                const NewtonCoefficients& c, const CoordinateSelection* selection) {
  // the matrix of an earlier correction serves as long as corrections shrink fast
  constexpr double kFast = 1e-2;
  const bool fresh = !c.kept && (corrections_ == 0 || c.exact || last_ratio_ > kFast);
  if (fresh) {
    if (!linearize(stage_, t, q, v, a, lambda, c, selection)) return false;
    several_ = stage_.orientation() < 0;
  }
  residual(stage_, true, t, q, v, a, lambda);
  solve(stage_);
  double size = 0;
  for (int i = 0; i < n_; ++i) size += real_part(z_(i)) * real_part(z_(i));
  const double changed = add_multipliers(stage_, lambda);
  if (!std::isfinite(size) || !std::isfinite(changed)) return false;
  if (c.kept) return true;             // a trial leaves no memory behind
  constexpr double kRounding = 1e-13;  // says nothing about the matrix
  const bool rounding = c.c_q * std::sqrt(size) <= kRounding;
  last_ratio_ = corrections_ == 0 || rounding ? 0 : std::sqrt(size / (last_size_ + 1e-300));
  last_size_ = size;
  changed_before_ = corrections_ == 0 ? HUGE_VAL : changed_;
  changed_ = changed;
  multiplier_size_ = largest_of(lambda);
  ++corrections_;
  return true;
}

/// The end of a step may be a solution of its equations that no small friction leads to: it stops a motion within one step,
/// and the next one starts it again. There [RL-3] with c_q = c_v = 0 has the other sign.
template <Scalar T>
void ReactiveNewton<T>::judge(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                              std::span<const T> lambda, const CoordinateSelection* selection) {
  if constexpr (std::is_same_v<T, double>) {
    constexpr double kMuch = 0.5;
    double change = 0, size = 0;
    for (std::size_t i = 0; i < a.size() && i < a_before_.size(); ++i) {
      change = std::max(change, std::abs(a[i] - a_before_[i]));         // holomorphic: double
      size = std::max({size, std::abs(a[i]), std::abs(a_before_[i])});  // holomorphic: double
    }
    if (several_ || !(change > kMuch * size)) return;
    several_ = linearize(stage_, t, q, v, a, lambda, {}, selection) && stage_.orientation() < 0;
  }
}

/// Multipliers of constraints at position level carry the rounding of positions over ∂q/∂a, which no correction makes
/// smaller.
template <Scalar T>
bool ReactiveNewton<T>::settled() const {
  constexpr double kSettled = 1e-8, kStalls = 0.5;
  constexpr int kPatience = 4;
  return changed_ <= kSettled * multiplier_size_ ||
         (corrections_ > kPatience && changed_ > kStalls * changed_before_);
}

template class ReactiveNewton<double>;
template class ReactiveNewton<Complex>;

}  // namespace kinegrad

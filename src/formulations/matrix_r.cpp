#include "kinegrad/formulations/matrix_r.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kinegrad/formulations/closing_steps.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

template <Scalar T>
MatrixR<T>::MatrixR(const Model& model, std::unique_ptr<MechanicalSystem<T>> system)
    : model_(model),
      system_(std::move(system)),
      units_(VecX::Ones(system_->nq())),
      n_(system_->nq()),
      m_(system_->rows()),
      rows_(*system_),
      equations_(*system_),
      pivoting_(rows_.count(), n_),
      R_(n_, n_),
      step_(n_),
      zero_(VecXT<T>::Constant(n_, T(0))),
      a_(n_),
      yddot_(n_),
      lifted_(VecXT<T>::Constant(n_, T(0))) {
  const int rows = rows_.count(), most = rows < n_ ? rows : n_;
  pivot_row_.reserve(static_cast<std::size_t>(most));
  dependent_.reserve(static_cast<std::size_t>(most));
  integrated_.reserve(static_cast<std::size_t>(n_));
  free_.reserve(static_cast<std::size_t>(n_));
  lu_.reserve(most);
}

template <Scalar T>
void MatrixR<T>::set_parameters(std::span<const T> p) {
  system_->set_parameters(p);
  units_ = units_at(model_, p);
  rows_.forget_sizes();
  chosen_ = false;
  usual_pivot_ = 0;
  last_t_ = std::numeric_limits<double>::quiet_NaN();
}

/// J_RD of the first `rank` pivots.
template <Scalar T>
bool MatrixR<T>::factorize(int rank) {
  lu_.resize(rank);
  for (int j = 0; j < rank; ++j) {
    for (int i = 0; i < rank; ++i) {
      lu_.at(i, j) = rows_.J()(pivot_row_[static_cast<std::size_t>(i)],
                               dependent_[static_cast<std::size_t>(j)]);
    }
  }
  return lu_.factorize(kLostPivot);
}

/// A position that is closed up to rounding ε is ε/d off at a distance d from a singular position, which the
/// smallest pivot of J_RD beside its largest value so far shows, and its accelerations are by (d'/d)² of that, where
/// d' is what d changes by along the way. A pivot that is small and stays so does no harm.                [LO-2]
template <Scalar T>
void MatrixR<T>::keep_open(double t, std::span<const T> v) {
  constexpr double kClosed = 1e-15;
  const double pivot = lu_.smallest_pivot();
  usual_pivot_ = std::max(usual_pivot_, pivot);  // holomorphic: a size
  const double d = pivot / usual_pivot_;
  if (t != last_t_) {
    double square = 0;
    for (int i = 0; i < n_; ++i) {
      const double x = real_part(v[static_cast<std::size_t>(i)]) / units_(i);
      square += x * x;
    }
    const double way = std::sqrt(square) * std::abs(t - last_t_);  // holomorphic: sizes
    const double slope = std::abs(d - last_d_) / way;              // holomorphic: sizes
    slope_ = slope < 1 ? slope : 1;  // another choice of coordinates has another pivot
    last_t_ = t;
    last_d_ = d;
  }
  const double error = kClosed * slope_ * slope_ / (d * d * d);
  if (error > open_) open_ = error;
}

/// The first `rank` entries of step_ by the factors of J_RD.
template <Scalar T>
void MatrixR<T>::solve_dependent(int rank) {
  lu_.solve({step_.data(), static_cast<std::size_t>(rank)});
}

/// R of [MR-1], in the first columns of R_, from the factors of all pivots.
template <Scalar T>
void MatrixR<T>::make_R() {
  const auto rank = static_cast<int>(dependent_.size());
  const auto freedom = static_cast<int>(free_.size());
  growth_ = 0;
  for (int j = 0; j < freedom; ++j) {
    const int column = free_[static_cast<std::size_t>(j)];
    R_.col(j).setConstant(T(0));
    R_(column, j) = T(1);
    for (int i = 0; i < rank; ++i) {
      step_(i) = -rows_.J()(pivot_row_[static_cast<std::size_t>(i)], column);
    }
    solve_dependent(rank);
    for (int i = 0; i < rank; ++i) {
      R_(dependent_[static_cast<std::size_t>(i)], j) = step_(i);
      const double growth = growth_of(dependent_[static_cast<std::size_t>(i)], column, step_(i));
      growth_ = std::max(growth_, growth);  // holomorphic: a size
    }
  }
}

/// Φ = 0 for the dependent coordinates by Newton's method; the others stay.
template <Scalar T>
bool MatrixR<T>::close(T t, std::span<T> q) {
  ClosingSteps<T> closing;
  const auto rank = static_cast<std::size_t>(position_rank_);
  for (int k = 0; k < closing.kIterations; ++k) {
    system_->place(t, q);
    rows_.fill(q);
    if (position_rank_ == 0) return all_rows_hold();
    factorize(position_rank_);
    for (int i = 0; i < position_rank_; ++i) {
      step_(i) = -row_value(static_cast<std::size_t>(i), RowLevel::kPosition, q, {}, {});
    }
    solve_dependent(position_rank_);
    const auto unit = [&](std::size_t i) { return units_(dependent_[i]); };
    if (!closing.begin({step_.data(), rank}, unit)) return false;
    for (std::size_t i = 0; i < rank; ++i) {
      closing.take(q[static_cast<std::size_t>(dependent_[i])], step_(static_cast<Eigen::Index>(i)),
                   unit(i));
    }
    if (closing.stands()) return all_rows_hold();
    constexpr double kDelicate = 0.05;  // of the largest pivot
    if (closing.arrived(lu_.smallest_pivot() < kDelicate)) {
      system_->place(t, q);
      rows_.fill(q);
      return all_rows_hold();
    }
  }
  return false;
}

/// Rows that are no pivots were left out because they follow from the others. Where they do not, the
/// choice was made in a singular position, or the constraints contradict each other.
template <Scalar T>
bool MatrixR<T>::all_rows_hold() {
  constexpr double kStale = 1e-9, kOpen = 1e-5;
  const double open = rows_.open();
  if (open > kStale) chosen_ = false;
  return open <= kOpen;
}

template <Scalar T>
void MatrixR<T>::reduce(T, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                        std::span<T> y, std::span<T> ydot, std::span<T> yddot) {
  for (std::size_t k = 0; k < integrated_.size(); ++k) {
    const auto c = static_cast<std::size_t>(integrated_[k]);
    y[k] = q[c];
    ydot[k] = v[c];
    yddot[k] = a[c];
  }
}

template <Scalar T>
bool MatrixR<T>::expand(T t, std::span<const T> y, std::span<const T> ydot, std::span<T> q,
                        std::span<T> v) {
  for (std::size_t k = 0; k < integrated_.size(); ++k) {
    q[static_cast<std::size_t>(integrated_[k])] = y[k];
    v[static_cast<std::size_t>(integrated_[k])] = ydot[k];
  }
  if (!close(t, q)) return false;
  const auto rank = static_cast<int>(dependent_.size());
  const bool homogeneous = system_->scleronomic() && system_->holonomic() == m_;  // Φ̇ = Φ_q v
  if (!homogeneous) system_->move(t, q, v, in(zero_));
  factorize(rank);
  keep_open(real_part(t), v);
  for (int i = 0; i < rank; ++i) {
    const int row = pivot_row_[static_cast<std::size_t>(i)];
    step_(i) = row < m_ && homogeneous
                   ? -system_->Phi_q().row_times(row, v)
                   : -row_value(static_cast<std::size_t>(i), RowLevel::kVelocity, q, v, {});
  }
  solve_dependent(rank);
  for (int i = 0; i < rank; ++i) {
    v[static_cast<std::size_t>(dependent_[static_cast<std::size_t>(i)])] += step_(i);
  }
  return homogeneous || speeds_hold(v);
}

/// Equations on speeds that are no pivots follow from the others where the choice was made; where they do not
/// any more another choice is due. Φ̇ is that of the speeds before the last correction.
template <Scalar T>
bool MatrixR<T>::speeds_hold(std::span<const T> v) {
  constexpr double kStale = 1e-9, kOpen = 1e-5;
  double open = 0, fastest = 1e-300;
  for (const T& x : v) fastest = std::max(fastest, std::abs(real_part(x)));  // holomorphic: a size
  for (int i = system_->holonomic(); i < m_; ++i) {
    if (std::find(pivot_row_.begin(), pivot_row_.end(), i) != pivot_row_.end()) continue;
    T rate = system_->Phi_dot()(i);
    for (std::size_t k = 0; k < dependent_.size(); ++k) {
      rate += rows_.J()(i, dependent_[k]) * step_(static_cast<Eigen::Index>(k));
    }
    open = std::max(open, std::abs(real_part(rate)));  // holomorphic: a size
  }
  if (open > kStale * fastest) chosen_ = false;
  return open <= kOpen * fastest;
}

/// J_RD and the rows must be those of expand() at the same place.
template <Scalar T>
bool MatrixR<T>::lift(T t, std::span<const T> q, std::span<const T> v, std::span<const T> yddot,
                      std::span<T> a) {
  for (std::size_t k = 0; k < integrated_.size(); ++k) {
    yddot_(static_cast<Eigen::Index>(k)) = yddot[k];
    a[static_cast<std::size_t>(integrated_[k])] = yddot[k];
  }
  const auto rank = static_cast<int>(dependent_.size());
  system_->evaluate(t, q, v, a);
  for (int i = 0; i < rank; ++i) {
    step_(i) = -row_value(static_cast<std::size_t>(i), RowLevel::kAcceleration, q, v, a);
  }
  solve_dependent(rank);
  lifted_.setConstant(T(0));
  for (int i = 0; i < rank; ++i) {
    const int c = dependent_[static_cast<std::size_t>(i)];
    a[static_cast<std::size_t>(c)] += step_(i);
    lifted_(c) = step_(i);
  }
  std::copy(a.begin(), a.end(), a_.data());
  return true;
}

/// J_RDᵀλ_R = −r_D with the residual r; rows that are no pivots carry nothing.
template <Scalar T>
void MatrixR<T>::find_multipliers(const VecXT<T>& r, std::span<T> lambda) {
  std::fill(lambda.begin(), lambda.end(), T(0));
  const auto rank = static_cast<int>(dependent_.size());
  for (int i = 0; i < rank; ++i)
    step_(i) = -r(dependent_[static_cast<std::size_t>(i)]);
  lu_.solve_transposed({step_.data(), static_cast<std::size_t>(rank)});
  for (int i = 0; i < rank; ++i) {
    const int row = pivot_row_[static_cast<std::size_t>(i)];
    if (row < m_) lambda[static_cast<std::size_t>(row)] = step_(i);
  }
}

template <Scalar T>
bool MatrixR<T>::acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                              std::span<T> lambda) {
  if (!chosen_ && !begin_step(t, q, v)) return false;
  const auto rank = static_cast<int>(dependent_.size());
  system_->evaluate(t, q, v, in(zero_));
  rows_.fill(q);
  factorize(rank);
  make_R();
  for (int i = 0; i < rank; ++i) {  // a_0 of [MR-2]
    step_(i) = -row_value(static_cast<std::size_t>(i), RowLevel::kAcceleration, q, v, in(zero_));
  }
  solve_dependent(rank);
  a_.setConstant(T(0));
  for (int i = 0; i < rank; ++i) a_(dependent_[static_cast<std::size_t>(i)]) = step_(i);
  if (!equations_.accelerate(R_, static_cast<int>(free_.size()), a_, r_)) return false;
  std::copy(a_.data(), a_.data() + n_, a.begin());
  find_multipliers(r_, lambda);
  return true;
}

template <Scalar T>
bool MatrixR<T>::correct(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                         std::span<T>, const NewtonCoefficients& c, std::span<T> delta) {
  equations_.lift_residual(lifted_, r_);
  make_R();
  const auto freedom = static_cast<int>(free_.size());
  if (!equations_.correct(t, q, v, a, r_, R_, freedom, c, step_)) return false;
  double size = 0;
  for (std::size_t k = 0; k < integrated_.size(); ++k) {
    const int column = integrated_[k];
    T x = a[static_cast<std::size_t>(column)] - yddot_(static_cast<Eigen::Index>(k));
    for (int j = 0; j < freedom; ++j) x += R_(column, j) * step_(j);
    delta[k] = x;
    size += real_part(x) * real_part(x);
  }
  return equations_.took(size, c);
}

template <Scalar T>
bool MatrixR<T>::finish(T t, std::span<const T> q, std::span<T> v, std::span<T> a,
                        std::span<T> lambda) {
  end_stage(t, q, v, a, lambda);
  return true;
}

template <Scalar T>
void MatrixR<T>::end_stage(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                           std::span<T> lambda) {
  // these very accelerations, last of all
  const bool lifted = std::equal(a.begin(), a.end(), a_.data());
  if (lifted) {
    equations_.lift_residual(lifted_, r_);
  } else {
    system_->evaluate(t, q, v, a);
    r_ = system_->r();
  }
  find_multipliers(r_, lambda);
}

template class MatrixR<double>;
template class MatrixR<Complex>;

}  // namespace kinegrad

#include "kinegrad/formulations/matrix_r.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kinegrad {

namespace {

/// A pivot below this part of the largest one is a row that depends on the others.
constexpr double kRankTolerance = 1e-9;
/// R beyond this size asks for another set; complete pivoting starts with entries near one. Errors of
/// a step grow with a power of it: 8 instead of 3 costs rk4 a factor of 40 on a rolling disc.
constexpr double kGrowth = 3;
/// Of pivots that are equal up to this the first is taken, lest rounding choose: a symmetric mechanism
/// and its neighbours, or its derivative, then have the same set.
constexpr double kTie = 1 + 1e-6;

template <typename T>
std::span<const T> in(const VecXT<T>& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace

template <Scalar T>
MatrixR<T>::MatrixR(std::unique_ptr<MechanicalSystem<T>> system)
    : system_(std::move(system)),
      n_(system_->nq()),
      m_(system_->rows()),
      rows_(m_ + static_cast<int>(system_->euler_sets().size())),
      J_(rows_, n_),
      pivoting_(rows_, n_),
      M_(n_, n_),
      N_(n_, n_),
      zero_(VecXT<T>::Constant(n_, T(0))),
      a_(n_),
      work_(n_) {
  J_.setConstant(T(0));
  row_of_.resize(static_cast<std::size_t>(rows_));
  column_of_.resize(static_cast<std::size_t>(n_));
  const auto most = static_cast<std::size_t>(std::min(rows_, n_));
  pivot_row_.reserve(most);
  dependent_.reserve(most);
  integrated_.reserve(static_cast<std::size_t>(n_));
  free_.reserve(static_cast<std::size_t>(n_));
}

template <Scalar T>
void MatrixR<T>::set_parameters(std::span<const T> p) {
  system_->set_parameters(p);
  chosen_ = false;
}

/// J at the place evaluated last: Φ_q and pᵀ of the normalisations.
template <Scalar T>
void MatrixR<T>::fill_rows(std::span<const T> q) {
  const SparseRows<T>& J = system_->Phi_q();
  for (int i = 0; i < m_; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(J.start[row]);
         k < static_cast<std::size_t>(J.start[row + 1]); ++k) {
      J_(i, J.column[k]) = J.value[k];
    }
  }
  const EulerSets sets = system_->euler_sets();
  for (std::size_t e = 0; e < sets.size(); ++e) {
    for (int c = 0; c < 4; ++c) {
      J_(m_ + static_cast<int>(e), sets[e] + c) = q[static_cast<std::size_t>(sets[e] + c)];
    }
  }
}

/// Complete pivoting, first over the rows that hold for positions, then over the others. [MR-1]
template <Scalar T>
bool MatrixR<T>::select(std::span<const T> q) {
  fill_rows(q);
  pivoting_ = J_.real();  // holomorphic: chooses
  std::iota(column_of_.begin(), column_of_.end(), 0);
  // rows of positions first: holonomic ones and normalisations
  int count = 0;
  for (int i = 0; i < system_->holonomic(); ++i) row_of_[static_cast<std::size_t>(count++)] = i;
  for (int i = m_; i < rows_; ++i) row_of_[static_cast<std::size_t>(count++)] = i;
  const int position_rows = count;
  for (int i = system_->holonomic(); i < m_; ++i) row_of_[static_cast<std::size_t>(count++)] = i;
  pivot_row_.clear();
  dependent_.clear();
  double largest = 0;
  int rank = 0;
  const auto eliminate = [&](int first, int end) {
    // finished rows are moved to the front of the range, finished columns to the front of all
    for (int done = first; done < end && rank < n_; ++done, ++rank) {
      int best_i = done, best_j = rank;
      double best = -1;
      for (int i = done; i < end; ++i) {
        for (int j = rank; j < n_; ++j) {
          const double x = std::abs(pivoting_(row_of_[static_cast<std::size_t>(i)],
                                              column_of_[static_cast<std::size_t>(j)]));
          if (x > kTie * best) {
            best = x;
            best_i = i;
            best_j = j;
          }
        }
      }
      largest = std::max(largest, best);
      if (!(best > kRankTolerance * largest)) return;
      std::swap(row_of_[static_cast<std::size_t>(done)], row_of_[static_cast<std::size_t>(best_i)]);
      std::swap(column_of_[static_cast<std::size_t>(rank)],
                column_of_[static_cast<std::size_t>(best_j)]);
      const int row = row_of_[static_cast<std::size_t>(done)];
      const int column = column_of_[static_cast<std::size_t>(rank)];
      pivot_row_.push_back(row);
      dependent_.push_back(column);
      for (std::size_t i = static_cast<std::size_t>(done) + 1; i < row_of_.size(); ++i) {
        const double factor = pivoting_(row_of_[i], column) / pivoting_(row, column);
        if (factor != 0) pivoting_.row(row_of_[i]) -= factor * pivoting_.row(row);
      }
    }
  };
  eliminate(0, position_rows);
  position_rank_ = rank;
  eliminate(position_rows, rows_);
  const auto depends = [&](int column, std::ptrdiff_t ranks) {
    return std::find(dependent_.begin(), dependent_.begin() + ranks, column) !=
           dependent_.begin() + ranks;
  };
  integrated_.clear();
  free_.clear();
  for (int c = 0; c < n_; ++c) {
    if (!depends(c, position_rank_)) integrated_.push_back(c);
    if (!depends(c, rank)) free_.push_back(c);
  }
  chosen_ = true;
  ++selections_;
  return std::isfinite(largest);
}

/// J_RD of the first `rank` pivots.
template <Scalar T>
bool MatrixR<T>::factorize(int rank) {
  if (J_D_.rows() != rank) J_D_.resize(rank, rank);
  for (int i = 0; i < rank; ++i) {
    for (int j = 0; j < rank; ++j) {
      J_D_(i, j) =
          J_(pivot_row_[static_cast<std::size_t>(i)], dependent_[static_cast<std::size_t>(j)]);
    }
  }
  if (rank > 0) lu_.compute(J_D_);
  return true;
}

/// R of [MR-1] from the factors of all pivots.
template <Scalar T>
void MatrixR<T>::make_R() {
  const auto rank = static_cast<int>(dependent_.size());
  const auto freedom = static_cast<int>(free_.size());
  if (R_.cols() != freedom || R_.rows() != n_) {
    R_.resize(n_, freedom);
    reduced_.resize(rank, freedom);
  }
  if (reduced_.rows() != rank || reduced_.cols() != freedom) reduced_.resize(rank, freedom);
  R_.setConstant(T(0));
  for (int j = 0; j < freedom; ++j) {
    const int column = free_[static_cast<std::size_t>(j)];
    R_(column, j) = T(1);
    for (int i = 0; i < rank; ++i) {
      reduced_(i, j) = -J_(pivot_row_[static_cast<std::size_t>(i)], column);
    }
  }
  if (rank > 0 && freedom > 0) {
    for (int j = 0; j < freedom; ++j) {
      step_ = lu_.solve(reduced_.col(j));
      for (int i = 0; i < rank; ++i) R_(dependent_[static_cast<std::size_t>(i)], j) = step_(i);
    }
  }
  growth_ = 0;
  for (Eigen::Index k = 0; k < R_.size(); ++k) {
    growth_ = std::max(growth_, std::abs(real_part(R_.data()[k])));  // holomorphic: a size
  }
}

template <Scalar T>
T MatrixR<T>::row_value(std::size_t pivot, Level level, std::span<const T> q, std::span<const T> v,
                        std::span<const T> a) const {
  const int row = pivot_row_[pivot];
  if (row < m_) {
    return level == Level::kPosition   ? system_->Phi()(row)
           : level == Level::kVelocity ? system_->Phi_dot()(row)
                                       : system_->Phi_ddot()(row);
  }
  const int first = system_->euler_sets()[static_cast<std::size_t>(row - m_)];
  const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + first);
  if (level == Level::kPosition) return (la::squared_norm(p) - T(1)) * T(0.5);
  const auto pdot = Eigen::Map<const Vec<T, 4>>(v.data() + first);
  if (level == Level::kVelocity) return la::dot(p, pdot);
  const auto pddot = Eigen::Map<const Vec<T, 4>>(a.data() + first);
  return la::dot(p, pddot) + la::squared_norm(pdot);
}

/// Φ = 0 for the dependent coordinates by Newton's method; the others stay.
template <Scalar T>
bool MatrixR<T>::close(T t, std::span<T> q) {
  constexpr int kIterations = 25;
  constexpr double kNear = 1e-8;  // the next correction would be its square
  double derivative = 0;          // the largest of the way, the first guess included
  for (int k = 0; k < kIterations; ++k) {
    system_->place(t, q);
    fill_rows(q);
    if (position_rank_ == 0) return true;
    factorize(position_rank_);
    work_.resize(position_rank_);
    for (int i = 0; i < position_rank_; ++i) {
      work_(i) = -row_value(static_cast<std::size_t>(i), Level::kPosition, q, {}, {});
    }
    step_ = lu_.solve(work_);
    double size = 0, scale = 1, moved = 0;
    for (int i = 0; i < position_rank_; ++i) {
      T& x = q[static_cast<std::size_t>(dependent_[static_cast<std::size_t>(i)])];
      if constexpr (!std::is_same_v<T, double>) {
        moved = std::max(moved, std::abs(step_(i).imag()));
        derivative = std::max(derivative, std::abs(x.imag()));
      }
      x += step_(i);
      size = std::max(size, std::abs(real_part(step_(i))));  // holomorphic: a size
      scale = std::max(scale, std::abs(real_part(x)));       // holomorphic: a size
    }
    if (!std::isfinite(size)) return false;
    if (size <= kNear * scale && moved <= kNear * derivative) {
      system_->place(t, q);
      fill_rows(q);
      return true;
    }
  }
  return false;
}

template <Scalar T>
bool MatrixR<T>::begin_step(T t, std::span<const T> q, std::span<const T>) {
  if (chosen_ && growth_ <= kGrowth) return true;
  system_->place(t, q);
  if (!select(q)) return false;
  factorize(static_cast<int>(dependent_.size()));
  make_R();
  return true;
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
  for (const int c : dependent_) v[static_cast<std::size_t>(c)] = T(0);
  if (!system_->scleronomic() || system_->holonomic() < m_) {
    system_->evaluate(t, q, v, in(zero_));
  }
  factorize(rank);
  if (rank == 0) return true;
  work_.resize(rank);
  for (int i = 0; i < rank; ++i) {
    const int row = pivot_row_[static_cast<std::size_t>(i)];
    if (row < m_ && system_->scleronomic() && system_->holonomic() == m_) {
      work_(i) = -system_->Phi_q().dot(row, v);
    } else {
      work_(i) = -row_value(static_cast<std::size_t>(i), Level::kVelocity, q, v, {});
    }
  }
  step_ = lu_.solve(work_);
  for (int i = 0; i < rank; ++i) {
    v[static_cast<std::size_t>(dependent_[static_cast<std::size_t>(i)])] = step_(i);
  }
  return true;
}

template <Scalar T>
bool MatrixR<T>::lift(T t, std::span<const T> q, std::span<const T> v, std::span<const T> yddot,
                      std::span<T> a) {
  yddot_ = Eigen::Map<const VecXT<T>>(yddot.data(), static_cast<Eigen::Index>(yddot.size()));
  for (std::size_t k = 0; k < integrated_.size(); ++k) {
    a[static_cast<std::size_t>(integrated_[k])] = yddot[k];
  }
  for (const int c : dependent_) a[static_cast<std::size_t>(c)] = T(0);
  system_->evaluate(t, q, v, a);
  const auto rank = static_cast<int>(dependent_.size());
  if (rank == 0) return true;
  fill_rows(q);
  factorize(rank);
  work_.resize(rank);
  for (int i = 0; i < rank; ++i) {
    work_(i) = -row_value(static_cast<std::size_t>(i), Level::kAcceleration, q, v, a);
  }
  step_ = lu_.solve(work_);
  for (int i = 0; i < rank; ++i) {
    a[static_cast<std::size_t>(dependent_[static_cast<std::size_t>(i)])] = step_(i);
  }
  return true;
}

template <Scalar T>
void MatrixR<T>::full_mass(std::span<const T> q) {
  system_->mass_matrix(q, M_);
  for (int j = 0; j < n_; ++j) {
    for (int i = j + 1; i < n_; ++i) M_(i, j) = M_(j, i);
  }
}

/// J_RDᵀλ_R = −r_D with the residual evaluated last; rows that are no pivots carry nothing.
template <Scalar T>
void MatrixR<T>::find_multipliers(std::span<T> lambda) {
  std::fill(lambda.begin(), lambda.end(), T(0));
  const auto rank = static_cast<int>(dependent_.size());
  if (rank == 0) return;
  work_.resize(rank);
  for (int i = 0; i < rank; ++i) {
    work_(i) = -system_->r()(dependent_[static_cast<std::size_t>(i)]);
  }
  step_ = lu_.transpose().solve(work_);
  for (int i = 0; i < rank; ++i) {
    const int row = pivot_row_[static_cast<std::size_t>(i)];
    if (row < m_) lambda[static_cast<std::size_t>(row)] = step_(i);
  }
}

template <Scalar T>
bool MatrixR<T>::acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                              std::span<T> lambda) {
  if (!chosen_ && !begin_step(t, q, v)) return false;
  work_ = VecXT<T>::Constant(integrated(), T(0));
  small_right_ = work_;
  if (!lift(t, q, v, in(small_right_), a)) return false;  // a_0 of [MR-2], r_0 in the system
  make_R();
  full_mass(q);
  const auto freedom = static_cast<int>(free_.size());
  a_ = Eigen::Map<const VecXT<T>>(a.data(), n_);
  work_ = -system_->r();
  for (const int c : dependent_) {  // lift() evaluated r without the dependent accelerations
    for (int i = 0; i < n_; ++i) work_(i) -= M_(i, c) * a_(c);
  }
  if (freedom > 0) {
    small_right_ = R_.transpose() * work_;
    reduced_ = M_ * R_;
    J_D_ = R_.transpose() * reduced_;
    small_.compute(J_D_);
    step_ = small_.solve(small_right_);
    a_ += R_ * step_;
    if (!std::isfinite(real_part(step_.sum()))) return false;
  }
  Eigen::Map<VecXT<T>>(a.data(), n_) = a_;
  system_->evaluate(t, q, v, a);
  factorize(static_cast<int>(dependent_.size()));
  find_multipliers(lambda);
  return true;
}

template <Scalar T>
bool MatrixR<T>::correct(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                         std::span<T>, const NewtonCoefficients& c, std::span<T> delta) {
  system_->evaluate(t, q, v, a);
  make_R();
  system_->newton_matrix(t, q, v, a, c, N_);
  if (!N_.allFinite()) return false;
  const auto freedom = static_cast<int>(free_.size());
  if (freedom > 0) {
    R_real_ = R_.real();  // holomorphic: Newton's matrix is taken at the real parts
    NR_.noalias() = N_ * R_real_;
    N_reduced_.noalias() = R_real_.transpose() * NR_;
    newton_.compute(N_reduced_);
    small_right_.noalias() = -(R_.transpose() * system_->r());
    if constexpr (std::is_same_v<T, double>) {
      step_ = newton_.solve(small_right_);
    } else {
      step_.resize(freedom);
      part_ = newton_.solve(small_right_.real().eval());
      step_.real() = part_;
      part_ = newton_.solve(small_right_.imag().eval());
      step_.imag() = part_;
    }
  }
  for (std::size_t k = 0; k < integrated_.size(); ++k) {
    const int column = integrated_[k];
    T x = a[static_cast<std::size_t>(column)] - yddot_(static_cast<Eigen::Index>(k));
    for (int j = 0; j < freedom; ++j) x += R_(column, j) * step_(j);
    delta[k] = x;
  }
  return true;
}

template <Scalar T>
bool MatrixR<T>::finish(T t, std::span<const T> q, std::span<T> v, std::span<T> a,
                        std::span<T> lambda) {
  system_->evaluate(t, q, v, a);
  find_multipliers(lambda);
  return true;
}

template class MatrixR<double>;
template class MatrixR<Complex>;

}  // namespace kinegrad

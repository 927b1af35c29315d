#include "kinegrad/formulations/matrix_r.hpp"

#include <algorithm>
#include <cmath>

#include "kinegrad/math/views.hpp"

namespace kinegrad {

template <Scalar T>
MatrixR<T>::MatrixR(std::unique_ptr<MechanicalSystem<T>> system)
    : system_(std::move(system)),
      n_(system_->nq()),
      m_(system_->rows()),
      rows_(m_ + static_cast<int>(system_->euler_sets().size())),
      J_(rows_, n_),
      pivoting_(rows_, n_),
      M_(system_->pattern()),
      step_(n_),
      zero_(VecXT<T>::Constant(n_, T(0))),
      a_(n_),
      work_(n_),
      yddot_(n_),
      lifted_(VecXT<T>::Constant(n_, T(0))),
      part_(n_) {
  J_.setConstant(T(0));
  N_.start = M_.start;
  N_.row = M_.row;
  N_.value.resize(M_.value.size());
  row_of_.resize(static_cast<std::size_t>(rows_));
  column_of_.resize(static_cast<std::size_t>(n_));
  const int most = rows_ < n_ ? rows_ : n_;
  pivot_row_.reserve(static_cast<std::size_t>(most));
  dependent_.reserve(static_cast<std::size_t>(most));
  integrated_.reserve(static_cast<std::size_t>(n_));
  free_.reserve(static_cast<std::size_t>(n_));
  lu_.reserve(most);
  mass_lu_.reserve(n_);
  newton_.reserve(n_);
  MR_.resize(n_, n_);
  NR_.resize(n_, n_);
  R_.resize(n_, n_);
}

template <Scalar T>
void MatrixR<T>::set_parameters(std::span<const T> p) {
  system_->set_parameters(p);
  chosen_ = false;
}

/// J_RD of the first `rank` pivots.
template <Scalar T>
bool MatrixR<T>::factorize(int rank) {
  lu_.resize(rank);
  for (int j = 0; j < rank; ++j) {
    for (int i = 0; i < rank; ++i) {
      lu_.at(i, j) =
          J_(pivot_row_[static_cast<std::size_t>(i)], dependent_[static_cast<std::size_t>(j)]);
    }
  }
  constexpr double kLost = 1e-11;  // in a singular position what the rows lose keeps its guess
  return lu_.factorize(kLost);
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
      step_(i) = -J_(pivot_row_[static_cast<std::size_t>(i)], column);
    }
    solve_dependent(rank);
    for (int i = 0; i < rank; ++i) {
      R_(dependent_[static_cast<std::size_t>(i)], j) = step_(i);
      growth_ = std::max(growth_, std::abs(real_part(step_(i))));  // holomorphic: a size
    }
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
  constexpr double kNear = 1e-8;        // the next correction would be its square
  constexpr double kLargestStep = 0.5;  // radian or metre: a step of a run moves less
  constexpr double kThere = 1e-15;      // nothing has moved: the rows are those of this place
  double derivative = 0;                // the largest of the way, the first guess included
  for (int k = 0; k < kIterations; ++k) {
    system_->place(t, q);
    fill_rows(q);
    if (position_rank_ == 0) return all_rows_hold();
    factorize(position_rank_);
    for (int i = 0; i < position_rank_; ++i) {
      step_(i) = -row_value(static_cast<std::size_t>(i), Level::kPosition, q, {}, {});
    }
    solve_dependent(position_rank_);
    double size = 0, scale = 1, moved = 0;
    for (int i = 0; i < position_rank_; ++i) {  // a pivot that is lost throws coordinates away
      if (!(std::abs(real_part(step_(i))) <= kLargestStep)) return false;  // holomorphic: a size
    }
    for (int i = 0; i < position_rank_; ++i) {
      T& x = q[static_cast<std::size_t>(dependent_[static_cast<std::size_t>(i)])];
      if constexpr (!std::is_same_v<T, double>) {
        moved = std::max(moved, std::abs(step_(i).imag()));     // holomorphic: a size
        derivative = std::max(derivative, std::abs(x.imag()));  // holomorphic: a size
      }
      x += step_(i);
      size = std::max(size, std::abs(real_part(step_(i))));  // holomorphic: a size
      scale = std::max(scale, std::abs(real_part(x)));       // holomorphic: a size
    }
    if (!std::isfinite(size)) return false;
    if (size <= kThere * scale && moved == 0) return all_rows_hold();
    if (size <= kNear * scale && moved <= kNear * derivative) {
      system_->place(t, q);
      fill_rows(q);
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
  double open = 0;
  for (int i = 0; i < system_->holonomic(); ++i) {
    open = std::max(open, std::abs(real_part(system_->Phi()(i))));  // holomorphic: a size
  }
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
  for (int i = 0; i < rank; ++i) {
    const int row = pivot_row_[static_cast<std::size_t>(i)];
    step_(i) = row < m_ && homogeneous
                   ? -system_->Phi_q().row_times(row, v)
                   : -row_value(static_cast<std::size_t>(i), Level::kVelocity, q, v, {});
  }
  solve_dependent(rank);
  for (int i = 0; i < rank; ++i) {
    v[static_cast<std::size_t>(dependent_[static_cast<std::size_t>(i)])] += step_(i);
  }
  return true;
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
    step_(i) = -row_value(static_cast<std::size_t>(i), Level::kAcceleration, q, v, a);
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

/// work_ = r at the accelerations of lift(): r is linear in them.
template <Scalar T>
void MatrixR<T>::residual_of_lift() {
  const auto n = static_cast<std::size_t>(n_);
  system_->mass_matrix(M_);
  work_ = system_->r();
  M_.add_product({lifted_.data(), n}, {work_.data(), n});
}

/// J_RDᵀλ_R = −r_D with the residual in work_; rows that are no pivots carry nothing.
template <Scalar T>
void MatrixR<T>::find_multipliers(std::span<T> lambda) {
  std::fill(lambda.begin(), lambda.end(), T(0));
  const auto rank = static_cast<int>(dependent_.size());
  for (int i = 0; i < rank; ++i) step_(i) = -work_(dependent_[static_cast<std::size_t>(i)]);
  lu_.solve_transposed({step_.data(), static_cast<std::size_t>(rank)});
  for (int i = 0; i < rank; ++i) {
    const int row = pivot_row_[static_cast<std::size_t>(i)];
    if (row < m_) lambda[static_cast<std::size_t>(row)] = step_(i);
  }
}

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
bool MatrixR<T>::acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                              std::span<T> lambda) {
  if (!chosen_ && !begin_step(t, q, v)) return false;
  const auto rank = static_cast<int>(dependent_.size());
  const auto freedom = static_cast<int>(free_.size());
  system_->evaluate(t, q, v, in(zero_));
  fill_rows(q);
  factorize(rank);
  make_R();
  for (int i = 0; i < rank; ++i) {  // a_0 of [MR-2]
    step_(i) = -row_value(static_cast<std::size_t>(i), Level::kAcceleration, q, v, in(zero_));
  }
  solve_dependent(rank);
  a_.setConstant(T(0));
  for (int i = 0; i < rank; ++i) a_(dependent_[static_cast<std::size_t>(i)]) = step_(i);
  system_->mass_matrix(M_);
  const auto n = static_cast<std::size_t>(n_);
  work_ = system_->r();
  M_.add_product({a_.data(), n}, {work_.data(), n});
  reduce_matrix<T>(M_, R_, freedom, MR_, mass_lu_);
  if (!mass_lu_.factorize()) return false;
  for (int j = 0; j < freedom; ++j) step_(j) = -la::dot(R_.col(j), work_);
  mass_lu_.solve({step_.data(), static_cast<std::size_t>(freedom)});
  for (int j = 0; j < freedom; ++j) {
    a_ += R_.col(j) * step_(j);
    work_ += MR_.col(j) * step_(j);
  }
  std::copy(a_.data(), a_.data() + n_, a.begin());
  find_multipliers(lambda);
  return true;
}

template <Scalar T>
bool MatrixR<T>::correct(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                         std::span<T>, const NewtonCoefficients& c, std::span<T> delta) {
  residual_of_lift();
  make_R();
  const auto freedom = static_cast<int>(free_.size());
  // the matrix of the first correction serves as long as corrections shrink fast
  constexpr double kFast = 1e-2;
  if (corrections_ == 0 || c.exact || last_ratio_ > kFast) {
    if (!prepare_newton(t, q, v, a, c)) return false;
  }
  for (int j = 0; j < freedom; ++j) step_(j) = -la::dot(R_.col(j), work_);
  const auto f = static_cast<std::size_t>(freedom);
  if constexpr (std::is_same_v<T, double>) {
    newton_.solve({step_.data(), f});
  } else {
    for (int j = 0; j < freedom; ++j) part_(j) = step_(j).real();
    newton_.solve({part_.data(), f});
    for (int j = 0; j < freedom; ++j) work_(j) = T(part_(j));
    for (int j = 0; j < freedom; ++j) part_(j) = step_(j).imag();
    newton_.solve({part_.data(), f});
    for (int j = 0; j < freedom; ++j) step_(j) = T(work_(j).real(), part_(j));
  }
  double size = 0;
  for (std::size_t k = 0; k < integrated_.size(); ++k) {
    const int column = integrated_[k];
    T x = a[static_cast<std::size_t>(column)] - yddot_(static_cast<Eigen::Index>(k));
    for (int j = 0; j < freedom; ++j) x += R_(column, j) * step_(j);
    delta[k] = x;
    size += real_part(x) * real_part(x);
  }
  last_ratio_ = corrections_ == 0 ? 0 : std::sqrt(size / (last_size_ + 1e-300));
  last_size_ = size;
  ++corrections_;
  return std::isfinite(size);
}

/// RᵀN R; N is taken at the real parts.
template <Scalar T>
bool MatrixR<T>::prepare_newton(T t, std::span<const T> q, std::span<const T> v,
                                std::span<const T> a, const NewtonCoefficients& c) {
  const auto freedom = static_cast<int>(free_.size());
  const auto real_R = [&](int i, int j) { return real_part(R_(i, j)); };
  if (!c.exact) {
    system_->newton_matrix(t, q, v, a, c, N_);
    if constexpr (std::is_same_v<T, double>) {
      reduce_matrix<double>(N_, R_, freedom, NR_, newton_);
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
  system_->exact_matrix(t, q, v, a, c, exact_);
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

template <Scalar T>
bool MatrixR<T>::finish(T t, std::span<const T> q, std::span<T> v, std::span<T> a,
                        std::span<T> lambda) {
  // these very accelerations, last of all
  const bool lifted = std::equal(a.begin(), a.end(), a_.data());
  if (lifted) {
    residual_of_lift();
  } else {
    system_->evaluate(t, q, v, a);
    work_ = system_->r();
  }
  find_multipliers(lambda);
  return true;
}

template class MatrixR<double>;
template class MatrixR<Complex>;

}  // namespace kinegrad

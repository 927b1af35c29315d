// Which coordinates of Matrix R are independent, and when to choose anew [MR-1], [MR-3].
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kinegrad/formulations/matrix_r.hpp"

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

}  // namespace

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
          const double entry = pivoting_(row_of_[static_cast<std::size_t>(i)],
                                         column_of_[static_cast<std::size_t>(j)]);
          const double x = entry < 0 ? -entry : entry;
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

/// How far dependent coordinates move with those that are integrated. Where all of the latter have
/// independent speeds this is in R already.
template <Scalar T>
double MatrixR<T>::position_growth(std::span<const T> q) {
  fill_rows(q);
  factorize(position_rank_);
  double growth = 0;
  for (const int column : integrated_) {
    for (int i = 0; i < position_rank_; ++i) {
      step_(i) = J_(pivot_row_[static_cast<std::size_t>(i)], column);
    }
    solve_dependent(position_rank_);
    for (int i = 0; i < position_rank_; ++i) {
      growth = std::max(growth, std::abs(real_part(step_(i))));  // holomorphic: a size
    }
  }
  return growth;
}

template <Scalar T>
bool MatrixR<T>::begin_step(T t, std::span<const T> q, std::span<const T>) {
  corrections_ = 0;
  if (chosen_ && growth_ <= kGrowth && integrated_.size() == free_.size()) return true;
  system_->place(t, q);
  if (chosen_ && growth_ <= kGrowth && position_growth(q) <= kGrowth) return true;
  if (!select(q)) return false;
  factorize(static_cast<int>(dependent_.size()));
  make_R();
  return true;
}

template <Scalar T>
const CoordinateSelection* MatrixR<T>::selection() const {
  snapshot_.pivot_row = pivot_row_;
  snapshot_.dependent = dependent_;
  snapshot_.position_rank = position_rank_;
  snapshot_.integrated = integrated_;
  snapshot_.free = free_;
  snapshot_.growth = growth_;
  snapshot_.chosen = chosen_;
  return &snapshot_;
}

template <Scalar T>
void MatrixR<T>::restore(const CoordinateSelection& selection) {
  pivot_row_ = selection.pivot_row;
  dependent_ = selection.dependent;
  position_rank_ = selection.position_rank;
  integrated_ = selection.integrated;
  free_ = selection.free;
  growth_ = selection.growth;
  chosen_ = selection.chosen;
}

template const CoordinateSelection* MatrixR<double>::selection() const;
template const CoordinateSelection* MatrixR<Complex>::selection() const;
template void MatrixR<double>::restore(const CoordinateSelection&);
template void MatrixR<Complex>::restore(const CoordinateSelection&);
template void MatrixR<double>::fill_rows(std::span<const double>);
template void MatrixR<Complex>::fill_rows(std::span<const Complex>);
template bool MatrixR<double>::begin_step(double, std::span<const double>, std::span<const double>);
template bool MatrixR<Complex>::begin_step(Complex, std::span<const Complex>,
                                           std::span<const Complex>);

}  // namespace kinegrad

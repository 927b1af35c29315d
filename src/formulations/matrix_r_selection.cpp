// Which coordinates of Matrix R are independent, and when to choose anew [MR-1], [MR-3].
#include <algorithm>
#include <cmath>

#include "kinegrad/formulations/matrix_r.hpp"

namespace kinegrad {

namespace {

/// R beyond this size asks for another set; complete pivoting starts with entries near one. Errors of
/// a step grow with a power of it: 8 instead of 3 costs rk4 a factor of 40 on a rolling disc.
constexpr double kGrowth = 3;

}  // namespace

/// Complete pivoting, first over the rows that hold for positions, then over the others. [MR-1]
template <Scalar T>
bool MatrixR<T>::select(std::span<const T> q) {
  rows_.fill(q);
  rows_.keep_sizes(units_);
  pivoting_.matrix() = rows_.J().real() * units_.asDiagonal();  // holomorphic: chooses
  pivoting_.start();
  for (int i = 0; i < system_->holonomic(); ++i) pivoting_.line_up(i, rows_.remaining(i));
  for (int i = m_; i < rows_.count(); ++i) pivoting_.line_up(i);
  const int position_rows = pivoting_.lined_up();
  for (int i = system_->holonomic(); i < m_; ++i) pivoting_.line_up(i, rows_.remaining(i));
  pivoting_.eliminate(position_rows);
  position_rank_ = pivoting_.rank();
  pivoting_.eliminate(rows_.count());
  pivot_row_ = pivoting_.rows();
  dependent_ = pivoting_.columns();
  const auto depends = [&](int column, std::ptrdiff_t ranks) {
    return std::find(dependent_.begin(), dependent_.begin() + ranks, column) !=
           dependent_.begin() + ranks;
  };
  integrated_.clear();
  free_.clear();
  for (int c = 0; c < n_; ++c) {
    if (!depends(c, position_rank_)) integrated_.push_back(c);
    if (!depends(c, pivoting_.rank())) free_.push_back(c);
  }
  chosen_ = true;
  ++selections_;
  return pivoting_.finite();
}

/// How far dependent coordinates move with those that are integrated. Where all of the latter have
/// independent speeds this is in R already.
template <Scalar T>
double MatrixR<T>::position_growth(std::span<const T> q) {
  rows_.fill(q);
  factorize(position_rank_);
  double growth = 0;
  for (const int column : integrated_) {
    for (int i = 0; i < position_rank_; ++i) {
      step_(i) = rows_.J()(pivot_row_[static_cast<std::size_t>(i)], column);
    }
    solve_dependent(position_rank_);
    for (int i = 0; i < position_rank_; ++i) {
      const int d = dependent_[static_cast<std::size_t>(i)];
      growth = std::max(growth, growth_of(d, column, step_(i)));  // holomorphic: a size
    }
  }
  return growth;
}

template <Scalar T>
bool MatrixR<T>::begin_step(T t, std::span<const T> q, std::span<const T>) {
  equations_.begin_step();
  open_ = 0;
  if (chosen_ && growth_ <= kGrowth && integrated_.size() == free_.size()) return true;
  system_->place(t, q);
  if (chosen_ && growth_ <= kGrowth && position_growth(q) <= kGrowth) return true;
  if (!select(q)) return false;
  factorize(static_cast<int>(dependent_.size()));
  make_R();
  return true;
}

template <Scalar T>
void MatrixR<T>::measure_growth(T t, std::span<const T> q) {
  system_->place(t, q);
  rows_.fill(q);
  factorize(static_cast<int>(dependent_.size()));
  make_R();
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
template void MatrixR<double>::measure_growth(double, std::span<const double>);
template void MatrixR<Complex>::measure_growth(Complex, std::span<const Complex>);
template void MatrixR<double>::restore(const CoordinateSelection&);
template void MatrixR<Complex>::restore(const CoordinateSelection&);
template bool MatrixR<double>::begin_step(double, std::span<const double>, std::span<const double>);
template bool MatrixR<Complex>::begin_step(Complex, std::span<const Complex>,
                                           std::span<const Complex>);

}  // namespace kinegrad

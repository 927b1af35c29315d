#include "kinegrad/simulation/singular_position.hpp"

#include <algorithm>

namespace kinegrad {

namespace {

/// A row or column that is so small beside the largest is taken as it is.
constexpr double kVanishes = 1e-4;

}  // namespace

SingularPositions::SingularPositions(MechanicalSystem<double>& system)
    : system_(system),
      rows_(system),
      pivoting_(rows_.count(), system.nq()),
      row_scale_(VecX::Zero(rows_.count())),
      column_scale_(VecX::Zero(system.nq())) {}

/// Holonomic constraint equations and normalisations by complete pivoting. Every row and then every column is
/// taken over the largest entry that it ever had, so that lengths in millimetres and angles count alike: not over
/// its present one, because it may be the whole row that vanishes.
void SingularPositions::eliminate(double t, std::span<const double> q) {
  system_.place(t, q);
  rows_.fill(q);
  MatX& A = pivoting_.matrix();
  A = rows_.J();
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    row_scale_(i) = std::max(row_scale_(i), A.row(i).cwiseAbs().maxCoeff());
  }
  const double least_row = kVanishes * row_scale_.maxCoeff();
  for (Eigen::Index i = 0; i < A.rows(); ++i) A.row(i) /= std::max(row_scale_(i), least_row);
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    column_scale_(j) = std::max({column_scale_(j), kVanishes, A.col(j).cwiseAbs().maxCoeff()});
    A.col(j) /= column_scale_(j);
  }
  pivoting_.start();
  for (int i = 0; i < system_.holonomic(); ++i) pivoting_.line_up(i, rows_.remaining(i));
  for (int i = system_.rows(); i < rows_.count(); ++i) pivoting_.line_up(i);
  pivoting_.eliminate(pivoting_.lined_up());
}

void SingularPositions::start(double t, std::span<const double> q) {
  row_scale_.setZero();
  column_scale_.setZero();
  eliminate(t, q);
  rank_ = pivoting_.rank();
  usual_ = smallest();
}

/// Of as many pivots as there usually are; those beyond are drift.
double SingularPositions::smallest() const {
  return rank_ > 0 ? pivoting_.pivot(rank_ - 1) / pivoting_.pivot(0) : 1;
}

double SingularPositions::least_pivot(double t, std::span<const double> q) {
  eliminate(t, q);
  if (pivoting_.rank() < rank_) return 0;
  double least = 1, largest = 1;
  for (int k = 0; k < rank_; ++k) {
    const double pivot = pivoting_.pivot(k);
    least = k == 0 ? pivot : std::min(least, pivot);
    largest = k == 0 ? pivot : std::max(largest, pivot);
  }
  return least / largest;
}

bool SingularPositions::near(double t, std::span<const double> q, double part) {
  constexpr double kClear = 0.03;
  constexpr double kOrdinary =
      0.3;  // where a run never leaves the neighbourhood of a singular position
  eliminate(t, q);
  if (pivoting_.rank() < rank_) return true;
  // more pivots than at the start, and clear ones: the start was singular
  const int more = pivoting_.rank();
  if (more > rank_ && pivoting_.pivot(more - 1) > kClear * pivoting_.pivot(0)) {
    rank_ = more;
    usual_ = 0;
  }
  usual_ = std::max({usual_, kOrdinary, smallest()});
  return smallest() < part * usual_;
}

}  // namespace kinegrad

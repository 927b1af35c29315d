#include "simulation/independent_equations.hpp"

#include <Eigen/QR>

#include "kinegrad/math/row_span.hpp"

namespace kinegrad {

namespace {

std::vector<int> independent_rows(const MatX& J, std::span<const double> remaining) {
  RowSpan span;
  std::vector<int> rows;
  for (Eigen::Index i = 0; i < J.rows(); ++i) {
    VecX row = J.row(i).transpose();
    if (span.add(row, remaining[static_cast<std::size_t>(i)])) rows.push_back(static_cast<int>(i));
  }
  return rows;
}

}  // namespace

IndependentEquations::IndependentEquations(const MatX& J, std::span<const double> remaining)
    : rows_(independent_rows(J, remaining)), length_(J.rowwise().norm()) {
  for (double& x : length_) x = x > 0 ? x : 1;
  const MatX unit = length_.cwiseInverse().asDiagonal() * J;
  const Eigen::Index n = J.cols(), rank = static_cast<Eigen::Index>(rows_.size());
  MatX chosen(n, rank);
  for (Eigen::Index k = 0; k < rank; ++k) {
    chosen.col(k) = unit.row(rows_[static_cast<std::size_t>(k)]).transpose();
  }
  const Eigen::HouseholderQR<MatX> qr(chosen);
  const MatX YZ = qr.householderQ() * MatX::Identity(n, n);
  Y_ = YZ.leftCols(rank);
  Z_ = YZ.rightCols(n - rank);
  R_ = qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
  const MatX CRt = unit * Y_;
  const MatX C = R_.transpose().triangularView<Eigen::Lower>().solve<Eigen::OnTheRight>(CRt);
  const Eigen::HouseholderQR<MatX> combinations(C);
  Q_ = combinations.householderQ() * MatX::Identity(J.rows(), rank);
  S_ = combinations.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
}

VecX IndependentEquations::correction(const VecX& phi) const {
  VecX b(rank());
  for (int k = 0; k < rank(); ++k) {
    const int row = rows_[static_cast<std::size_t>(k)];
    b(k) = -phi(row) / length_(row);
  }
  R_.transpose().triangularView<Eigen::Lower>().solveInPlace(b);
  return Y_ * b;
}

VecX IndependentEquations::correction_transposed(const VecX& delta_bar) const {
  VecX b = Y_.transpose() * delta_bar;
  R_.triangularView<Eigen::Upper>().solveInPlace(b);
  VecX phi_bar = VecX::Zero(length_.size());
  for (int k = 0; k < rank(); ++k) {
    const int row = rows_[static_cast<std::size_t>(k)];
    phi_bar(row) = -b(k) / length_(row);
  }
  return phi_bar;
}

VecX IndependentEquations::multipliers(const VecX& r) const {
  VecX mu = -(Y_.transpose() * r);
  R_.triangularView<Eigen::Upper>().solveInPlace(mu);
  S_.transpose().triangularView<Eigen::Lower>().solveInPlace(mu);
  return length_.cwiseInverse().cwiseProduct(Q_ * mu);
}

}  // namespace kinegrad

#include "simulation/rest_choice.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>

#include "kinegrad/math/rank_rule.hpp"

namespace kinegrad {

namespace {

/// Factors by which rows and columns of K become numbers to compare: units [KP-11]; coordinates that are soft beside
/// others count up to a hundred times more, far from what rounding leaves of stiff ones; states, whose units nobody
/// knows, as much as the largest.
struct Scales {
  VecX rows, columns;
};

Scales scales_of(const MatX& K, const VecX& units, const std::vector<char>& state) {
  constexpr double kMost = 100;
  const Eigen::Index n = K.rows();
  const auto is_state = [&](Eigen::Index j) { return state[static_cast<std::size_t>(j)] != 0; };
  MatX scaled = units.asDiagonal() * K * units.asDiagonal();
  double largest = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = 0; i < n && !is_state(j); ++i) {
      if (!is_state(i)) largest = std::max(largest, std::abs(scaled(i, j)));
    }
  }
  if (!(largest > 0)) largest = 1;
  Scales out{units, units};
  for (Eigen::Index j = 0; j < n; ++j) {
    if (!is_state(j)) continue;
    const double column = scaled.col(j).cwiseAbs().maxCoeff();
    if (column > 0) out.columns(j) *= largest / column;
    if (column > 0) scaled.col(j) *= largest / column;
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    const double row = scaled.row(j).cwiseAbs().maxCoeff();
    if (is_state(j)) {
      if (row > 0) out.rows(j) *= largest / row;
      continue;
    }
    const double own = std::max(row, scaled.col(j).cwiseAbs().maxCoeff());
    if (!(own > 0)) continue;
    const double factor = std::min(kMost, std::sqrt(std::max(1.0, largest / own)));
    out.rows(j) *= factor;
    out.columns(j) *= factor;
  }
  return out;
}

MatX orthonormal(const MatX& columns) {
  const Eigen::HouseholderQR<MatX> qr(columns);
  return qr.householderQ() * MatX::Identity(columns.rows(), columns.cols());
}

/// Directions in units, orthonormal again.
MatX in_units(const MatX& scaled, const VecX& scales, const VecX& units) {
  if (scaled.cols() == 0) return scaled;
  return orthonormal(units.cwiseInverse().asDiagonal() * (scales.asDiagonal() * scaled));
}

/// The coordinate that has most of the directions which consist of states alone, -1: there are none.
int most_of_states(const MatX& directions, const std::vector<char>& state) {
  constexpr double kNothing = 1e-6;
  const Eigen::Index n = directions.rows(), d = directions.cols();
  if (d == 0) return -1;
  MatX matter = directions;
  for (Eigen::Index j = 0; j < n; ++j) {
    if (state[static_cast<std::size_t>(j)]) matter.row(j).setZero();
  }
  const Eigen::JacobiSVD<MatX> svd(matter.transpose() * matter, Eigen::ComputeFullV);
  int best = -1;
  double most = 0;
  for (Eigen::Index k = 0; k < d; ++k) {
    if (svd.singularValues()(k) > kNothing * kNothing) continue;
    const VecX only = directions * svd.matrixV().col(k);
    for (Eigen::Index j = 0; j < n; ++j) {
      if (!state[static_cast<std::size_t>(j)] || !(std::abs(only(j)) > most * (1 + 1e-6))) continue;
      most = std::abs(only(j));
      best = static_cast<int>(j);
    }
  }
  return best;
}

}  // namespace

NullDirections null_directions(const MatX& K, const MatX& Z, const VecX& units,
                               const std::vector<char>& state) {
  NullDirections out{MatX(K.rows(), 0), MatX(K.rows(), 0)};
  if (Z.cols() == 0) return out;
  const Scales scales = scales_of(K, units, state);
  const MatX right = orthonormal(scales.columns.cwiseInverse().asDiagonal() * Z);
  const MatX left = orthonormal(scales.rows.cwiseInverse().asDiagonal() * Z);
  const MatX A =
      left.transpose() * scales.rows.asDiagonal() * K * scales.columns.asDiagonal() * right;
  if (!A.allFinite()) return out;
  constexpr double kSurely =
      10;  // pivots of a regular matrix are that far from its singular values
  const Eigen::ColPivHouseholderQR<MatX> qr(A);
  const VecX pivots = qr.matrixQR().diagonal().cwiseAbs();
  if (pivots.minCoeff() > kSurely * rank::kDependent * pivots.maxCoeff()) return out;
  const Eigen::BDCSVD<MatX> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const VecX& values = svd.singularValues();
  Eigen::Index count = 0;
  while (count < values.size() &&
         !(values(values.size() - 1 - count) > rank::kDependent * values(0))) {
    ++count;
  }
  out.right = in_units(right * svd.matrixV().rightCols(count), scales.columns, units);
  out.left = in_units(left * svd.matrixU().rightCols(count), scales.rows, units);
  return out;
}

int undetermined_state(const NullDirections& free, const std::vector<char>& state) {
  const int right = most_of_states(free.right, state);
  return right >= 0 ? right : most_of_states(free.left, state);
}

/// Both sets of directions are made orthogonal to what the coordinates chosen so far say of them. Of coordinates that
/// are about as good the first is taken.
std::vector<int> indifferent_coordinates(const NullDirections& free,
                                         const std::vector<char>& state) {
  constexpr double kAbout = 0.3, kBarely = 1e-6;
  MatX X = free.right, W = free.left;
  std::vector<int> held;
  const auto forget = [](MatX& directions, Eigen::Index row) {
    const VecX own = directions.row(row).transpose().normalized();
    directions -= (directions * own) * own.transpose();
  };
  for (int k = 0; k < free.count(); ++k) {
    VecX worth = X.rowwise().norm().cwiseProduct(W.rowwise().norm());
    for (Eigen::Index j = 0; j < worth.size(); ++j) {
      if (state[static_cast<std::size_t>(j)]) worth(j) = 0;
    }
    const double most = worth.maxCoeff();
    if (!(most > kBarely)) return {};
    Eigen::Index first = 0;
    while (worth(first) < kAbout * most) ++first;
    held.push_back(static_cast<int>(first));
    forget(X, first);
    forget(W, first);
  }
  return held;
}

}  // namespace kinegrad

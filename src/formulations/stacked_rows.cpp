#include "kinegrad/formulations/stacked_rows.hpp"

#include <algorithm>

namespace kinegrad {

void StackedRows::clear() {
  row_.clear();
  coordinate_.clear();
}

void StackedRows::add(int row, int coordinate) {
  row_.push_back(row);
  coordinate_.push_back(coordinate);
}

void StackedRows::add_named(std::span<const IndependentCoordinate> named, int first) {
  for (const IndependentCoordinate& y : named) add(y.row < 0 ? -1 : first + y.row, y.coordinate);
}

void StackedRows::take(const StageRows& rows) {
  pick_rows(row_, rows.J.Phi_q.whole(), J.Phi_q);
  pick_rows(row_, rows.J.Phidot_q.whole(), J.Phidot_q);
  pick_rows(row_, rows.J.Phiddot_q.whole(), J.Phiddot_q);
  pick_rows(row_, rows.J.Phiddot_v.whole(), J.Phiddot_v);
  for (std::size_t i = 0; i < coordinate_.size(); ++i) {
    if (coordinate_[i] >= 0) J.Phi_q(static_cast<Eigen::Index>(i), coordinate_[i]) = 1;
  }
}

void StackedRows::take_parameters(const LevelTangent& rows) {
  pick_rows(row_, rows.Phi, p.Phi);
  pick_rows(row_, rows.Phi_dot, p.Phi_dot);
  pick_rows(row_, rows.Phi_ddot, p.Phi_ddot);
}

void StackedRows::hand_back(const VecX& bar, double factor, std::vector<double>& phi) const {
  std::fill(phi.begin(), phi.end(), 0.0);
  for (std::size_t i = 0; i < row_.size(); ++i) {
    if (row_[i] < 0 || row_[i] >= static_cast<int>(phi.size())) continue;
    phi[static_cast<std::size_t>(row_[i])] = factor * bar(static_cast<Eigen::Index>(i));
  }
}

}  // namespace kinegrad

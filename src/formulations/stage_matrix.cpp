#include <algorithm>
#include <cmath>

#include "kinegrad/formulations/stage_partials.hpp"

namespace kinegrad {

void StageMatrix::resize(int n, int l) {
  n_ = n;
  l_ = l;
  A_.resize(n + l);
  softness_.assign(static_cast<std::size_t>(l), 0.0);
  border_.resize(static_cast<std::size_t>(l));
  right_.resize(static_cast<std::size_t>(n + l));
}

bool StageMatrix::factorize() {
  for (int i = 0; i < l_; ++i) {  // the diagonal of L N⁻¹Jᵀ, with that of N alone
    double sum = 0;
    for (int j = 0; j < n_; ++j) {
      const double d = std::abs(A_.at(j, j));
      if (d > 0) sum += std::abs(A_.at(n_ + i, j) * A_.at(j, n_ + i)) / d;
    }
    border_[static_cast<std::size_t>(i)] = sum;
  }
  border::make_small(border_);
  for (int i = 0; i < l_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (softness_[k] > 0) border_[k] = 0;
    A_.at(n_ + i, n_ + i) -= softness_[k] + border_[k];
  }
  return A_.factorize();
}

/// z ← solution with the border left out: after a pass the rows miss by the border times the change.
/// Always the same number of passes, so that both directions leave the same behind.
template <typename Solve>
void StageMatrix::repeat(std::span<double> z, const Solve& solve) {
  if (l_ == 0) return solve(z);
  std::copy(z.begin(), z.end(), right_.begin());
  solve(z);
  const auto n = static_cast<std::size_t>(n_);
  for (int pass = 1; pass < border::kPasses; ++pass) {
    for (std::size_t i = 0; i < border_.size(); ++i) {
      z[n + i] = right_[n + i] - border_[i] * z[n + i];
    }
    std::copy(right_.begin(), right_.begin() + n_, z.begin());
    solve(z);
  }
}

void StageMatrix::solve(std::span<double> z) {
  repeat(z, [&](std::span<double> x) { A_.solve(x); });
}

void StageMatrix::solve(MatX& Z) {
  const auto count = static_cast<std::size_t>(Z.cols()), n = static_cast<std::size_t>(n_);
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  block_.resize(static_cast<std::size_t>(Z.size()));
  Eigen::Map<Rows> block(block_.data(), Z.rows(), Z.cols());
  block = Z;
  right_block_.assign(block_.begin(), block_.end());
  const auto columns = static_cast<int>(count);
  A_.solve_rows(block_, columns);
  for (int pass = 1; pass < border::kPasses && l_ > 0; ++pass) {
    for (std::size_t i = 0; i < border_.size(); ++i) {
      for (std::size_t k = (n + i) * count; k < (n + i + 1) * count; ++k) {
        block_[k] = right_block_[k] - border_[i] * block_[k];
      }
    }
    std::copy_n(right_block_.begin(), n * count, block_.begin());
    A_.solve_rows(block_, columns);
  }
  Z = block;
}

void StageMatrix::solve_transposed(std::span<double> z) {
  repeat(z, [&](std::span<double> x) { A_.solve_transposed(x); });
}

StageRows::StageRows(const SystemPartials& system)
    : euler_(system.euler_sets().begin(), system.euler_sets().end()),
      m_(system.rows()),
      rows_(m_ + static_cast<int>(euler_.size())) {}

void StageRows::take(SystemPartials& system, const StagePoint& x, RowLevels levels) {
  if (euler_.empty()) return system.jacobians(J, levels);
  system.jacobians(part_, levels);
  const auto n = static_cast<Eigen::Index>(system.nq());
  const auto copy = [&](const MatX& from, MatX& to) {
    to.resize(rows_, n);
    to.topRows(m_) = from;
    to.bottomRows(rows_ - m_).setZero();
  };
  copy(part_.Phi_q, J.Phi_q);
  copy(part_.Phidot_q, J.Phidot_q);
  copy(part_.Phiddot_q, J.Phiddot_q);
  copy(part_.Phiddot_v, J.Phiddot_v);
  for (std::size_t e = 0; e < euler_.size(); ++e) {
    const auto row = static_cast<Eigen::Index>(m_) + static_cast<Eigen::Index>(e);
    for (int c = euler_[e]; c < euler_[e] + 4; ++c) {
      const auto k = static_cast<std::size_t>(c);
      J.Phi_q(row, c) = x.q[k];
      J.Phidot_q(row, c) = x.v[k];
      J.Phiddot_q(row, c) = x.a[k];
      J.Phiddot_v(row, c) = 2 * x.v[k];
    }
  }
}

}  // namespace kinegrad

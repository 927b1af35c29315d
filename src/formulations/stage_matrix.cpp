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
  double largest = 0;
  for (int j = 0; j < n_; ++j) largest = std::max(largest, std::abs(A_.at(j, j)));
  for (int i = 0; i < l_; ++i) {  // the diagonal of L N⁻¹Jᵀ, with that of N alone
    double sum = 0;
    for (int j = 0; j < n_; ++j) {
      const double x = std::sqrt(std::abs(A_.at(n_ + i, j) * A_.at(j, n_ + i)));
      sum += border::share(x, std::abs(A_.at(j, j)), largest);
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

/// Columns first … first + count of Z, side by side in rows of Width.
template <int Width>
void StageMatrix::solve_columns(MatX& Z, Eigen::Index first, Eigen::Index count) {
  const auto n = static_cast<std::size_t>(n_);
  block_.assign((n + border_.size()) * Width, 0.0);
  for (Eigen::Index i = 0; i < Z.rows(); ++i) {
    for (Eigen::Index c = 0; c < count; ++c) {
      block_[static_cast<std::size_t>(i * Width + c)] = Z(i, first + c);
    }
  }
  right_block_.assign(block_.begin(), block_.end());
  A_.solve_rows<Width>(block_.data());
  for (int pass = 1; pass < border::kPasses && l_ > 0; ++pass) {
    for (std::size_t i = 0; i < border_.size(); ++i) {
      for (std::size_t k = (n + i) * Width; k < (n + i + 1) * Width; ++k) {
        block_[k] = right_block_[k] - border_[i] * block_[k];
      }
    }
    std::copy_n(right_block_.begin(), n * Width, block_.begin());
    A_.solve_rows<Width>(block_.data());
  }
  for (Eigen::Index i = 0; i < Z.rows(); ++i) {
    for (Eigen::Index c = 0; c < count; ++c) {
      Z(i, first + c) = block_[static_cast<std::size_t>(i * Width + c)];
    }
  }
}

/// Eight at a time, what is left in the next even number.
void StageMatrix::solve(MatX& Z) {
  const auto n = static_cast<std::size_t>(Z.rows());
  block_.reserve(8 * n);
  right_block_.reserve(8 * n);
  for (Eigen::Index first = 0; first < Z.cols(); first += 8) {
    const Eigen::Index left = std::min<Eigen::Index>(8, Z.cols() - first);
    if (left > 6) {
      solve_columns<8>(Z, first, left);
    } else if (left > 4) {
      solve_columns<6>(Z, first, left);
    } else if (left > 2) {
      solve_columns<4>(Z, first, left);
    } else {
      solve_columns<2>(Z, first, left);
    }
  }
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

#include "kinegrad/formulations/stage_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "kinegrad/base/index.hpp"
#include "kinegrad/formulations/border_passes.hpp"
#include "kinegrad/math/pattern_builder.hpp"

namespace kinegrad {

std::optional<SystemPattern> stage_pattern(const SystemPartials& system, const StageRule& rule) {
  const EulerSets sets = system.euler_sets();
  const int n = system.nq(), size = n + system.rows() + static_cast<int>(sets.size());
  if (rule.independent || system.reads_reactions() || system.mass_entries() >= sparse_limit(size))
    return {};
  SystemPattern pattern = system.pattern();
  for (const int first : sets) {
    for (int c = first; c < first + 4; ++c) pattern.rows.column.push_back(c);
    pattern.rows.start.push_back(static_cast<int>(pattern.rows.column.size()));
  }
  pattern.rows.value.assign(pattern.rows.column.size(), 0.0);
  const std::size_t entries = pattern.equations.value.size() + 2 * pattern.rows.value.size();
  if (entries >= sparse_limit(size)) return {};
  return pattern;
}

/// The matrix by columns, which are the rows of its transpose.
void StageMatrix::set_pattern(const SystemPattern& pattern) {
  n_ = pattern.equations.rows();
  l_ = pattern.rows.rows();
  rows_ = pattern.rows;
  PatternBuilder transposed(n_ + l_, n_ + l_);
  const auto each = [&](const SparseRows<double>& part, const auto& visit) {
    for (int i = 0; i < part.rows(); ++i) part.each(i, [&](int j, double) { visit(i, j); });
  };
  const auto add = [&](int i, int j) { transposed.add_row(j, {&i, 1}); };
  each(pattern.mass, add);
  each(pattern.equations, add);
  each(pattern.rows, [&](int i, int j) {
    add(n_ + i, j);
    add(j, n_ + i);
  });
  for (int i = 0; i < n_ + l_; ++i) add(i, i);
  SparseRows<double> A = transposed.build();
  const auto list = [&](StageBlock block, const SparseRows<double>& part, const auto& place) {
    std::vector<int>& places = places_[static_cast<std::size_t>(block)];
    places.clear();
    each(part, [&](int i, int j) { places.push_back(static_cast<int>(place(i, j))); });
  };
  const auto place = [&](int i, int j) { return A.place(j, i); };
  list(StageBlock::kMass, pattern.mass, place);
  list(StageBlock::kEquations, pattern.equations, place);
  list(StageBlock::kRows, pattern.rows, [&](int i, int j) { return A.place(j, n_ + i); });
  list(StageBlock::kColumns, pattern.rows, [&](int i, int j) { return A.place(n_ + i, j); });
  diagonal_.clear();
  for (int i = 0; i < n_ + l_; ++i) diagonal_.push_back(static_cast<int>(A.place(i, i)));
  S_ = {std::move(A.start), std::move(A.column), std::move(A.value)};
  sparse_ = make_sparse_lu<double>();
}

void StageMatrix::resize(int n, int l, bool dependent) {
  n_ = n;
  l_ = l;
  dependent_ = dependent;
  factors_ = Factors::kBordered;
  if (sparse_) {
    std::fill(S_.value.begin(), S_.value.end(), 0.0);
  } else {
    A_.reserve(n + l);
    A_.resize(n + l);
    kept_.reserve(index(n + l));
    unknowns_.reserve(index(n + l));
    kept_border_.reserve(index(l));
    left_out_.reserve(index(l));
    alone_.reserve(index(l));
  }
  sizes_.resize(index(n));
  masses_.clear();
  softness_.assign(index(l), 0.0);
  border_.resize(index(l));
  remaining_.assign(index(l), 1.0);
  right_.resize(index(n + l) + BorderPasses::memory(index(l), 1));
}

/// What has no mass takes no part in the sizes of rows.
void StageMatrix::take_masses(const PatternMatrix& M) {
  masses_.resize(index(n_));
  for (int j = 0; j < n_; ++j) masses_[index(j)] = std::abs(M(j, j));
  border::spread_euler_sizes(masses_, euler_);
}

void StageMatrix::add(StageBlock block, const PatternMatrix& part, double c) {
  if (block == StageBlock::kMass) take_masses(part);
  if (sparse_) {
    const std::vector<int>& to = places(block);
    const std::vector<double>& from = part.by_rows().value;
    for (std::size_t k = 0; k < to.size(); ++k) S_.value[index(to[k])] += c * from[k];
    return;
  }
  Eigen::Map<MatX> A(A_.data(), n_ + l_, n_ + l_);
  if (block == StageBlock::kRows) {
    A.bottomLeftCorner(l_, n_) += c * part.whole();
  } else if (block == StageBlock::kColumns) {
    A.topRightCorner(n_, l_) += c * part.whole().transpose();
  } else {
    A.topLeftCorner(n_, n_) += c * part.whole();
  }
}

/// |N_jj|.
void StageMatrix::take_sizes() {
  for (int j = 0; j < n_; ++j) {
    const double diagonal = sparse_ ? S_.value[index(diagonal_[index(j)])] : A_.at(j, j);
    sizes_[index(j)] = std::abs(diagonal);
  }
  border::spread_euler_sizes(sizes_, euler_);
  if (masses_.empty()) return;
  const double largest = *std::max_element(masses_.begin(), masses_.end());
  for (int j = 0; j < n_; ++j) {
    if (border::is_massless(masses_[index(j)], largest)) sizes_[index(j)] = 0;
  }
}

/// A diagonal entry of L N⁻¹Jᵀ, with the diagonal of N alone.
double StageMatrix::row_size(int i, double largest) const {
  double sum = 0;
  if (!sparse_) {
    for (int j = 0; j < n_; ++j) {
      const double square = std::abs(A_.at(n_ + i, j) * A_.at(j, n_ + i));
      sum += border::share(square, sizes_[index(j)], largest);
    }
    return sum;
  }
  for (std::size_t k = index(rows_.start[index(i)]); k < index(rows_.start[index(i) + 1]); ++k) {
    const double size = sizes_[index(rows_.column[k])];
    const double row = S_.value[index(places(StageBlock::kRows)[k])];
    const double column = S_.value[index(places(StageBlock::kColumns)[k])];
    sum += border::share(std::abs(row * column), size, largest);
  }
  return sum;
}

bool StageMatrix::factorize() {
  if (dependent_) {
    take_sizes();
    double largest = 0;
    for (const double size : sizes_) largest = std::max(largest, size);
    for (int i = 0; i < l_; ++i) border_[index(i)] = row_size(i, largest);
    border::make_small(regularisation_, border_, [&](int i) { return remaining_[index(i)]; });
  } else {
    std::fill(border_.begin(), border_.end(), 0.0);
  }
  for (int i = 0; i < l_; ++i) {
    const std::size_t k = index(i);
    if (softness_[k] > 0) border_[k] = 0;
    if (sparse_) {
      if (remaining_[k] == 0) clear_column(i);
      S_.value[index(diagonal_[index(n_ + i)])] -= softness_[k] + border_[k];
    } else {
      A_.at(n_ + i, n_ + i) -= softness_[k];
    }
  }
  return sparse_ ? sparse_->factorize(S_) : factorize_whole();
}

/// An equation that does not count acts on nothing.
void StageMatrix::clear_column(int row) {
  for (std::size_t k = index(rows_.start[index(row)]); k < index(rows_.start[index(row) + 1]);
       ++k) {
    S_.value[index(places(StageBlock::kColumns)[k])] = 0;
  }
}

bool StageMatrix::factorize_whole() {
  leave_out();
  if (!dependent_) {
    factors_ = Factors::kPlain;
    return A_.factorize();
  }
  if (factorize_independent()) return true;
  factors_ = Factors::kBordered;
  for (int i = n_; i < A_.size(); ++i) A_.at(i, i) -= kept_border_[index(i - n_)];
  return A_.factorize();
}

/// Without the border where the rows are independent, as in most positions of most mechanisms; else A_ is
/// left as it was.
bool StageMatrix::factorize_independent() {
  const int size = A_.size();
  // where something has no mass, rows hold it, not N
  const auto no_mass = [](double size_of_one) { return !(size_of_one > 0); };
  if (!euler_.empty() || std::any_of(sizes_.begin(), sizes_.end(), no_mass)) return false;
  if (symmetric_) {
    factors_ = Factors::kSymmetric;
    K_.resize(size);
    for (int j = 0; j < size; ++j) {
      for (int i = j; i < size; ++i) K_.at(i, j) = A_.at(i, j);
    }
    return K_.factorize(n_, rank::kIndependent);
  }
  if (size >= SmallLu<double>::kBlocked) return false;
  factors_ = Factors::kPlain;
  copy_.assign(A_.data(), A_.data() + size * size);
  if (A_.factorize_bordered(n_, rank::kIndependent)) return true;
  std::copy(copy_.begin(), copy_.end(), A_.data());
  return false;
}

bool StageMatrix::vanishes(int row) const {
  if (remaining_[index(row)] == 0) return true;
  for (int j = 0; j < n_; ++j) {
    if (A_.at(n_ + row, j) != 0 || A_.at(j, n_ + row) != 0) return false;
  }
  return true;
}

/// Rows that vanish stand alone, with their diagonals.
void StageMatrix::leave_out() {
  kept_.clear();
  kept_border_.clear();
  left_out_.clear();
  alone_.clear();
  for (int i = 0; i < n_; ++i) kept_.push_back(i);
  for (int i = 0; i < l_; ++i) {
    if (dependent_ && vanishes(i)) {
      left_out_.push_back(i);
      alone_.push_back(alone(i));
    } else {
      kept_.push_back(n_ + i);
      kept_border_.push_back(border_[index(i)]);
    }
  }
  unknowns_.resize(kept_.size());
  if (!left_out_.empty()) A_.keep(kept_);
}

/// What the right side of a row that was left out is multiplied by: it rests after the third pass.
double StageMatrix::alone(int row) const {
  const double soft = softness_[index(row)], border = border_[index(row)];
  return soft > 0 ? -1 / soft : -border::kPasses / border;
}

/// z ← solution with the border left out: after a pass the rows miss by the border times the change.
template <typename Solve>
void StageMatrix::repeat(std::span<double> z, std::span<const double> border, const Solve& solve) {
  if (border.empty() || factors_ != Factors::kBordered) return solve(z);
  const auto n = static_cast<std::size_t>(n_);
  std::copy(z.begin(), z.end(), right_.begin());
  const std::span<double> right(right_.data(), z.size()), y = z.subspan(n, border.size());
  BorderPasses passes(border, 1, std::span(right_).subspan(z.size()));
  solve(z);
  while (passes.next(right.subspan(n, border.size()), y)) {
    std::copy_n(right.begin(), n, z.begin());
    solve(z);
  }
}

/// The same for a whole matrix, whose factorisation may have fewer unknowns.
template <typename Solve>
void StageMatrix::solve_kept(std::span<double> z, const Solve& solve) {
  if (left_out_.empty()) return repeat(z, border_, solve);
  for (std::size_t k = 0; k < kept_.size(); ++k) unknowns_[k] = z[index(kept_[k])];
  repeat(unknowns_, kept_border_, solve);
  for (std::size_t k = 0; k < kept_.size(); ++k) z[index(kept_[k])] = unknowns_[k];
  for (std::size_t k = 0; k < left_out_.size(); ++k) z[index(n_ + left_out_[k])] *= alone_[k];
}

void StageMatrix::solve(std::span<double> z) {
  if (sparse_) return repeat(z, border_, [&](std::span<double> x) { sparse_->solve(x); });
  solve_kept(
      z, [&](std::span<double> x) { factors_ == Factors::kSymmetric ? K_.solve(x) : A_.solve(x); });
}

/// Columns first … first + count of Z, side by side in rows of Width.
template <int Width>
void StageMatrix::solve_columns(MatX& Z, Eigen::Index first, Eigen::Index count) {
  const auto n = static_cast<std::size_t>(n_);
  block_.assign(kept_.size() * Width, 0.0);
  for (Eigen::Index c = 0; c < count; ++c) {
    const double* const column = Z.col(first + c).data();
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      block_[k * Width + static_cast<std::size_t>(c)] = column[kept_[k]];
    }
  }
  const std::size_t y = n * Width, all = block_.size();
  right_block_.resize(all + BorderPasses::memory(kept_border_.size(), Width));
  std::copy(block_.begin(), block_.end(), right_block_.begin());
  if (factors_ == Factors::kSymmetric) {
    K_.solve_rows<Width>(block_.data());
  } else {
    A_.solve_rows<Width>(block_.data());
  }
  if (factors_ == Factors::kBordered && !kept_border_.empty()) {
    const std::span<double> right(right_block_);
    BorderPasses passes(kept_border_, Width, right.subspan(all));
    while (passes.next(right.subspan(y, all - y), std::span(block_).subspan(y))) {
      std::copy_n(right.begin(), y, block_.begin());
      A_.solve_rows<Width>(block_.data());
    }
  }
  for (Eigen::Index c = 0; c < count; ++c) {
    double* const column = Z.col(first + c).data();
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      column[kept_[k]] = block_[k * Width + static_cast<std::size_t>(c)];
    }
    for (std::size_t k = 0; k < left_out_.size(); ++k) column[n_ + left_out_[k]] *= alone_[k];
  }
}

/// Eight at a time, what is left in the next even number.
void StageMatrix::solve(MatX& Z) {
  if (sparse_) {
    for (Eigen::Index j = 0; j < Z.cols(); ++j) {
      solve(std::span<double>(Z.col(j).data(), index(n_ + l_)));
    }
    return;
  }
  const auto n = static_cast<std::size_t>(Z.rows());
  block_.reserve(8 * n);
  right_block_.reserve(8 * n + BorderPasses::memory(index(l_), 8));
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
  if (sparse_) {
    return repeat(z, border_, [&](std::span<double> x) { sparse_->solve_transposed(x); });
  }
  solve_kept(z, [&](std::span<double> x) {
    factors_ == Factors::kSymmetric ? K_.solve(x) : A_.solve_transposed(x);
  });
}

}  // namespace kinegrad

#include "kinegrad/math/bordered_solver.hpp"

#include <cmath>

#include "kinegrad/base/index.hpp"

namespace kinegrad {

template <Scalar T>
void BorderedSolver<T>::analyse(const SparseUpper<T>& N, const SparseRows<T>& J) {
  n_ = N.size();
  m_ = J.rows();
  sparse_.reset();
  shifted_ = false;
  J_ = J;
  for (auto* x : {&S_, &SE_, &g_}) x->assign(index(m_), T(0));
  make_fixed(N, J);
  if (2 * (N.value.size() + J.value.size()) < sparse_limit(size())) {
    build_sparse(N, J);
    sparse_ = make_sparse_lu<T>();
    kind_ = Kind::kSparse;
  } else {
    if (fixed_.empty()) build_patterns(N, J);
    make_full();
    kind_ = Kind::kLdlt;
  }
}

/// Where elimination in a fixed order takes clearly fewer products than that of a whole matrix.
template <Scalar T>
void BorderedSolver<T>::make_fixed(const SparseUpper<T>& N, const SparseRows<T>& J) {
  constexpr int kMost = 400;      // unknowns; the order of more takes too long to find
  constexpr double kPart = 0.6;   // of the products of a whole matrix
  constexpr double kFull = 0.35;  // of its places: more fill it
  fixed_.clear();
  const double s = size(), places = static_cast<double>(N.value.size() + J.value.size());
  if (size() <= unrolled::kMost || size() > kMost || places > kFull * s * s) return;
  for (const bool with_rows : {false, true}) {
    fixed_.push_back(make_fixed(N, J, with_rows));
    if (fixed_.back().K.products() > kPart * s * s * s / 6) return fixed_.clear();
  }
}

template <Scalar T>
typename BorderedSolver<T>::Fixed BorderedSolver<T>::make_fixed(const SparseUpper<T>& N,
                                                                const SparseRows<T>& J,
                                                                bool with_rows) const {
  std::vector<std::pair<int, int>> of_N, of_J, of_rows;
  for (int j = 0; j < n_; ++j) {
    for (int k = N.start[index(j)]; k < N.start[index(j) + 1]; ++k) {
      of_N.emplace_back(j, N.row[index(k)]);
    }
  }
  for (int i = 0; i < m_; ++i) {
    const int first = J.start[index(i)], last = J.start[index(i) + 1];
    for (int k = first; k < last; ++k) of_J.emplace_back(n_ + i, J.column[index(k)]);
    for (int l = first; l < last && with_rows; ++l) {
      for (int k = l; k < last; ++k) of_rows.emplace_back(J.column[index(k)], J.column[index(l)]);
    }
  }
  std::vector<std::pair<int, int>> all;
  for (const auto* entries : {&of_N, &of_J, &of_rows}) {
    all.insert(all.end(), entries->begin(), entries->end());
  }
  Fixed out;
  out.K.analyse(size(), n_, all);
  const auto places = [&](const std::vector<std::pair<int, int>>& entries) {
    std::vector<int> at;
    for (const auto& [i, j] : entries) at.push_back(out.K.place(i, j));
    return at;
  };
  out.N = places(of_N);
  out.J = places(of_J);
  out.rows = places(of_rows);
  for (int i = n_; i < size(); ++i) out.E.push_back(out.K.place(i, i));
  return out;
}

/// What the elimination of the matrix can fill [B-8], without and with rows added to N [B-4].
template <Scalar T>
void BorderedSolver<T>::build_patterns(const SparseUpper<T>& N, const SparseRows<T>& J) {
  EliminationPattern pattern(size());
  for (int j = 0; j < n_; ++j) {
    for (int k = N.start[index(j)]; k < N.start[index(j) + 1]; ++k) pattern.add(j, N.row[index(k)]);
  }
  for (int i = 0; i < m_; ++i) J.each(i, [&](int j, const T&) { pattern.add(n_ + i, j); });
  with_rows_ = pattern;
  for (int i = 0; i < m_; ++i) {
    J.each(i, [&](int j, const T&) {
      J.each(i, [&](int k, const T&) { with_rows_.add(j, k); });
    });
  }
  plain_ = std::move(pattern);
  plain_.complete();
  with_rows_.complete();
}

/// The pattern of the whole matrix, and where each entry of N, J and E goes.
template <Scalar T>
void BorderedSolver<T>::build_sparse(const SparseUpper<T>& N, const SparseRows<T>& J) {
  std::vector<std::set<int>> rows(index(size()));
  const auto mirror = [&](int i, int j) {
    rows[index(j)].insert(i);
    rows[index(i)].insert(j);
  };
  const auto each_N = [&](const auto& visit) {
    for (int j = 0; j < n_; ++j) {
      for (int k = N.start[index(j)]; k < N.start[index(j) + 1]; ++k) visit(N.row[index(k)], j);
    }
  };
  const auto each_J = [&](const auto& visit) {
    for (int i = 0; i < m_; ++i) {
      for (int k = J.start[index(i)]; k < J.start[index(i) + 1]; ++k) {
        visit(n_ + i, J.column[index(k)]);
      }
    }
  };
  each_N(mirror);
  each_J(mirror);
  for (int i = n_; i < size(); ++i) rows[index(i)].insert(i);
  A_ = {};
  for (const std::set<int>& column : rows) {
    A_.row.insert(A_.row.end(), column.begin(), column.end());
    A_.start.push_back(static_cast<int>(A_.row.size()));
  }
  A_.value.assign(A_.row.size(), T(0));
  N_places_.clear();
  full_places_.clear();
  J_places_.clear();
  E_places_.clear();
  each_N([&](int i, int j) { N_places_.emplace_back(place(i, j), place(j, i)); });
  each_J([&](int i, int j) { J_places_.emplace_back(place(i, j), place(j, i)); });
  for (int i = n_; i < size(); ++i) E_places_.push_back(place(i, i));
}

/// Where the entry (i, j) of the sparse matrix is kept.
template <Scalar T>
int BorderedSolver<T>::place(int i, int j) const {
  const auto first = A_.row.begin() + A_.start[index(j)];
  return static_cast<int>(std::lower_bound(first, A_.row.begin() + A_.start[index(j) + 1], i) -
                          A_.row.begin());
}

template <Scalar T>
bool BorderedSolver<T>::factorize_full(const SparseRows<T>& N, const SparseRows<T>& J,
                                       const SparseRows<T>& rows, const VecXT<T>& E) {
  kind_ = Kind::kSparse;
  if (full_places_.empty()) {
    for (int i = 0; i < n_; ++i) {
      N.each(i, [&](int j, const T&) { full_places_.push_back(place(i, j)); });
    }
  }
  for (std::size_t k = 0; k < full_places_.size(); ++k) {
    A_.value[index(full_places_[k])] = N.value[k];
  }
  for (std::size_t k = 0; k < J_places_.size(); ++k) {
    A_.value[index(J_places_[k].first)] = rows.value[k];
    A_.value[index(J_places_[k].second)] = J.value[k];
  }
  for (int i = 0; i < m_; ++i) A_.value[index(E_places_[index(i)])] = -E(i);
  return sparse_->factorize(A_);
}

template <Scalar T>
void BorderedSolver<T>::fill_sparse(const SparseUpper<T>& N, const SparseRows<T>& J,
                                    const VecXT<T>& E) {
  const auto put = [&](const auto& places, const auto& values) {
    for (std::size_t k = 0; k < places.size(); ++k) {
      A_.value[index(places[k].first)] = values[k];
      A_.value[index(places[k].second)] = values[k];
    }
  };
  put(N_places_, N.value);
  put(J_places_, J.value);
  for (int i = 0; i < m_; ++i) A_.value[index(E_places_[index(i)])] = -E(i);
}

template <Scalar T>
bool BorderedSolver<T>::factorize(const SparseUpper<T>& N, const SparseRows<T>& J,
                                  const VecXT<T>& E) {
  if (!fixed_.empty()) {
    if (factorize_fixed(N, J, E)) return true;
    if (!sparse_) return false;
  }
  shifted_ = false;
  if (sparse_) {
    kind_ = Kind::kSparse;
    fill_sparse(N, J, E);
    return sparse_->factorize(A_);
  }
  kind_ = Kind::kLdlt;
  shifted_ = false;  // asked anew each time: the same matrix has the same factors
  fill_dense(N, J, E);
  if (K_.factorize(n_)) return true;
  if (m_ == 0) return false;
  shifted_ = true;
  fill_dense(N, J, E);
  const auto border = [&](int i) -> T& { return K_.at(n_ + i, n_ + i); };
  add_rows(N, J, E, border, [&](int k, int l) -> T& {
    return K_.at(J.column[index(k)], J.column[index(l)]);
  });
  return K_.factorize(n_);
}

template <Scalar T>
bool BorderedSolver<T>::factorize_fixed(const SparseUpper<T>& N, const SparseRows<T>& J,
                                        const VecXT<T>& E) {
  kind_ = Kind::kFixed;
  shifted_ = false;  // asked anew each time: the same matrix has the same factors
  fill_fixed(N, J, E);
  if (fixed().K.factorize()) return true;
  if (m_ == 0) return false;
  shifted_ = true;
  fill_fixed(N, J, E);
  Fixed& to = fixed();
  auto place = to.rows.begin();
  const auto border = [&](int i) -> T& { return to.K.value(to.E[index(i)]); };
  add_rows(N, J, E, border, [&](int, int) -> T& { return to.K.value(*place++); });
  return to.K.factorize();
}

template <Scalar T>
void BorderedSolver<T>::fill_fixed(const SparseUpper<T>& N, const SparseRows<T>& J,
                                   const VecXT<T>& E) {
  Fixed& to = fixed();
  to.K.clear();
  for (std::size_t k = 0; k < to.N.size(); ++k) to.K.value(to.N[k]) = N.value[k];
  for (std::size_t k = 0; k < to.J.size(); ++k) to.K.value(to.J[k]) = J.value[k];
  for (int i = 0; i < m_; ++i) to.K.value(to.E[index(i)]) = -E(i);
}

template <Scalar T>
void BorderedSolver<T>::fill_dense(const SparseUpper<T>& N, const SparseRows<T>& J,
                                   const VecXT<T>& E) {
  K_.resize(shifted_ ? with_rows_ : plain_);
  for (int j = 0; j < n_; ++j) {
    for (int k = N.start[index(j)]; k < N.start[index(j) + 1]; ++k) {
      K_.at(j, N.row[index(k)]) = N.value[index(k)];
    }
  }
  for (int i = 0; i < m_; ++i) {
    for (int k = J.start[index(i)]; k < J.start[index(i) + 1]; ++k) {
      K_.at(n_ + i, J.column[index(k)]) = J.value[index(k)];
    }
    K_.at(n_ + i, n_ + i) = -E(i);
  }
}

/// [B-4] with S such that a row adds what N has on its diagonal in the mean: to border(row), and to the places
/// entry(k, l) of products of a row's entries, in ascending order.
template <Scalar T>
template <typename Border, typename Entry>
void BorderedSolver<T>::add_rows(const SparseUpper<T>& N, const SparseRows<T>& J,
                                 const VecXT<T>& E, const Border& border, const Entry& entry) {
  double mean = 0;
  for (int j = 0; j < n_; ++j) mean += real_part(N.diagonal(j)) / n_;
  J_.value = J.value;
  for (int i = 0; i < m_; ++i) {
    const int first = J.start[index(i)], last = J.start[index(i) + 1];
    double squares = 0;
    for (int k = first; k < last; ++k) {
      const double x = real_part(J.value[index(k)]);
      squares += x * x;
    }
    S_[index(i)] = T(0);
    SE_[index(i)] = T(1);
    if (!(squares > 0)) {
      for (int l = first; l < last; ++l) {
        for (int k = l; k < last; ++k) entry(k, l);  // adds nothing
      }
      continue;
    }
    // a border that is large beside the row, as penalties are not, leaves no room for more
    constexpr double kMost = 0.5;
    const double size = std::min(mean / squares, kMost / (real_part(E(i)) + 1e-300));
    S_[index(i)] = T(size);
    SE_[index(i)] = T(1) - E(i) * T(size);
    border(i) = -E(i) / SE_[index(i)];
    for (int l = first; l < last; ++l) {
      const T weight = T(size) * J.value[index(l)];
      for (int k = l; k < last; ++k) {  // columns ascend: below the diagonal
        entry(k, l) += J.value[index(k)] * weight;
      }
    }
  }
}

template <Scalar T>
void BorderedSolver<T>::make_full() {
  full_ = make_dense_lu<T>(size());
  full_matrix_ = {};
  for (int j = 0; j < size(); ++j) {
    for (int i = 0; i < size(); ++i) full_matrix_.row.push_back(i);
    full_matrix_.start.push_back(static_cast<int>(full_matrix_.row.size()));
  }
  full_matrix_.value.assign(full_matrix_.row.size(), T(0));
}

template <Scalar T>
bool BorderedSolver<T>::factorize_full(const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& N,
                                       const SparseRows<T>& J, const SparseRows<T>& rows,
                                       const VecXT<T>& E) {
  const int s = size();
  kind_ = Kind::kFull;
  if (!full_) make_full();
  const auto at = [&](int i, int j) -> T& {
    return full_matrix_.value[index(j) * index(s) + index(i)];
  };
  for (int j = 0; j < n_; ++j) {
    for (int i = 0; i < n_; ++i) at(i, j) = N(i, j);
  }
  for (int i = 0; i < m_; ++i) {
    for (int k = J.start[index(i)]; k < J.start[index(i) + 1]; ++k) {
      at(n_ + i, J.column[index(k)]) = rows.value[index(k)];
      at(J.column[index(k)], n_ + i) = J.value[index(k)];
    }
    at(n_ + i, n_ + i) = -E(i);
  }
  return full_->factorize(full_matrix_);
}

template <Scalar T>
void BorderedSolver<T>::solve(VecXT<T>& z) const {
  const std::span<T> x(z.data(), index(size()));
  if (kind_ == Kind::kSparse) return sparse_->solve(x);
  if (kind_ == Kind::kFull) return full_->solve(x);
  if (shifted_) {
    for (int i = 0; i < m_; ++i) g_[index(i)] = S_[index(i)] * x[index(n_ + i)];
    J_.add_transposed(g_, x.first(index(n_)));
  }
  if (kind_ == Kind::kFixed) {
    fixed().K.solve(x);
  } else {
    K_.solve(x);
  }
  if (!shifted_) return;
  for (int i = 0; i < m_; ++i) x[index(n_ + i)] /= SE_[index(i)];
}

template class BorderedSolver<double>;
template class BorderedSolver<std::complex<double>>;

}  // namespace kinegrad

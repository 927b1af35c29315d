// Products of sparse matrices with one fixed sparse matrix G whose patterns never change: where every
// product goes is found once.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "kinegrad/base/index.hpp"
#include "kinegrad/math/sparse_rows.hpp"
#include "kinegrad/math/sparse_upper.hpp"

namespace kinegrad {

/// J G.
template <typename T>
class RowsTimes {
 public:
  /// `more` are columns that the result has besides, by row; may be empty.
  void analyse(const SparseRows<T>& J, const SparseRows<T>& G,
               const std::vector<std::set<int>>& more, SparseRows<T>& out) {
    out = {};
    out.columns = G.columns;
    place_.clear();
    first_.assign(1, 0);
    for (int i = 0; i < J.rows(); ++i) {
      std::set<int> columns;
      if (!more.empty()) columns = more[index(i)];
      each(J, G, i, [&](std::size_t, std::size_t g) { columns.insert(G.column[g]); });
      const auto first = static_cast<int>(out.column.size());
      out.column.insert(out.column.end(), columns.begin(), columns.end());
      out.start.push_back(static_cast<int>(out.column.size()));
      each(J, G, i, [&](std::size_t, std::size_t g) {
        const auto at = std::lower_bound(out.column.begin() + first, out.column.end(), G.column[g]);
        place_.push_back(static_cast<std::size_t>(at - out.column.begin()));
      });
    }
    for (const int column : J.column) {
      const auto row = index(column);
      first_.push_back(first_.back() + index(G.start[row + 1] - G.start[row]));
    }
    out.value.assign(out.column.size(), T(0));
  }
  /// The values, where nothing is kept of what was there.
  void apply(const SparseRows<T>& J, const SparseRows<T>& G, SparseRows<T>& out) const {
    std::fill(out.value.begin(), out.value.end(), T(0));
    for (std::size_t k = 0; k < J.value.size(); ++k) {
      const T x = J.value[k];
      if (x == T(0)) continue;
      auto g = index(G.start[index(J.column[k])]);
      for (std::size_t n = first_[k]; n < first_[k + 1]; ++n) {
        out.value[place_[n]] += x * G.value[g++];
      }
    }
  }

 private:
  template <typename Visit>
  static void each(const SparseRows<T>& J, const SparseRows<T>& G, int i, const Visit& visit) {
    for (auto k = index(J.start[index(i)]); k < index(J.start[index(i) + 1]); ++k) {
      const auto row = index(J.column[k]);
      for (auto g = index(G.start[row]); g < index(G.start[row + 1]); ++g) visit(k, g);
    }
  }
  std::vector<std::size_t> place_;
  std::vector<std::size_t> first_;  // by entry of J
};

/// GᵀN G of a symmetric N.
template <typename T>
class Congruence {
 public:
  /// The pattern of the result is `out`'s own and what is needed besides.
  template <typename U>
  void analyse(const SparseUpper<U>& N, const SparseRows<T>& G, SparseUpper<T>& out) {
    std::vector<std::set<int>> rows(index(G.columns));
    for (int j = 0; j < out.size(); ++j) {
      for (auto k = index(out.start[index(j)]); k < index(out.start[index(j) + 1]); ++k) {
        rows[index(j)].insert(out.row[k]);
      }
    }
    each(N, G, [&](std::size_t, std::size_t g, std::size_t h, bool) {
      rows[index(G.column[h])].insert(G.column[g]);
    });
    out = SparseUpper<T>(rows);
    terms_.clear();
    first_.assign(N.value.size() + 1, 0);
    each(N, G, [&](std::size_t k, std::size_t g, std::size_t h, bool twice) {
      const int to = out.place(G.column[g], G.column[h]);
      terms_.push_back({static_cast<int>(g), static_cast<int>(h), to, twice ? 2.0 : 1.0});
      first_[k + 1] = terms_.size();
    });
    for (std::size_t k = 1; k < first_.size(); ++k) first_[k] = std::max(first_[k], first_[k - 1]);  // holomorphic: places
  }
  /// out += GᵀN G.
  template <typename U>
  void add(const SparseUpper<U>& N, const SparseRows<T>& G, SparseUpper<U>& out) const {
    for (std::size_t k = 0; k < N.value.size(); ++k) {
      const U x = N.value[k];
      if (x == U(0)) continue;  // most of what bodies could have, few have
      for (std::size_t n = first_[k]; n < first_[k + 1]; ++n) {
        const Term& term = terms_[n];
        out.value[index(term.to)] +=
            x * part<U>(G.value[index(term.g)]) * part<U>(G.value[index(term.h)]) * term.factor;
      }
    }
  }

 private:
  template <typename U>
  static U part(const T& x) {
    if constexpr (std::is_same_v<U, T>) {
      return x;
    } else {
      return real_part(x);
    }
  }
  /// Entry k of N with entries g and h of G, the column of g not after that of h; `twice`: on the
  /// diagonal from an entry and its mirror image.
  template <typename U, typename Visit>
  static void each(const SparseUpper<U>& N, const SparseRows<T>& G, const Visit& visit) {
    for (int j = 0; j < N.size(); ++j) {
      for (auto k = index(N.start[index(j)]); k < index(N.start[index(j) + 1]); ++k) {
        const auto row = index(N.row[k]), column = index(j);
        for (auto g = index(G.start[row]); g < index(G.start[row + 1]); ++g) {
          for (auto h = index(G.start[column]); h < index(G.start[column + 1]); ++h) {
            const int a = G.column[g], b = G.column[h];
            if (row == column) {
              if (a <= b) visit(k, g, h, false);
            } else if (a <= b) {
              visit(k, g, h, a == b);
            } else {
              visit(k, h, g, false);
            }
          }
        }
      }
    }
  }
  struct Term {  // a product of an entry of N with two of G
    int g, h, to;
    double factor;
  };
  std::vector<Term> terms_;
  std::vector<std::size_t> first_;  // by entry of N
};

/// GᵀX G of any X, real: row by row, into a whole matrix or one whose pattern has room.
class RowCongruence {
 public:
  explicit RowCongruence(int columns)
      : row_(static_cast<std::size_t>(columns), 0.0),
        is_touched_(static_cast<std::size_t>(columns), 0) {
    touched_.reserve(static_cast<std::size_t>(columns));
  }
  /// out += GᵀX G.
  template <typename T, typename Matrix>
  void add(const SparseRows<double>& X, const SparseRows<T>& G, Matrix& out) {
    for (int i = 0; i < X.rows(); ++i) {
      touched_.clear();
      X.each(i, [&](int j, double x) {
        if (x == 0) return;
        G.each(j, [&](int c, const T& g) {
          if (!is_touched_[index(c)]) touched_.push_back(c);
          is_touched_[index(c)] = 1;
          row_[index(c)] += x * real_part(g);
        });
      });
      G.each(i, [&](int row, const T& g) {
        for (const int c : touched_) out(row, c) += real_part(g) * row_[index(c)];
      });
      for (const int c : touched_) {
        row_[index(c)] = 0;
        is_touched_[index(c)] = 0;
      }
    }
  }

 private:
  std::vector<double> row_;  // one row of X G, and what it has
  std::vector<int> touched_;
  std::vector<char> is_touched_;
};

}  // namespace kinegrad

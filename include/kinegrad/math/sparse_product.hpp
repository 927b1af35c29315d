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
    out.value.assign(out.column.size(), T(0));
  }
  /// The values, where nothing is kept of what was there.
  void apply(const SparseRows<T>& J, const SparseRows<T>& G, SparseRows<T>& out) const {
    std::fill(out.value.begin(), out.value.end(), T(0));
    std::size_t n = 0;
    for (int i = 0; i < J.rows(); ++i) {
      each(J, G, i, [&](std::size_t k, std::size_t g) {
        out.value[place_[n++]] += J.value[k] * G.value[g];
      });
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
    place_.clear();
    each(N, G, [&](std::size_t, std::size_t g, std::size_t h, bool) {
      place_.push_back(index(out.place(G.column[g], G.column[h])));
    });
  }
  /// out += GᵀN G.
  template <typename U>
  void add(const SparseUpper<U>& N, const SparseRows<T>& G, SparseUpper<U>& out) const {
    std::size_t n = 0;
    each(N, G, [&](std::size_t k, std::size_t g, std::size_t h, bool twice) {
      const auto x = N.value[k] * part<U>(G.value[g]) * part<U>(G.value[h]);
      out.value[place_[n++]] += twice ? x + x : x;
    });
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
  std::vector<std::size_t> place_;
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

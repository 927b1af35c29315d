// LU with partial pivoting of a dense matrix whose size may change; memory is kept. Larger ones are
// eliminated several columns at a time, so that every entry is loaded less often.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "kinegrad/base/index.hpp"
#include "kinegrad/math/scalar.hpp"

namespace kinegrad {

template <typename T>
class SmallLu {
 public:
  static constexpr int kBlocked = 32;  ///< smaller ones are not worth it

  /// Room for matrices up to that size.
  void reserve(int size) {
    LU_.reserve(index(size) * index(size));
    pivot_.reserve(index(size));
    inverse_.reserve(index(size));
    least_.reserve(index(size));
  }
  /// A zero matrix of that size, to be filled by at().
  void resize(int size) {
    n_ = size;
    LU_.assign(index(n_) * index(n_), T(0));
    pivot_.resize(index(n_));
  }
  int size() const { return n_; }
  /// By columns.
  T* data() { return LU_.data(); }
  T& at(int i, int j) { return LU_[index(j) * index(n_) + index(i)]; }
  const T& at(int i, int j) const { return LU_[index(j) * index(n_) + index(i)]; }

  /// Leaves out all rows and columns but those listed, in ascending order; before factorize().
  void keep(std::span<const int> listed) {
    T* to = LU_.data();
    for (const int j : listed) {
      const T* const from = LU_.data() + index(j) * index(n_);
      for (const int i : listed) *to++ = from[i];
    }
    n_ = static_cast<int>(listed.size());
    LU_.resize(index(n_) * index(n_));
    pivot_.resize(index(n_));
  }

  /// The smallest pivot of the factors over the largest one; lost ones do not count, 1: there is none.
  double smallest_pivot() const {
    double least = 0, most = 0;  // of the inverses
    for (const T& x : inverse_) {
      const double size = size_of(x);
      if (!(size > 0)) continue;
      most = std::max(most, size);
      least = least > 0 ? std::min(least, size) : size;
    }
    return most > 0 ? least / most : 1;
  }

  /// False if a pivot is zero or not finite. With a tolerance, pivots below that part of the largest entry of
  /// their row are lost: their unknowns are taken as zero, and the rest is solved.
  bool factorize(double tolerance = 0) {
    if (tolerance == 0 && n_ >= kBlocked) return factorize_blocked();
    bool fine = true;
    inverse_.assign(index(n_), T(0));
    if (tolerance > 0) take_rows(tolerance);
    for (int j = 0; j < n_; ++j) {
      int best = j;
      for (int i = j + 1; i < n_; ++i) {
        if (size_of(at(i, j)) > size_of(at(best, j))) best = i;
      }
      pivot_[index(j)] = best;
      if (best != j) {
        for (int k = 0; k < n_; ++k) std::swap(at(j, k), at(best, k));
        if (tolerance > 0) std::swap(least_[index(j)], least_[index(best)]);
      }
      if (tolerance > 0 && !(size_of(at(j, j)) > least_[index(j)])) {
        for (int i = j + 1; i < n_; ++i) at(i, j) = T(0);
        continue;
      }
      if (!(size_of(at(j, j)) > 0) || !std::isfinite(size_of(at(j, j)))) fine = false;
      const T inverse = inverse_[index(j)] = T(1) / at(j, j);
      for (int i = j + 1; i < n_; ++i) at(i, j) *= inverse;
      for (int k = j + 1; k < n_; ++k) {
        const T factor = at(j, k);
        for (int i = j + 1; i < n_; ++i) at(i, k) -= at(i, j) * factor;
      }
    }
    return fine;
  }
  /// The first n unknowns with pivots among their own equations, then the border as it stands. False if
  /// a pivot is not finite or is rounding beside its column, or if one of the border falls below `part`
  /// of what it was when its turn came: rows that depend on each other.
  bool factorize_bordered(int n, double part) {
    constexpr double kLost = 1e-12;  // rounding of numbers that have cancelled, with some room
    inverse_.resize(index(n_));
    least_.resize(index(n_));
    for (int j = 0; j < n; ++j) {
      double largest = 0;
      for (int i = 0; i < n_; ++i) {
        largest = std::max(largest, size_of(at(i, j)));  // holomorphic: a size
      }
      least_[index(j)] = kLost * largest;
    }
    for (int j = 0; j < n_; ++j) {
      if (j == n) {
        for (int i = n; i < n_; ++i) least_[index(i)] = part * size_of(at(i, i));
      }
      T* const own = column(j);
      int best = j;
      for (int i = j + 1; i < n; ++i) {
        if (size_of(own[i]) > size_of(own[best])) best = i;
      }
      pivot_[index(j)] = best;
      if (best != j) {
        for (int k = 0; k < n_; ++k) std::swap(column(k)[j], column(k)[best]);
      }
      const double size = size_of(own[j]);
      if (!(size > least_[index(j)]) || !std::isfinite(size)) return false;
      const T inverse = inverse_[index(j)] = T(1) / own[j];
      for (int i = j + 1; i < n_; ++i) own[i] *= inverse;
      for (int k = j + 1; k < n_; ++k) {
        T* const other = column(k);
        const T factor = other[j];
        for (int i = j + 1; i < n_; ++i) other[i] -= own[i] * factor;
      }
    }
    return true;
  }
  /// x holds the right side, then the solution.
  void solve(std::span<T> x) const {
    for (int j = 0; j < n_; ++j) std::swap(x[index(j)], x[index(pivot_[index(j)])]);
    for (int j = 0; j < n_; ++j) {
      for (int i = j + 1; i < n_; ++i) x[index(i)] -= at(i, j) * x[index(j)];
    }
    for (int j = n_; j-- > 0;) {
      x[index(j)] *= inverse_[index(j)];
      for (int i = 0; i < j; ++i) x[index(i)] -= at(i, j) * x[index(j)];
    }
  }
  /// Width right sides at once, stored row by row: number c of row i is x[i·Width + c].
  template <int Width>
  void solve_rows(T* x) const {
    const auto row = [&](int i) { return x + index(i) * Width; };
    for (int j = 0; j < n_; ++j) {
      const int other = pivot_[index(j)];
      if (other != j) std::swap_ranges(row(j), row(j) + Width, row(other));
    }
    T from[Width];
    const auto subtract = [&](int i, int j) {
      const T a = at(i, j);
      T* const to = row(i);
      for (int c = 0; c < Width; ++c) to[c] -= a * from[c];
    };
    for (int j = 0; j < n_; ++j) {
      for (int c = 0; c < Width; ++c) from[c] = row(j)[c];
      for (int i = j + 1; i < n_; ++i) subtract(i, j);
    }
    for (int j = n_; j-- > 0;) {
      for (int c = 0; c < Width; ++c) row(j)[c] = from[c] = row(j)[c] * inverse_[index(j)];
      for (int i = 0; i < j; ++i) subtract(i, j);
    }
  }
  /// The same with the transposed matrix.
  void solve_transposed(std::span<T> x) const {
    for (int j = 0; j < n_; ++j) {
      for (int i = 0; i < j; ++i) x[index(j)] -= at(i, j) * x[index(i)];
      x[index(j)] *= inverse_[index(j)];
    }
    for (int j = n_; j-- > 0;) {
      for (int i = j + 1; i < n_; ++i) x[index(j)] -= at(i, j) * x[index(i)];
    }
    for (int j = n_; j-- > 0;) std::swap(x[index(j)], x[index(pivot_[index(j)])]);
  }

  /// The sign of the determinant of what was factorised; 0 if a pivot is zero, lost or not finite.
  int orientation() const {
    int sign = 1;
    for (int j = 0; j < n_; ++j) {
      const double pivot = real_part(at(j, j));
      if (inverse_[index(j)] == T(0) || !(size_of(at(j, j)) > 0) || !std::isfinite(pivot)) return 0;
      if ((pivot < 0) != (pivot_[index(j)] != j)) sign = -sign;
    }
    return sign;
  }

 private:
  static constexpr int kPanel = 8;  // columns at a time
  T* column(int j) { return LU_.data() + index(j) * index(n_); }

  /// What the pivots of rows may be, as a part of their largest entries.
  void take_rows(double part) {
    least_.assign(index(n_), 0.0);
    for (int j = 0; j < n_; ++j) {
      for (int i = 0; i < n_; ++i) {
        least_[index(i)] =
            std::max(least_[index(i)], part * size_of(at(i, j)));  // holomorphic: a size
      }
    }
  }
  bool factorize_blocked() {
    bool fine = true;
    inverse_.resize(index(n_));
    for (int first = 0; first < n_; first += kPanel) {
      const int end = first + kPanel < n_ ? first + kPanel : n_;
      for (int j = first; j < end; ++j) fine = eliminate(j, end) && fine;
      for (int k = 0; k < first; ++k) swap_rows(first, end, column(k));
      for (int k = end; k < n_; ++k) update(first, end, column(k));
    }
    return fine;
  }
  /// Column j of a panel that ends before `end`, and the rest of the panel.
  bool eliminate(int j, int end) {
    T* const own = column(j);
    int best = j;
    for (int i = j + 1; i < n_; ++i) {
      if (size_of(own[i]) > size_of(own[best])) best = i;
    }
    pivot_[index(j)] = best;
    for (int k = j - j % kPanel; k < end; ++k) std::swap(column(k)[j], column(k)[best]);
    const T inverse = inverse_[index(j)] = T(1) / own[j];
    for (int i = j + 1; i < n_; ++i) own[i] *= inverse;
    for (int k = j + 1; k < end; ++k) {
      T* const other = column(k);
      const T factor = other[j];
      for (int i = j + 1; i < n_; ++i) other[i] -= own[i] * factor;
    }
    return size_of(own[j]) > 0 && std::isfinite(size_of(own[j]));
  }
  void swap_rows(int first, int end, T* x) const {
    for (int j = first; j < end; ++j) std::swap(x[j], x[pivot_[index(j)]]);
  }
  /// A column beyond a panel: its rows in the panel solved, those below reduced by all at once.
  void update(int first, int end, T* x) {
    swap_rows(first, end, x);
    for (int j = first; j < end; ++j) {
      const T* const own = column(j);
      for (int i = j + 1; i < end; ++i) x[i] -= own[i] * x[j];
    }
    if (end - first < kPanel) return;  // the last panel has nothing beyond
    const T* const l = column(first);
    const auto n = index(n_);
    const T *const u = x + first, u0 = u[0], u1 = u[1], u2 = u[2], u3 = u[3], u4 = u[4], u5 = u[5],
                   u6 = u[6], u7 = u[7];
    for (auto i = index(end); i < n; ++i) {
      x[i] -= ((l[i] * u0 + l[i + n] * u1) + (l[i + 2 * n] * u2 + l[i + 3 * n] * u3)) +
              ((l[i + 4 * n] * u4 + l[i + 5 * n] * u5) + (l[i + 6 * n] * u6 + l[i + 7 * n] * u7));
    }
  }

  static double size_of(const T& x) { return std::abs(real_part(x)); }  // holomorphic: a size

  int n_ = 0;
  std::vector<T> LU_;
  std::vector<int> pivot_;
  std::vector<T> inverse_;     // of the diagonal; 0: lost
  std::vector<double> least_;  // that a pivot may be
};

}  // namespace kinegrad

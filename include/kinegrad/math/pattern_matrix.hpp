// A matrix that is kept whole or, where most of it is empty, by rows with a pattern that never changes,
// and that is used in one way.
#pragma once

#include "kinegrad/math/small_product.hpp"
#include "kinegrad/math/sparse_rows.hpp"

namespace kinegrad {

/// Whole until it gets a pattern.
class PatternMatrix {
 public:
  using Entries = Eigen::Map<Eigen::RowVectorXd, 0, Eigen::InnerStride<>>;
  using ConstEntries = Eigen::Map<const Eigen::RowVectorXd, 0, Eigen::InnerStride<>>;

  void set_pattern(const SparseRows<double>& pattern) {
    sparse_ = true;
    by_rows_ = pattern;
  }
  bool sparse() const { return sparse_; }
  int rows() const { return sparse_ ? by_rows_.rows() : static_cast<int>(whole_.rows()); }
  /// @pre it has no pattern
  MatX& whole() { return whole_; }
  const MatX& whole() const { return whole_; }
  /// @pre it has a pattern
  SparseRows<double>& by_rows() { return by_rows_; }
  const SparseRows<double>& by_rows() const { return by_rows_; }

  /// Room for a matrix of that size; one with a pattern keeps it.
  void resize(int rows, int columns) {
    if (!sparse_) whole_.resize(rows, columns);
  }
  /// @pre it is in the pattern
  double operator()(int i, int j) const {
    return sparse_ ? by_rows_.value[by_rows_.place(i, j)] : whole_(i, j);
  }
  void add(int i, int j, double x) { (sparse_ ? by_rows_(i, j) : whole_(i, j)) += x; }
  /// What is kept of row i; matrices of one pattern have it in one order.
  Entries entries(int i) {
    const auto [first, count, stride] = stored(i);
    return {(sparse_ ? by_rows_.value.data() : whole_.data()) + first, count,
            Eigen::InnerStride<>(stride)};
  }
  ConstEntries entries(int i) const {
    const auto [first, count, stride] = stored(i);
    return {(sparse_ ? by_rows_.value.data() : whole_.data()) + first, count,
            Eigen::InnerStride<>(stride)};
  }

  /// y += s A x, for vectors and columns side by side.
  template <typename X, typename Y>
  void add_product(const X& x, Y&& y, double s = 1) const {
    if (!sparse_) {
      kinegrad::add_product(whole_, x, y, s);
      return;
    }
    for (Eigen::Index c = 0; c < x.cols(); ++c) {
      for (int i = 0; i < by_rows_.rows(); ++i) {
        double sum = 0;
        by_rows_.each(i, [&](int j, double a) { sum += a * x(j, c); });
        y(i, c) += s * sum;
      }
    }
  }
  /// y += s Aᵀx of the rows from `first` on; x has as many.
  template <typename X, typename Y>
  void add_transposed(int first, const X& x, Y& y, double s = 1) const {
    if (!sparse_) {
      for (Eigen::Index j = 0; j < whole_.cols(); ++j) {
        const double* const column = whole_.col(j).data() + first;
        double sum = 0;
        for (Eigen::Index k = 0; k < x.size(); ++k) sum += column[k] * x(k);
        y(j) += s * sum;
      }
      return;
    }
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      by_rows_.each(first + static_cast<int>(k), [&](int j, double a) { y(j) += s * a * x(k); });
    }
  }

 private:
  struct Stored {
    Eigen::Index first, count, stride;
  };
  Stored stored(int i) const {
    if (!sparse_) return {i, whole_.cols(), whole_.rows()};
    const auto row = static_cast<std::size_t>(i);
    return {by_rows_.start[row], by_rows_.start[row + 1] - by_rows_.start[row], 1};
  }

  bool sparse_ = false;
  MatX whole_;
  SparseRows<double> by_rows_;
};

}  // namespace kinegrad

// Y += s A X of matrices with a handful of rows, as a mechanism of a few bodies has: a column of the
// result stays in registers, which products of any size do not manage.
#pragma once

#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

namespace detail {

template <int Rows, typename A, typename X, typename Y>
void add_small_product(const A& a, const X& x, Y&& y, double s) {
  const Eigen::Index depth = a.cols(), a_stride = a.outerStride(), x_stride = x.outerStride(),
                     y_stride = y.outerStride();
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    const double* const from = x.data() + c * x_stride;
    double* const to = y.data() + c * y_stride;
    double sum[Rows] = {};
    for (Eigen::Index k = 0; k < depth; ++k) {
      const double* const column = a.data() + k * a_stride;
      for (int i = 0; i < Rows; ++i) sum[i] += column[i] * from[k];
    }
    for (int i = 0; i < Rows; ++i) to[i] += s * sum[i];
  }
}

}  // namespace detail

/// All by columns; y is neither a nor x.
template <typename A, typename X, typename Y>
void add_product(const A& a, const X& x, Y&& y, double s = 1) {
  switch (a.rows()) {
    case 0: return;
    case 1: return detail::add_small_product<1>(a, x, y, s);
    case 2: return detail::add_small_product<2>(a, x, y, s);
    case 3: return detail::add_small_product<3>(a, x, y, s);
    case 4: return detail::add_small_product<4>(a, x, y, s);
    case 5: return detail::add_small_product<5>(a, x, y, s);
    case 6: return detail::add_small_product<6>(a, x, y, s);
    case 7: return detail::add_small_product<7>(a, x, y, s);
    case 8: return detail::add_small_product<8>(a, x, y, s);
    default: y.noalias() += (s * a) * x;
  }
}

}  // namespace kinegrad

#include "kinegrad/formulations/recursive_saddle.hpp"

namespace kinegrad {

template <Scalar T>
RecursiveSaddle<T>::RecursiveSaddle(int n, int m)
    : W_(n, m),
      right_(n),
      right_side_(m),
      E_(m),
      y_(VecXT<T>::Constant(m, T(0))),
      before_(y_),
      first_(y_) {
  std::vector<std::set<int>> all(static_cast<std::size_t>(m));
  for (std::size_t j = 0; j < all.size(); ++j) {
    for (int i = 0; i < static_cast<int>(j); ++i) all[j].insert(i);
  }
  S_ = SparseUpper<T>(all);
  rows_.analyse(S_, no_border_);
}

/// [FR-2] with the passes of [B-2]: after each, E y of it is added to the right side.
template <Scalar T>
void RecursiveSaddle<T>::solve(std::span<T> x, VecXT<T>& y) {
  right_side_ = y;
  before_.setConstant(T(0));
  rows_.solve(y);
  for (int pass = 1; pass < border::kPasses; ++pass) {
    first_ = before_;
    before_ = y;
    for (int i = 0; i < equations(); ++i) y(i) = right_side_(i) + E_(i) * y(i);
    rows_.solve(y);
  }
  y_ = y;
  for (int i = 0; i < equations(); ++i) {
    for (std::size_t k = 0; k < x.size(); ++k) x[k] -= W_(static_cast<Eigen::Index>(k), i) * y(i);
  }
}

template class RecursiveSaddle<double>;
template class RecursiveSaddle<Complex>;

}  // namespace kinegrad

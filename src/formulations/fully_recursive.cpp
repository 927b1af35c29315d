#include "kinegrad/formulations/fully_recursive.hpp"

namespace kinegrad {

template <Scalar T>
FullyRecursive<T>::FullyRecursive(const Model& model, ReferencePoint point)
    : dynamics_(model, point), euler_(euler_sets_of(model)), right_(model.nq()) {}

template <Scalar T>
bool FullyRecursive<T>::acceleration(T t, std::span<const T> q, std::span<const T> v,
                                     std::span<T> a) {
  dynamics_.accelerations(t, q, v, a);
  return true;  // a singular joint block shows as NaN, which the step reports
}

template <Scalar T>
void FullyRecursive<T>::residual(T t, std::span<const T> q, std::span<const T> v,
                                 std::span<const T> a, std::span<T> r) {
  dynamics_.residual(t, q, v, a, r);
}

template <Scalar T>
bool FullyRecursive<T>::prepare(T, std::span<const T> q, std::span<const T>, std::span<const T>,
                                double, double, bool) {
  dynamics_.factorize_mass(q);
  return true;
}

template <Scalar T>
void FullyRecursive<T>::solve(std::span<const T> q, std::span<const T> r, std::span<const T> phi,
                              std::span<T> x) {
  right_ = -Eigen::Map<const VecXT<T>>(r.data(), nq());
  dynamics_.solve_mass(q, {right_.data(), static_cast<std::size_t>(nq())}, phi, x);
}

template class FullyRecursive<double>;
template class FullyRecursive<Complex>;

}  // namespace kinegrad

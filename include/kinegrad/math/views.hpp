// Vectors as the spans that interfaces take, in() to read, out() to write; and spans as vectors.
#pragma once

#include <span>

#include "kinegrad/math/scalar.hpp"

namespace kinegrad {

template <typename T>
std::span<const T> in(const VecXT<T>& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}
template <typename T>
std::span<T> out(VecXT<T>& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

inline Eigen::Map<const VecX> read(std::span<const double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}
inline Eigen::Map<VecX> write(std::span<double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

}  // namespace kinegrad

// Vectors as the spans that interfaces take: in() to read, out() to write.
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

}  // namespace kinegrad

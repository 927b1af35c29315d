// Indices are int in models, for -1 means none; containers want another type.
#pragma once

#include <cstddef>

namespace kinegrad {

constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace kinegrad

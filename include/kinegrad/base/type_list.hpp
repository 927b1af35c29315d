// A list of types: the registration of elements (joints/all.hpp, forces/all.hpp, …).
#pragma once

#include <cstddef>
#include <utility>

namespace kinegrad {

template <typename... Ts>
struct TypeList {
  static constexpr std::size_t size = sizeof...(Ts);

  /// Calls f.template operator()<T>() for every T, in order.
  template <typename F>
  static constexpr void for_each(F&& f) {
    (f.template operator()<Ts>(), ...);
  }
};

}  // namespace kinegrad

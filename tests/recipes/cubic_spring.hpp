// The force of docs/howto/add_a_force.md.
#pragma once

#include "kinegrad/forces/force_concept.hpp"

namespace kinegrad {

struct CubicSpring {
  static constexpr std::string_view name = "cubic-spring";
  static constexpr std::string_view summary = "spring that stiffens with the square of its length";
  static constexpr PortKind port = PortKind::kPointPair;
  static constexpr std::array<AttributeInfo, 2> attributes{
      {{"stiffness", "N/m"}, {"cubic", "N/m^3"}}};

  template <typename T>
  static Vec<T, 3> effort(const ForceInput<CubicSpring, T>& in) {
    const T k = in.p(0) + in.p(1) * la::squared_norm(in.x);
    return -(in.x * k);
  }
};

}  // namespace kinegrad

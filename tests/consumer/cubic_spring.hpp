// A force the library does not have: with d = r₂ − r₁ and s = dᵀd,  e = −(k + k₃ s) d.
#pragma once

#include <array>
#include <kinegrad/forces/force_concept.hpp>
#include <kinegrad/math/linear_algebra.hpp>
#include <string_view>

struct CubicSpring {
  static constexpr std::string_view name = "cubic-spring";
  static constexpr std::string_view summary = "spring that stiffens with the square of its length";
  static constexpr kinegrad::PortKind port = kinegrad::PortKind::kPointPair;
  static constexpr std::array<kinegrad::AttributeInfo, 2> attributes{
      {{"stiffness", "N/m"}, {"cubic", "N/m^3"}}};

  template <typename T>
  static kinegrad::Vec<T, 3> effort(const kinegrad::ForceInput<CubicSpring, T>& in) {
    const T k = in.p(0) + in.p(1) * kinegrad::la::squared_norm(in.x);
    return -(in.x * k);
  }
};

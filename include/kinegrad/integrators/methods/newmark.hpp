// Newmark's method: β and γ as asked for, no shifts [GA-1].
#pragma once

#include "kinegrad/integrators/newmark_constants.hpp"

namespace kinegrad {

struct NewmarkMethod {
  static constexpr std::string_view name = "newmark";
  static constexpr std::string_view summary =
      "implicit, beta and gamma free; order 2 for gamma = 1/2";
  static constexpr std::array<std::string_view, 3> options{"beta", "gamma", "exact_tangent"};
  static NewmarkConstants constants(const IntegratorOptions& asked) {
    return {name, 0, 0, asked.beta, asked.gamma};
  }
};

}  // namespace kinegrad

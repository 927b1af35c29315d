// Trapezoidal rule: β = ¼, γ = ½ without shifts [GA-1].
#pragma once

#include "kinegrad/integrators/newmark_constants.hpp"

namespace kinegrad {

struct TrapezoidalRule {
  static constexpr std::string_view name = "trapezoidal";
  static constexpr std::string_view summary = "implicit, order 2, no numerical damping";
  static constexpr std::array<std::string_view, 1> options{"exact_tangent"};
  static NewmarkConstants constants(const IntegratorOptions&) { return {name, 0, 0, 0.25, 0.5}; }
};

}  // namespace kinegrad

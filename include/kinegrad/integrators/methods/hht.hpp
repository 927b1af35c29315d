// Hilber, Hughes, Taylor: α = (1 − ρ)/(1 + ρ) ∈ [0, ⅓], γ = ½ + α, β = (1 + α)²/4, with the forces of both ends [GA-2].
#pragma once

#include <algorithm>

#include "kinegrad/integrators/newmark_constants.hpp"

namespace kinegrad {

struct HhtMethod {
  static constexpr std::string_view name = "hht";
  static constexpr std::string_view summary = "implicit, order 2, damps high frequencies";
  static constexpr std::array<std::string_view, 2> options{"spectral_radius", "exact_tangent"};
  static NewmarkConstants constants(const IntegratorOptions& asked) {
    const double rho = std::max(0.5, asked.spectral_radius);
    const double alpha = (1 - rho) / (1 + rho);
    return {name, 0, alpha, 0.25 * (1 + alpha) * (1 + alpha), 0.5 + alpha};
  }
};

}  // namespace kinegrad

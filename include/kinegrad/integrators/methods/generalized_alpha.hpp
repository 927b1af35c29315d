// Generalized-α after Chung and Hulbert: α_m = (2ρ − 1)/(ρ + 1), α_f = ρ/(ρ + 1), γ = ½ − α_m + α_f,
// β = (1 − α_m + α_f)²/4 [GA-2].
#pragma once

#include "kinegrad/integrators/newmark_constants.hpp"

namespace kinegrad {

struct GeneralizedAlphaMethod {
  static constexpr std::string_view name = "generalized-alpha";
  static constexpr std::string_view summary = "implicit, order 2, damping by the spectral radius";
  static constexpr std::array<std::string_view, 2> options{"spectral_radius", "exact_tangent"};
  static NewmarkConstants constants(const IntegratorOptions& asked) {
    const double rho = asked.spectral_radius;
    const double alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1);
    const double x = 1 - alpha_m + alpha_f;
    return {name, alpha_m, alpha_f, 0.25 * x * x, 0.5 - alpha_m + alpha_f};
  }
};

}  // namespace kinegrad

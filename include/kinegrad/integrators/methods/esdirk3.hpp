// ESDIRK of order 3 with an estimate of order 2, stage order 2, L-stable.
// C. A. Kennedy, M. H. Carpenter, Appl. Numer. Math. 44 (2003) 139–181: the implicit part of ARK3(2)4L[2]SA.
// γ is the root of γ³ − 3γ² + 3γ/2 − 1/6 for which the method is L-stable. From γ, c₂ = 2γ and c₃ = 3/5 the rest
// follows: a₃ from stage order 2, Σ a_3j c_j = c₃²/2, and b from order 3, Σ b_j c_j^k = 1/(k + 1).
#pragma once

#include <array>

#include "kinegrad/integrators/tableau.hpp"

namespace kinegrad {

struct Esdirk3Method {
  static constexpr std::string_view name = "esdirk3";
  static constexpr std::string_view summary =
      "implicit, order 3, L-stable, adaptive step: stiff models";
  static constexpr std::array<std::string_view, 1> options{"exact_tangent"};
  static const Tableau& tableau() {
    static const Tableau tableau = [] {
      const double g = 0.435866521508458999416019451194, c2 = 2 * g, c3 = 3.0 / 5;
      const double a32 = c3 * (0.5 * c3 - g) / c2, a31 = c3 - g - a32;
      const double b3 = (1.0 / 3 - g - c2 * (0.5 - g)) / (c3 * (c3 - c2)),
                   b2 = (0.5 - g - b3 * c3) / c2, b1 = 1 - g - b2 - b3;
      return Tableau{name,
                     3,
                     {{}, {g}, {a31, a32}, {b1, b2, b3}},
                     {b1, b2, b3, g},
                     {2756255671327.0 / 12835298489170, -10771552573575.0 / 22201958757719,
                      9247589265047.0 / 10645013368117, 2193209047091.0 / 5459859503100},
                     {0, c2, c3, 1},
                     2,
                     true,
                     g};
    }();
    return tableau;
  }
};

}  // namespace kinegrad

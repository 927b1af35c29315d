// ESDIRK of order 4 with an estimate of order 3, stage order 2, L-stable.
// C. A. Kennedy, M. H. Carpenter, Appl. Numer. Math. 44 (2003) 139–181: the implicit part of ARK4(3)6L[2]SA.
#pragma once

#include <array>

#include "kinegrad/integrators/tableau.hpp"

namespace kinegrad {

struct Esdirk4Method {
  static constexpr std::string_view name = "esdirk4";
  static constexpr std::string_view summary =
      "implicit, order 4, L-stable, adaptive step: stiff models, more digits";
  static constexpr std::array<std::string_view, 1> options{"exact_tangent"};
  static const Tableau& tableau() {
    static const Tableau tableau{
        name,
        4,
        {{},
         {1.0 / 4},
         {8611.0 / 62500, -1743.0 / 31250},
         {5012029.0 / 34652500, -654441.0 / 2922500, 174375.0 / 388108},
         {15267082809.0 / 155376265600, -71443401.0 / 120774400, 730878875.0 / 902184768,
          2285395.0 / 8070912},
         {82889.0 / 524892, 0, 15625.0 / 83664, 69875.0 / 102672, -2260.0 / 8211}},
        {82889.0 / 524892, 0, 15625.0 / 83664, 69875.0 / 102672, -2260.0 / 8211, 1.0 / 4},
        {4586570599.0 / 29645900160, 0, 178811875.0 / 945068544, 814220225.0 / 1159782912,
         -3700637.0 / 11593932, 61727.0 / 225920},
        {0, 1.0 / 2, 83.0 / 250, 31.0 / 50, 17.0 / 20, 1},
        3,
        true,
        1.0 / 4};
    return tableau;
  }
};

}  // namespace kinegrad

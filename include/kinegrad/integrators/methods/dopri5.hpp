// Dormand and Prince, order 5 with an estimate of order 4.
// J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19–26, table 2.
#pragma once

#include "kinegrad/integrators/tableau.hpp"

namespace kinegrad {

struct Dopri5Method {
  static constexpr std::string_view name = "dopri5";
  static constexpr std::string_view summary = "explicit, order 5, adaptive step, dense output";
  static const Tableau& tableau() {
    static const Tableau tableau{
        name,
        5,
        {{},
         {1.0 / 5},
         {3.0 / 40, 9.0 / 40},
         {44.0 / 45, -56.0 / 15, 32.0 / 9},
         {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
         {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
         {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0},
        {5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40},
        {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
        4,
        true,
        0,
        {-12715105075.0 / 11282082432.0, 0, 87487479700.0 / 32700410799.0,
         -10690763975.0 / 1880347072.0, 701980252875.0 / 199316789632.0,
         -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0}};
    return tableau;
  }
};

}  // namespace kinegrad

#include "kinegrad/integrators/tableau.hpp"

namespace kinegrad {

const Tableau& rk4_tableau() {
  static const Tableau tableau{"rk4",
                               4,
                               {{}, {0.5}, {0, 0.5}, {0, 0, 1}},
                               {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
                               {},
                               {0, 0.5, 0.5, 1},
                               0,
                               false};
  return tableau;
}

// J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19–26, table 2.
const Tableau& dopri5_tableau() {
  static const Tableau tableau{
      "dopri5",
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
      true};
  return tableau;
}

}  // namespace kinegrad

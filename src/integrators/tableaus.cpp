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
                               false,
                               0};
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
      true,
      0};
  return tableau;
}

// C. A. Kennedy, M. H. Carpenter, Appl. Numer. Math. 44 (2003) 139–181: the implicit part of ARK3(2)4L[2]SA.
// γ is the root of γ³ − 3γ² + 3γ/2 − 1/6 for which the method is L-stable. From γ, c₂ = 2γ and c₃ = 3/5 the rest
// follows: a₃ from stage order 2, Σ a_3j c_j = c₃²/2, and b from order 3, Σ b_j c_j^k = 1/(k + 1).
const Tableau& esdirk3_tableau() {
  static const Tableau tableau = [] {
    const double g = 0.435866521508458999416019451194, c2 = 2 * g, c3 = 3.0 / 5;
    const double a32 = c3 * (0.5 * c3 - g) / c2, a31 = c3 - g - a32;
    const double b3 = (1.0 / 3 - g - c2 * (0.5 - g)) / (c3 * (c3 - c2)),
                 b2 = (0.5 - g - b3 * c3) / c2, b1 = 1 - g - b2 - b3;
    return Tableau{"esdirk3",
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

// The same paper: the implicit part of ARK4(3)6L[2]SA.
const Tableau& esdirk4_tableau() {
  static const Tableau tableau{
      "esdirk4",
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

}  // namespace kinegrad

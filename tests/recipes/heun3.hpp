// The method of docs/howto/add_an_integrator.md.
#pragma once

#include "kinegrad/integrators/tableau.hpp"

namespace kinegrad {

// K. Heun, Z. Math. Phys. 45 (1900) 23–38.
struct Heun3Method {
  static constexpr std::string_view name = "heun3";
  static constexpr std::string_view summary = "explicit, order 3, fixed step";
  static const Tableau& tableau() {
    static const Tableau tableau{name,
                                 3,                              // order
                                 {{}, {1.0 / 3}, {0, 2.0 / 3}},  // a: row i has i entries
                                 {0.25, 0, 0.75},                // b
                                 {},                             // b̂: none, so fixed steps
                                 {0, 1.0 / 3, 2.0 / 3},          // c
                                 0,                              // order of b̂
                                 false,                          // last stage is f(x₁)?
                                 0};                             // γ of ESDIRK; 0: explicit
    return tableau;
  }
};

}  // namespace kinegrad

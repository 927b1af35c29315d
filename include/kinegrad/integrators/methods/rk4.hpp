// The classical method of order 4.
#pragma once

#include "kinegrad/integrators/tableau.hpp"

namespace kinegrad {

struct Rk4Method {
  static constexpr std::string_view name = "rk4";
  static constexpr std::string_view summary = "explicit, order 4, fixed step";
  static const Tableau& tableau() {
    static const Tableau tableau{name,
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
};

}  // namespace kinegrad

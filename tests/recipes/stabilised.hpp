// The rule of docs/howto/add_a_formulation.md.
#pragma once

#include "kinegrad/formulations/bordered.hpp"

namespace kinegrad {

inline constexpr BorderRule kStabilised{.name = "stabilised",  // Φ̈ + 2ξΩΦ̇ + Ω²Φ = 0
                                        .omega = 20};

}  // namespace kinegrad

// The rule of docs/howto/add_a_formulation.md.
#pragma once

#include "kinegrad/formulations/choices/saddle_choice.hpp"

namespace kinegrad {

// Φ̈ + 2ξΩΦ̇ + Ω²Φ = 0 with Ω = 20 rad/s.
struct Stabilised : SaddleChoice<Stabilised> {
  static constexpr std::string_view name = "stabilised";
  static constexpr std::string_view summary = "multipliers, constraints led back within 0.1 s";
  static constexpr BorderRule rule{.name = name, .omega = 20};
};

}  // namespace kinegrad

// Penalty formulation [PE-1]: λ = α(Φ̈ + 2ξΩΦ̇ + Ω²Φ).
#pragma once

#include "kinegrad/formulations/choices/saddle_choice.hpp"

namespace kinegrad {

struct PenaltyFormulation : SaddleChoice<PenaltyFormulation> {
  static constexpr std::string_view name = "penalty";
  static constexpr std::string_view summary =
      "constraints as stiff springs and dampers; converges to O(1/penalty)";
  static constexpr std::array<std::string_view, 3> options{"penalty", "stabilisation",
                                                           "stabilisation_damping"};
  static constexpr BorderRule rule{.name = name, .soft = true, .omega = 10, .penalty = 1e9};
};

}  // namespace kinegrad

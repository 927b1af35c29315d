// Index 3 [I3-1]: constraints at position level and nothing projected.
#pragma once

#include "kinegrad/formulations/choices/saddle_choice.hpp"

namespace kinegrad {

struct Index3 : SaddleChoice<Index3> {
  static constexpr std::string_view name = "index3";
  static constexpr std::string_view summary = "multipliers, constraints at position level";
  static constexpr BorderRule rule{
      .name = name,
      .position_level = true,
      .refuses_explicit = kNeedsPositions,
      .needs_damping =
          "without numerical damping the multipliers of constraints at position level oscillate "
          "and grow; take hht or generalized-alpha, or the formulation ali3p, which projects"};
};

}  // namespace kinegrad

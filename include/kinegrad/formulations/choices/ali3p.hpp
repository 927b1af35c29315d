// ALI3-P [AL-1] … [AL-3]: constraints at position level by λ ← λ + αΦ, then projections of speeds and accelerations.
#pragma once

#include "kinegrad/formulations/choices/saddle_choice.hpp"

namespace kinegrad {

struct Ali3p : SaddleChoice<Ali3p> {
  static constexpr std::string_view name = "ali3p";
  static constexpr std::string_view summary =
      "augmented Lagrangian with projections: the robust choice for loops";
  static constexpr std::array<std::string_view, 4> options{"penalty", "multiplier_start",
                                                           "projection_scale", "project_once"};
  static constexpr BorderRule rule{.name = name,
                                   .position_level = true,
                                   .augmented = true,
                                   .projects = true,
                                   .refuses_explicit = kNeedsPositions};
};

}  // namespace kinegrad

// Index 1 [I1-1]: constraints at acceleration level, stabilised where that is asked for.
#pragma once

#include "kinegrad/formulations/choices/saddle_choice.hpp"

namespace kinegrad {

struct Index1 : SaddleChoice<Index1> {
  static constexpr std::string_view name = "index1";
  static constexpr std::string_view summary =
      "multipliers, constraints at acceleration level; drifts";
  static constexpr std::array<std::string_view, 2> options{"stabilisation",
                                                           "stabilisation_damping"};
  static constexpr BorderRule rule{.name = name};
};

}  // namespace kinegrad

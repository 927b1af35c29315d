// The numbers that tell the members of Newmark's family from each other [GA-1], [GA-2].
#pragma once

#include <array>
#include <string_view>

#include "kinegrad/integrators/options.hpp"

namespace kinegrad {

/// α_m, α_f, β, γ of a method.
struct NewmarkConstants {
  std::string_view name;
  double alpha_m = 0, alpha_f = 0, beta = 0.25, gamma = 0.5;
};

}  // namespace kinegrad

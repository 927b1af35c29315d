// Warnings for people; for programs they are `"warnings"` of the results.
#pragma once

#include <string>

#include "kinegrad/base/warning.hpp"

namespace kinegrad {

/// A line each: "  warning: at t = 0.71 s: …"; empty if there are none.
std::string warnings_text(const Warnings& warnings);

}  // namespace kinegrad

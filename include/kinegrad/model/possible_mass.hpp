// What a body of positive density can have: m ≥ 0, J ≥ 0 about the centre of mass, and no principal moment
// above the sum of the other two. The bound allows for the rounding of printed figures.
#pragma once

#include <string>

#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

/// Why a mass is impossible; empty if it is not.
std::string mass_refusal(double m);
/// The same of an inertia tensor about the centre of mass.
std::string inertia_refusal(const Mat3& J);

}  // namespace kinegrad

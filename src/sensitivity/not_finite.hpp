// What of a gradient is not finite, and when it is so for the first time: a number that is no number is no
// result, and its name and time are what a user needs to find out why.
#pragma once

#include <string>

#include "kinegrad/sensitivity/gradient_method.hpp"

namespace kinegrad {

/// The first objective asked for that is not finite, and the signal it may read, else the first derivative, as a
/// sentence; empty where everything is finite. Goes through the steps once more if there is something to be found.
std::string describe_not_finite(const GradientTask& task, const GradientReport& report);

/// "at t = 0.1: objective "o" is not finite".
std::string not_finite_text(const char* kind, const std::string& name, double t);

}  // namespace kinegrad

// The entries of the optimisers, each defined in the file of its library. Without the library the file says so and
// has nothing else.
#pragma once

#include "kinegrad/optimization/optimizer.hpp"

namespace kinegrad {

extern const OptimizerInfo kLbfgsb, kIpopt, kSlsqp, kMma, kCcsa;

}  // namespace kinegrad

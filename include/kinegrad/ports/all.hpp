// The port of a force, whatever its kind.
#pragma once

#include "kinegrad/ports/port.hpp"

namespace kinegrad {

template <Scalar T>
std::unique_ptr<Port<T>> make_port(const Force& force);

}  // namespace kinegrad

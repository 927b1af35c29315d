// What makes a port of each kind: make_NAME_port() stands in the kind's own file (docs/howto/add_a_port.md).
#pragma once

#include "kinegrad/ports/single_port.hpp"

namespace kinegrad {

#define KINEGRAD_PORT_MAKER(kind, name, ...) \
  template <Scalar T>                        \
  std::unique_ptr<Port<T>> make_##name##_port(const Force& force);
KINEGRAD_PORT_KINDS(KINEGRAD_PORT_MAKER)
#undef KINEGRAD_PORT_MAKER

}  // namespace kinegrad

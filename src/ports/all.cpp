#include "kinegrad/ports/all.hpp"

#include "ports/kinds.hpp"

namespace kinegrad {

template <Scalar T>
std::unique_ptr<Port<T>> make_port(const Force& force) {
#define KINEGRAD_PORT_CASE(kind, name, ...) \
  case PortKind::kind: return make_##name##_port<T>(force);
  switch (force.type->port()) { KINEGRAD_PORT_KINDS(KINEGRAD_PORT_CASE) }
#undef KINEGRAD_PORT_CASE
  throw InvalidArgument("there is no such port");
}

template std::unique_ptr<Port<double>> make_port(const Force&);
template std::unique_ptr<Port<Complex>> make_port(const Force&);

}  // namespace kinegrad

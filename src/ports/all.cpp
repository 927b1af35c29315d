#include "kinegrad/ports/all.hpp"

#include "ports/kinds.hpp"

namespace kinegrad {

template <Scalar T>
std::unique_ptr<Port<T>> make_port(const Force& force) {
  switch (force.type->port()) {
    case PortKind::kPointPair:
    case PortKind::kBodyPoint: return make_point_port<T>(force);
    case PortKind::kBody: return make_torque_port<T>(force);
    case PortKind::kJointCoordinate: return make_joint_coordinate_port<T>(force);
    case PortKind::kField: return make_field_port<T>(force);
    case PortKind::kFramePair: return make_frame_pair_port<T>(force);
  }
  throw InvalidArgument("there is no such port");
}

template std::unique_ptr<Port<double>> make_port(const Force&);
template std::unique_ptr<Port<Complex>> make_port(const Force&);

}  // namespace kinegrad

// The kinds of ports: what makes one of each (docs/howto/add_a_port.md).
#pragma once

#include "kinegrad/ports/single_port.hpp"

namespace kinegrad {

template <Scalar T>
std::unique_ptr<Port<T>> make_point_port(const Force& force);
template <Scalar T>
std::unique_ptr<Port<T>> make_torque_port(const Force& force);
template <Scalar T>
std::unique_ptr<Port<T>> make_joint_coordinate_port(const Force& force);
template <Scalar T>
std::unique_ptr<Port<T>> make_field_port(const Force& force);
template <Scalar T>
std::unique_ptr<Port<T>> make_frame_pair_port(const Force& force);

}  // namespace kinegrad

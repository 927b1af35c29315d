#include "kinegrad/model/force_model.hpp"

namespace kinegrad {

PortVector<double> variable_rates(PortKind port, const PortState<double>& state) {
  if (port != PortKind::kFramePair) return state.xdot;
  PortVector<double> out(12);
  const Vec3 omega = state.xdot.head<3>();
  out.head<3>() = state.xdot.tail<3>();
  for (int j = 0; j < 3; ++j) {
    const Vec3 turned = la::cross(omega, Vec3(state.x(3 + j), state.x(6 + j), state.x(9 + j)));
    for (int i = 0; i < 3; ++i) out(3 + 3 * i + j) = turned(i);
  }
  return out;
}

}  // namespace kinegrad

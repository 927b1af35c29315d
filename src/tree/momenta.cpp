#include "kinegrad/tree/momenta.hpp"

namespace kinegrad {

template <Scalar T>
T kinetic_energy(const TreeParameters<T>& tree, const TreeMotion<T>& motion) {
  T energy(0);
  for (std::size_t k = 0; k < motion.bodies.size(); ++k) {
    if (tree.nodes[k].auxiliary) continue;
    energy += la::dot(motion.bodies[k].V, motion.bodies[k].I * motion.bodies[k].V);
  }
  return energy * T(0.5);
}

template <Scalar T>
Vec3T<T> linear_momentum(const TreeParameters<T>&, const TreeMotion<T>& motion) {
  Vec3T<T> sum = Vec3T<T>::Constant(T(0));
  for (const BodyMotion<T>& s : motion.bodies) sum += (s.I * s.V).template tail<3>();
  return sum;
}

template <Scalar T>
Vec3T<T> angular_momentum(const TreeParameters<T>& tree, const TreeMotion<T>& motion) {
  Vec3T<T> sum = Vec3T<T>::Constant(T(0));
  for (std::size_t k = 0; k < motion.bodies.size(); ++k) {
    if (tree.nodes[k].auxiliary) continue;
    const Twist<T> h = motion.bodies[k].I * motion.bodies[k].V;
    sum += h.template head<3>() + la::cross(motion.bodies[k].o, h.template tail<3>());
  }
  return sum;
}

#define KINEGRAD_INSTANTIATE(T)                                                      \
  template T kinetic_energy(const TreeParameters<T>&, const TreeMotion<T>&);         \
  template Vec3T<T> linear_momentum(const TreeParameters<T>&, const TreeMotion<T>&); \
  template Vec3T<T> angular_momentum(const TreeParameters<T>&, const TreeMotion<T>&)
KINEGRAD_INSTANTIATE(double);
KINEGRAD_INSTANTIATE(Complex);
#undef KINEGRAD_INSTANTIATE

}  // namespace kinegrad

#include "kinegrad/ports/loaded_tree.hpp"

#include "kinegrad/ports/all.hpp"

namespace kinegrad {

template <Scalar T>
LoadedTree<T>::LoadedTree(const Model& model, ReferencePoint point, TriadInertia inertia)
    : bodies(model, point, inertia), expressions(model) {
  for (const Force& force : model.forces()) ports.push_back(make_port<T>(force));
}

template <Scalar T>
void LoadedTree<T>::set(std::span<const T> p) {
  bodies.set(p);
  for (const auto& port : ports) port->place(bodies);
  expressions.place(bodies);
}

template <Scalar T>
void apply_forces(const LoadedTree<T>& tree, T t, std::span<const T> q, std::span<const T> v,
                  TreeState<T>& x) {
  x.motion.q = q;
  x.motion.v = v;
  x.motion.field.setConstant(T(0));
  x.loads.clear();
  const PortSite<T> site = port_site(tree, x, t);
  tree.expressions.evaluate(site, x.expressions);
  for (const auto& port : tree.ports) {
    const AttributeVector<T> p = attributes(tree, x, port->force());
    port->add_field(p, x.motion.field);
    port->apply(site, p, x.loads);
  }
}

template <Scalar T>
void residual(const LoadedTree<T>& tree, T t, std::span<const T> q, std::span<const T> v,
              std::span<const T> a, TreeState<T>& x, std::span<T> r) {
  move_bodies(tree.bodies, q, v, x.motion);
  apply_forces(tree, t, q, v, x);
  residual(tree.bodies, x.loads, a, x.motion, x.transmitted, r);
}

template <Scalar T>
void accelerations(const LoadedTree<T>& tree, T t, std::span<const T> q, std::span<const T> v,
                   TreeState<T>& x, ArticulatedBodies<T>& articulated, std::span<T> a) {
  move_bodies(tree.bodies, q, v, x.motion);
  apply_forces(tree, t, q, v, x);
  accelerations(tree.bodies, x.loads, q, v, x.motion, articulated, a);
}

template <Scalar T>
T potential_energy(const LoadedTree<T>& tree, const TreeState<T>& x, T t) {
  T sum(0);
  for (const auto& port : tree.ports) {
    sum += port->energy(port_site(tree, x, t), attributes(tree, x, port->force()));
  }
  return sum;
}

template <Scalar T>
double applied_power(const LoadedTree<T>& tree, const TreeState<T>& x, T t) {
  double sum = 0;
  for (const auto& port : tree.ports) {
    const AttributeVector<T> p = attributes(tree, x, port->force());
    AttributeVector<double> real(p.size());
    for (Eigen::Index i = 0; i < p.size(); ++i) real(i) = real_part(p(i));
    sum += port->power(port_site(tree, x, t), real);
  }
  return sum;
}

#define KINEGRAD_INSTANTIATE(T)                                                                \
  template struct LoadedTree<T>;                                                               \
  template void apply_forces(const LoadedTree<T>&, T, std::span<const T>, std::span<const T>,  \
                             TreeState<T>&);                                                   \
  template void residual(const LoadedTree<T>&, T, std::span<const T>, std::span<const T>,      \
                         std::span<const T>, TreeState<T>&, std::span<T>);                     \
  template void accelerations(const LoadedTree<T>&, T, std::span<const T>, std::span<const T>, \
                              TreeState<T>&, ArticulatedBodies<T>&, std::span<T>);             \
  template T potential_energy(const LoadedTree<T>&, const TreeState<T>&, T);                   \
  template double applied_power(const LoadedTree<T>&, const TreeState<T>&, T)
KINEGRAD_INSTANTIATE(double);
KINEGRAD_INSTANTIATE(Complex);
#undef KINEGRAD_INSTANTIATE

}  // namespace kinegrad

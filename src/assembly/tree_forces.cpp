// Applied forces on a tree: what their ports make of the motion [F-1], their energies and their power.
#include "kinegrad/assembly/tree_dynamics.hpp"

namespace kinegrad {

template <Scalar T>
void TreeDynamics<T>::applied_forces(T t, std::span<const T> q, std::span<const T> v) {
  motion_.q = q;
  motion_.v = v;
  motion_.field.setConstant(T(0));
  tau_.setConstant(T(0));
  for (State& s : motion_.bodies) s.F.setConstant(T(0));
  const PortSite<T> at = site(t);
  expressions_.evaluate(at);
  const TreeLoads<T> loads{motion_.bodies, tau_};
  for (const auto& port : ports_) {
    const AttributeVector<T> p = attributes(port->force());
    port->add_field(p, motion_.field);
    port->apply(at, p, loads);
  }
}

template <Scalar T>
T TreeDynamics<T>::potential_energy(T t) const {
  T sum(0);
  for (const auto& port : ports_) sum += port->energy(site(t), attributes(port->force()));
  return sum;
}

template <Scalar T>
double TreeDynamics<T>::applied_power(T t) const {
  double sum = 0;
  for (const auto& port : ports_) {
    const AttributeVector<T> p = attributes(port->force());
    AttributeVector<double> real(p.size());
    for (Eigen::Index i = 0; i < p.size(); ++i) real(i) = real_part(p(i));
    sum += port->power(site(t), real);
  }
  return sum;
}

template class TreeDynamics<double>;
template class TreeDynamics<Complex>;

}  // namespace kinegrad

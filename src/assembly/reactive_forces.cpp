#include "kinegrad/assembly/reactive_forces.hpp"

namespace kinegrad {

template <Scalar T>
ReactiveForces<T>::ReactiveForces(const Model& model) : model_(model) {
  if (!model.reactive_forces().empty()) values_.emplace(model);
  for (const ReactiveForce& force : model.reactive_forces()) {
    const Joint& joint = model.joints()[static_cast<std::size_t>(force.joint)];
    coordinates_.push_back(static_cast<std::size_t>(joint.q_first + force.coordinate));
  }
}

template <Scalar T>
void ReactiveForces<T>::subtract(T t, std::span<const T> q, std::span<const T> v,
                                 std::span<const T> a, std::span<const T> lambda, std::span<T> f) {
  if (empty()) return;
  values_->evaluate(p_, t, q, v, a, lambda);
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    f[coordinates_[k]] -= values_->output(model_.reactive_forces()[k].output);
  }
}

template <Scalar T>
double ReactiveForces<T>::power(T t, std::span<const T> q, std::span<const T> v,
                                std::span<const T> a, std::span<const T> lambda) {
  if (empty()) return 0;
  values_->evaluate(p_, t, q, v, a, lambda);
  double sum = 0;
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    sum += real_part(values_->output(model_.reactive_forces()[k].output)) *
           real_part(v[coordinates_[k]]);
  }
  return sum;
}

template class ReactiveForces<double>;
template class ReactiveForces<Complex>;

}  // namespace kinegrad

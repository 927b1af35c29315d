#include "kinegrad/signals/reactive_forces.hpp"

#include "kinegrad/base/error.hpp"

namespace kinegrad {

/// Natural coordinates have those of joints that something reads as they are in the tree.
int state_coordinate(const Model& model, const ReactiveForce& force) {
  const int tree = model.joints()[static_cast<std::size_t>(force.joint)].q_first + force.coordinate;
  if (model.natural().empty()) return tree;
  for (const NaturalBasis::Copied& copied : model.natural().copied) {
    if (tree >= copied.tree && tree < copied.tree + copied.count) {
      return copied.first + tree - copied.tree;
    }
  }
  throw InvalidArgument("force \"" + force.name + "\" acts on no coordinate of the model");
}

template <Scalar T>
ReactiveForces<T>::ReactiveForces(const Model& model) : model_(model) {
  if (!model.reactive_forces().empty()) values_.emplace(model);
  for (const ReactiveForce& force : model.reactive_forces()) {
    coordinates_.push_back(static_cast<std::size_t>(state_coordinate(model, force)));
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

#include "kinegrad/simulation/objectives.hpp"

#include <cmath>

#include "kinegrad/math/views.hpp"

namespace kinegrad {

template <Scalar T>
ObjectiveIntegral<T>::ObjectiveIntegral(const Model& model) : model_(model), signals_(model) {
  for (std::vector<T>* x : {&integrals_, &g_, &g_end_}) x->assign(model.objectives().size(), T(0));
  for (const Objective& objective : model.objectives()) {
    any_integral_ = any_integral_ || objective.integral >= 0;
  }
}

template <Scalar T>
void ObjectiveIntegral<T>::start(std::span<const T> p) {
  p_.assign(p.begin(), p.end());
  integrals_.assign(integrals_.size(), T(0));
  end_known_ = false;
  not_finite_ = {};
}

/// The first instant at which an objective has no finite value.
template <Scalar T>
void ObjectiveIntegral<T>::look(const T& value, std::size_t objective, double t) {
  if (std::isfinite(real_part(value)) || not_finite_.objective >= 0) return;
  not_finite_ = {static_cast<int>(objective), t};
}

template <Scalar T>
void ObjectiveIntegral<T>::evaluate(const StepState<T>& x) {
  signals_.evaluate(p_, T(x.t), in(x.q), in(x.v), in(x.a), in(x.lambda));
  for (std::size_t k = 0; k < g_.size(); ++k) {
    const int output = model_.objectives()[k].integral;
    if (output < 0) continue;
    g_[k] = signals_.output(output);
    look(g_[k], k, x.t);
  }
}

template <Scalar T>
void ObjectiveIntegral<T>::add(const StepState<T>& x0, const StepState<T>& x1,
                               std::span<const QuadratureNode<T>> nodes) {
  if (!any_integral_) return;
  bool start_known = end_known_;
  end_known_ = false;
  for (const QuadratureNode<T>& node : nodes) {
    if (node.state == &x0 && start_known) {
      g_ = g_end_;
    } else {
      evaluate(*node.state);
    }
    if (node.state == &x1) {
      g_end_ = g_;
      end_known_ = true;
      start_known = false;  // it was the last step's end that was known
    }
    for (std::size_t k = 0; k < g_.size(); ++k) integrals_[k] += g_[k] * T(node.weight);
  }
}

template <Scalar T>
void ObjectiveIntegral<T>::finish(const StepState<T>& x, std::vector<T>& values) {
  values = integrals_;
  bool evaluated = false;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const int output = model_.objectives()[k].terminal;
    if (output < 0) continue;
    if (!evaluated) evaluate(x);
    evaluated = true;
    look(signals_.output(output), k, x.t);
    values[k] += signals_.output(output);
  }
}

template class ObjectiveIntegral<double>;
template class ObjectiveIntegral<Complex>;

}  // namespace kinegrad

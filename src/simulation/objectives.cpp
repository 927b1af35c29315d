#include "kinegrad/simulation/objectives.hpp"

#include <algorithm>
#include <cmath>

#include "kinegrad/math/views.hpp"

namespace kinegrad {

template <Scalar T>
ObjectiveIntegral<T>::ObjectiveIntegral(const Model& model, const LoadedTree<T>* constants)
    : model_(model), signals_(model, constants) {
  const std::size_t n = model.objectives().size();
  for (std::vector<T>* x : {&integrals_, &step_, &error_, &g_, &g_start_, &g_end_}) {
    x->assign(n, T(0));
  }
  for (std::vector<double>* x : {&errors_, &largest_}) x->assign(n, 0.0);
  for (const Objective& objective : model.objectives()) {
    any_integral_ = any_integral_ || objective.integral >= 0;
  }
}

template <Scalar T>
void ObjectiveIntegral<T>::start(std::span<const T> p) {
  p_.assign(p.begin(), p.end());
  integrals_.assign(integrals_.size(), T(0));
  errors_.assign(errors_.size(), 0.0);
  largest_.assign(largest_.size(), 0.0);
  start_known_ = end_known_ = false;
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
void ObjectiveIntegral<T>::measure(const StepState<T>& x0, const StepState<T>& x1,
                                   std::span<const QuadratureNode<T>> nodes) {
  if (!any_integral_) return;
  end_known_ = false;
  std::fill(step_.begin(), step_.end(), T(0));
  std::fill(error_.begin(), error_.end(), T(0));
  for (const QuadratureNode<T>& node : nodes) {
    if (node.state == &x0 && start_known_) {
      g_ = g_start_;
    } else {
      evaluate(*node.state);
    }
    if (node.state == &x0) {
      g_start_ = g_;
      start_known_ = true;
    } else if (node.state == &x1) {
      g_end_ = g_;
      end_known_ = true;
    }
    for (std::size_t k = 0; k < g_.size(); ++k) {
      if (node.weight != 0) step_[k] += g_[k] * T(node.weight);
      if (node.estimate != 0) error_[k] += g_[k] * T(node.estimate);
    }
  }
}

template <Scalar T>
double ObjectiveIntegral<T>::error(double tolerance) const {
  double largest = 0;
  for (std::size_t k = 0; any_integral_ && k < error_.size(); ++k) {
    const double before = std::abs(real_part(integrals_[k]));            // holomorphic: a size
    const double after = std::abs(real_part(integrals_[k] + step_[k]));  // holomorphic: a size
    const double error = std::abs(real_part(error_[k]));                 // holomorphic: a size
    const double scaled = error / (tolerance * (1 + std::max(before, after)));
    if (std::isfinite(scaled)) largest = std::max(largest, scaled);
  }
  return largest;
}

template <Scalar T>
void ObjectiveIntegral<T>::accept() {
  if (!any_integral_) return;
  for (std::size_t k = 0; k < integrals_.size(); ++k) {
    integrals_[k] += step_[k];
    errors_[k] += std::abs(real_part(error_[k]));                             // holomorphic: a size
    largest_[k] = std::max(largest_[k], std::abs(real_part(integrals_[k])));  // holomorphic: a size
  }
  std::swap(g_start_, g_end_);
  start_known_ = end_known_;
  end_known_ = false;
}

template <Scalar T>
double ObjectiveIntegral<T>::uncertainty(std::size_t k, double tolerance) const {
  constexpr double kNothing = 1e-2;  // of an error that a single step may make
  return errors_[k] > kNothing * tolerance ? errors_[k] / largest_[k] : 0;
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

#include "kinegrad/formulations/reactive.hpp"

#include <algorithm>

#include "kinegrad/base/error.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

/// What Bordered says of the same rule, with [ST-12] where it projects.
StageRule stage_rule_of(const BorderRule& rule, const FormulationOptions& options) {
  options.validate();
  const double penalty = options.penalty > 0 ? options.penalty : rule.penalty;
  StageRule out;
  out.position_level = rule.position_level;
  out.stabilisation = {
      options.stabilisation_frequency < 0 ? rule.omega : options.stabilisation_frequency,
      options.stabilisation_damping};
  if (rule.soft) out.softness = 1 / penalty;
  out.projects = out.solves_anew = rule.projects;
  if (!options.iterative_projections) {
    out.projection_softness = 1 / (options.projection_scale * penalty);
  }
  return out;
}

}  // namespace

template <Scalar T>
ReactiveSaddle<T>::ReactiveSaddle(const Model& model, ReactiveParts<T> parts,
                                  const BorderRule& rule, const FormulationOptions& options,
                                  std::unique_ptr<MechanicalSystem<T>> projected)
    : rule_(rule),
      stage_rule_(stage_rule_of(rule, options)),
      newton_(model, std::move(parts), stage_rule_) {
  if (!rule.projects) return;
  KINEGRAD_DEMAND(projected != nullptr);
  projection_.emplace(std::move(projected), rule, options);
}

template <Scalar T>
void ReactiveSaddle<T>::set_parameters(std::span<const T> p) {
  newton_.set_parameters(p);
  if (projection_) projection_->set_parameters(p);
}

template <Scalar T>
bool ReactiveSaddle<T>::begin_step(T t, std::span<const T> q, std::span<const T> v) {
  newton_.begin_step();
  return !projection_ || projection_->begin_step(t, q, v);
}

template <Scalar T>
bool ReactiveSaddle<T>::acceleration(T t, std::span<const T> q, std::span<const T> v,
                                     std::span<T> a, std::span<T> lambda) {
  return newton_.accelerations(t, q, v, a, lambda, nullptr);
}

template <Scalar T>
bool ReactiveSaddle<T>::correct(T t, std::span<const T> q, std::span<const T> v,
                                std::span<const T> a, std::span<T> lambda,
                                const NewtonCoefficients& c, std::span<T> delta) {
  if (!newton_.correct(t, q, v, a, lambda, c, nullptr)) return false;
  for (int i = 0; i < nq(); ++i) delta[static_cast<std::size_t>(i)] = newton_.delta(i);
  return true;
}

/// [RL-5] where speeds are projected.
template <Scalar T>
bool ReactiveSaddle<T>::finish(T t, std::span<const T> q, std::span<T> v, std::span<T> a,
                               std::span<T> lambda) {
  if (!projection_) {
    newton_.judge(t, q, v, a, lambda, nullptr);
    return Formulation<T>::finish(t, q, v, a, lambda);
  }
  a_ = Eigen::Map<const VecXT<T>>(a.data(), static_cast<Eigen::Index>(a.size()));
  lambda_ = Eigen::Map<const VecXT<T>>(lambda.data(), static_cast<Eigen::Index>(lambda.size()));
  if (!projection_->finish(t, q, v, out(a_), out(lambda_))) return false;
  std::copy(a_.begin(), a_.end(), a.begin());
  std::copy(lambda_.begin(), lambda_.end(), lambda.begin());
  return newton_.accelerations_near(t, q, v, a, lambda, nullptr);
}

template <Scalar T>
ReactiveMatrixR<T>::ReactiveMatrixR(const Model& model, ReactiveParts<T> parts,
                                    std::unique_ptr<MechanicalSystem<T>> system)
    : reduction_(model, std::move(system)),
      newton_(model, std::move(parts), reduction_.stage_rule()),
      pivot_(static_cast<std::size_t>(reduction_.multipliers())) {
  yddot_.reserve(static_cast<std::size_t>(reduction_.nq()));
}

template <Scalar T>
void ReactiveMatrixR<T>::set_parameters(std::span<const T> p) {
  reduction_.set_parameters(p);
  newton_.set_parameters(p);
}

template <Scalar T>
bool ReactiveMatrixR<T>::begin_step(T t, std::span<const T> q, std::span<const T> v) {
  newton_.begin_step();
  return reduction_.begin_step(t, q, v);
}

template <Scalar T>
bool ReactiveMatrixR<T>::acceleration(T t, std::span<const T> q, std::span<const T> v,
                                      std::span<T> a, std::span<T> lambda) {
  if (!reduction_.ensure_choice(t, q, v)) return false;
  if (!newton_.accelerations(t, q, v, a, lambda, reduction_.selection())) return false;
  reduction_.measure_growth(t, q);
  return true;
}

template <Scalar T>
bool ReactiveMatrixR<T>::lift(T t, std::span<const T> q, std::span<const T> v,
                              std::span<const T> yddot, std::span<T> a) {
  yddot_.assign(yddot.begin(), yddot.end());
  return reduction_.lift(t, q, v, yddot, a);
}

/// Multipliers of equations that are no pivots of this step are zero.
template <Scalar T>
void ReactiveMatrixR<T>::rest_others(std::span<T> lambda) {
  std::fill(pivot_.begin(), pivot_.end(), 0);
  for (const int row : reduction_.selection()->pivot_row) {
    if (row < multipliers()) pivot_[static_cast<std::size_t>(row)] = 1;
  }
  for (std::size_t i = 0; i < pivot_.size(); ++i) {
    if (!pivot_[i]) lambda[i] = T(0);
  }
}

/// Coordinates that are integrated though their speeds depend on others have accelerations that the equations decide:
/// the correction takes what lift() has changed along.
template <Scalar T>
bool ReactiveMatrixR<T>::correct(T t, std::span<const T> q, std::span<const T> v,
                                 std::span<const T> a, std::span<T> lambda,
                                 const NewtonCoefficients& c, std::span<T> delta) {
  rest_others(lambda);
  const CoordinateSelection& chosen = *reduction_.selection();
  if (!newton_.correct(t, q, v, a, lambda, c, &chosen)) return false;
  for (std::size_t k = 0; k < chosen.integrated.size(); ++k) {
    const int column = chosen.integrated[k];
    delta[k] = a[static_cast<std::size_t>(column)] + newton_.delta(column) - yddot_[k];
  }
  return true;
}

template <Scalar T>
bool ReactiveMatrixR<T>::finish(T t, std::span<const T> q, std::span<T> v, std::span<T> a,
                                std::span<T> lambda) {
  newton_.judge(t, q, v, a, lambda, reduction_.selection());
  reduction_.measure_growth(t, q);
  return true;
}

template class ReactiveSaddle<double>;
template class ReactiveSaddle<Complex>;
template class ReactiveMatrixR<double>;
template class ReactiveMatrixR<Complex>;

}  // namespace kinegrad

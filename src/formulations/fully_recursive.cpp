#include "kinegrad/formulations/fully_recursive.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kinegrad/formulations/open_equations.hpp"

namespace kinegrad {

namespace {

/// Ω where the user is silent: without stabilisation the gradients of this method diverge.
constexpr double kFrequency = 10;

}  // namespace

template <Scalar T>
FullyRecursive<T>::FullyRecursive(SharedTree<T> constants, const FormulationOptions& options)
    : constants_(std::move(constants)),
      tree_(constants_.get()),
      state_(tree_),
      articulated_(tree_.bodies),
      constraints_(tree_.bodies),
      stabilisation_{
          options.stabilisation_frequency < 0 ? kFrequency : options.stabilisation_frequency,
          options.stabilisation_damping},
      euler_(euler_sets_of(tree_.model())),
      phi_(euler_.size()),
      no_phi_(euler_.size(), T(0)),
      saddle_(tree_.nq(), constraints_.rows()),
      right_(tree_.nq()),
      g_(constraints_.rows()) {
  options.validate();
}

template <Scalar T>
void FullyRecursive<T>::set_parameters(std::span<const T> p) {
  constants_.set(p);
  constraints_.update_parameters();
}

/// λ of [FR-1] from g, the values of the constraint equations, and the accelerations it brings; with the
/// mass matrix factorised last.
template <Scalar T>
bool FullyRecursive<T>::impose(std::span<const T> q, std::span<T> a, std::span<T> lambda) {
  const auto solve_mass = [&](std::span<const T> b, std::span<T> x) {
    kinegrad::solve_mass<T>(tree_.bodies, state_.motion, q, b, no_phi_, articulated_, x);
  };
  const auto remaining = [&](int i) { return constraints_.remaining(state_.motion, i); };
  if (!saddle_.factorize(constraints_.Phi_q(state_.motion), solve_mass, remaining)) return false;
  saddle_.solve(a, g_);
  for (int i = 0; i < multipliers(); ++i) lambda[static_cast<std::size_t>(i)] += g_(i);
  return true;
}

/// What the last pass still changed, beside what the constraint equations had to change and what they carry. [LO-1]
template <Scalar T>
double FullyRecursive<T>::left_open(std::span<const T> lambda) const {
  OpenEquations open;
  for (int i = 0; i < multipliers(); ++i) {
    const double size = real_part(saddle_.diagonal(i)), E = real_part(saddle_.regularisation(i)),
                 right = real_part(saddle_.right_side(i));
    const double before = E * std::abs(real_part(saddle_.change_before(i)));  // holomorphic: a size
    const double missed = E * std::abs(real_part(saddle_.last_change(i)));    // holomorphic: a size
    open.add({size, constraints_.remaining(state_.motion, i), E, before, missed,
              real_part(lambda[static_cast<std::size_t>(i)])});
    if (size > 0) open.add_motion(right * right / size);
  }
  return open.value();
}

template <Scalar T>
bool FullyRecursive<T>::acceleration(T t, std::span<const T> q, std::span<const T> v,
                                     std::span<T> a, std::span<T> lambda) {
  accelerations(tree_, t, q, v, state_, articulated_, a);
  if (multipliers() == 0) return true;  // a singular joint block shows as NaN, which is reported
  constraints_.motion(state_.motion, t, q, v, a);
  for (int i = 0; i < multipliers(); ++i) g_(i) = stabilisation_.value(constraints_, i);
  std::fill(lambda.begin(), lambda.end(), T(0));
  if (!impose(q, a, lambda)) return false;
  open_ = std::max(open_, left_open(lambda));  // holomorphic: a size
  return true;
}

/// One correction of [FO-1] with all of λ, not with what is to be added to it:
///
///   δ₀ = −M⁻¹r,   J W λ = g/s + J δ₀,   δ = δ₀ − W λ                                              [FR-3]
///
/// with s the slope of g along the accelerations. Adding to λ from correction to correction and from step to step would repeat
/// the passes of [B-2] without end: equations that follow from others and differ by drift alone would be held after all.
template <Scalar T>
bool FullyRecursive<T>::correct(T t, std::span<const T> q, std::span<const T> v,
                                std::span<const T> a, std::span<T> lambda,
                                const NewtonCoefficients& c, std::span<T> delta) {
  const auto n = static_cast<std::size_t>(nq());
  residual(tree_, t, q, v, a, state_, {right_.data(), n});
  if (multipliers() > 0) constraints_.motion(state_.motion, t, q, v, a);
  right_ = -right_;
  for (std::size_t e = 0; e < euler_.size(); ++e) {  // [FO-1]
    phi_[e] = this->normalisation(euler_[e], q, v, a, c);
  }
  place_bodies(tree_.bodies, q, state_.motion);
  factorize_mass(tree_.bodies, state_.motion, q, articulated_);
  solve_mass<T>(tree_.bodies, state_.motion, q, {right_.data(), n}, phi_, articulated_, delta);
  if (multipliers() == 0) return true;
  for (int i = 0; i < multipliers(); ++i) {
    const double slope = stabilisation_.slope(i < constraints_.holonomic(), c.c_v, c.c_q);
    g_(i) = stabilisation_.value(constraints_, i) * T(1 / slope) +
            constraints_.Phi_q(state_.motion).row_times(i, delta);
  }
  std::fill(lambda.begin(), lambda.end(), T(0));
  if (!impose(q, delta, lambda)) return false;
  if (!c.kept) open_ = left_open(lambda);  // of the last correction alone
  return true;
}

template class FullyRecursive<double>;
template class FullyRecursive<Complex>;

}  // namespace kinegrad

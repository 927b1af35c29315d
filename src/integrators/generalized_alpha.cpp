#include "kinegrad/integrators/generalized_alpha.hpp"

#include <cmath>

#include "kinegrad/integrators/tableau_step.hpp"
#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

template <Scalar T>
GeneralizedAlpha<T>::GeneralizedAlpha(const NewmarkConstants& constants,
                                      Formulation<T>& formulation, const IntegratorOptions& options)
    : constants_(constants),
      formulation_(formulation),
      options_(options),
      position_level_(formulation.stage_rule().position_level && formulation.multipliers() > 0),
      newton_(formulation, options),
      inside_(formulation, options, false) {}

template <Scalar T>
void GeneralizedAlpha<T>::size_for(int n) {
  for (VecXT<T>* x : {&y0_.y, &y0_.ydot, &y0_.yddot, &y0_.own, &yddot_, &own_, &y_, &ydot_}) {
    x->resize(n);
  }
  stage_.resize(n);
  newton_.size_for(n);
}

template <Scalar T>
int GeneralizedAlpha<T>::order() const {
  const double consistent = 0.5 - constants_.alpha_m + constants_.alpha_f;
  return std::abs(constants_.gamma - consistent) < 1e-12 ? 2 : 1;  // holomorphic: constants
}

template <Scalar T>
StepReport GeneralizedAlpha<T>::start(StepState<T>& x) {
  const StepReport report = start_accelerations(formulation_, x);
  x.own = x.a;
  return report;
}

/// The stage [N-4] of the step: ∂q₁/∂a₁ = h²β̂, ∂v₁/∂a₁ = hγ̂ [N-1], and the part of w₁ that is known, s₀ ÿ₀ − s_m w₀,
/// in the predictors [SD-2].
template <Scalar T>
void GeneralizedAlpha<T>::predict(double t, double h) {
  const NewmarkConstants& c = constants_;
  const double s = 1 / (1 - c.alpha_m), slope = (1 - c.alpha_f) * s;
  stage_.t = t;
  stage_.newton = {h * c.gamma * slope, h * h * c.beta * slope, options_.exact_tangent};
  stage_.judges_speeds = adaptive() && !position_level_;
  own_ = y0_.yddot * T(c.alpha_f * s) - y0_.own * T(c.alpha_m * s);
  stage_.y =
      y0_.y + y0_.ydot * T(h) + y0_.own * T(h * h * (0.5 - c.beta)) + own_ * T(h * h * c.beta);
  stage_.ydot = y0_.ydot + y0_.own * T(h * (1 - c.gamma)) + own_ * T(h * c.gamma);
}

/// Where Newton's method begins. q₁ and v₁ are first guesses of dependent coordinates, which near a position
/// where the mechanism may move on in two ways decide for the way it came.
template <Scalar T>
void GeneralizedAlpha<T>::guess(NewtonStart newton, const StepState<T>& x0, double h,
                                StepState<T>& x1) {
  yddot_ = y0_.yddot;
  x1.a = x0.a;
  x1.lambda = x0.lambda;
  if (newton == NewtonStart::kPlain || newton == NewtonStart::kDamped) {
    x1.q = x0.q + x0.v * T(h) + x0.a * T(0.5 * h * h);
    x1.v = x0.v + x0.a * T(h);
    return;
  }
  StageNewton<T>::guess(newton, stage_, y0_.ydot, yddot_);
  const bool rests = newton == NewtonStart::kFromRest;
  x1.q = x0.q + x0.v * T(rests ? 0.5 * h : h);
  x1.v = x0.v * T(rests ? 0 : 1);
}

template <Scalar T>
StepReport GeneralizedAlpha<T>::step(const StepState<T>& x0, double h, StepState<T>& x1,
                                     NewtonStart newton) {
  const double t1 = x0.t + h;
  StepReport report;
  if (!formulation_.begin_step(T(x0.t), in(x0.q), in(x0.v))) {
    report.status = failure(formulation_, StepStatus::kSingular);
    return report;
  }
  size_for(formulation_.integrated());
  formulation_.reduce(T(x0.t), in(x0.q), in(x0.v), in(x0.a), out(y0_.y), out(y0_.ydot),
                      out(y0_.yddot));
  formulation_.reduce(T(x0.t), in(x0.q), in(x0.v), in(x0.own), out(y_), out(ydot_), out(y0_.own));
  x1.t = t1;
  predict(t1, h);
  guess(newton, x0, h, x1);
  report = newton_.solve(stage_, newton, yddot_, x1);
  if (!report.usable()) return report;
  x1.own = x1.a;  // a first guess of dependent ones
  own_ += yddot_ * T((1 - constants_.alpha_f) / (1 - constants_.alpha_m));
  const bool lags = constants_.alpha_m != 0 || constants_.alpha_f != 0;
  if (lags && !formulation_.lift(T(t1), in(x1.q), in(x1.v), in(own_), out(x1.own))) {
    report.status = failure(formulation_, StepStatus::kNotClosed);
    return report;
  }
  before_.v = x1.v;
  before_.a = x1.a;
  before_.lambda = x1.lambda;
  x1.own -= x1.a;  // what finish() does to the acceleration it does to both
  if (!formulation_.finish(T(t1), in(x1.q), out(x1.v), out(x1.a), out(x1.lambda))) {
    report.status = StepStatus::kSingular;
    return report;
  }
  x1.own += x1.a;
  return report;
}

/// Adaptive steps are sampled inside: Hermite's cubics, closed [DO-1]. With fixed ones every sample is an end.
template <Scalar T>
StepReport GeneralizedAlpha<T>::interpolate(const StepState<T>& x0, const StepState<T>& x1,
                                            double theta, StepState<T>& result) const {
  StepMap<T>::interpolate(x0, x1, theta, result);
  if (!adaptive() || theta <= 0 || theta >= 1) return {};
  return inside_.close(x0, x1, theta, result);
}

/// [GA-6] over the tolerance. P(s) = a₀ + s d + s(s − h) c with d = (a₁ − a₀)/h and c from the accelerations before;
/// its integrals are h a₀ + h²d/2 − h³c/6 and h²a₀/2 + h³d/6 − h⁴c/12. The first step of a run has none before:
/// there e_v is taken as h(a₁ − a₀)/12, which is too large.
template <Scalar T>
double GeneralizedAlpha<T>::history_error(const StepState<T>* earlier, const StepState<T>& x0,
                                          const StepState<T>& x1) const {
  if (!adaptive()) return 0;
  const double h = x1.t - x0.t, tolerance = options_.tolerance;
  const double speeds = position_level_ ? std::min(1.0, h) : 1;  // holomorphic: a step size
  double sum = 0;
  for (Eigen::Index i = 0; i < x0.q.size(); ++i) {
    const T d = (x1.a(i) - x0.a(i)) * T(1 / h);
    T c(0), e_v = d * T(h * h / 12);
    if (earlier) {
      const double h0 = x0.t - earlier->t;
      c = (d - (x0.a(i) - earlier->a(i)) * T(1 / h0)) * T(1 / (h + h0));
      e_v = x1.v(i) - x0.v(i) - x0.a(i) * T(h) - d * T(h * h / 2) + c * T(h * h * h / 6);
    }
    const T e_q = x1.q(i) - x0.q(i) - x0.v(i) * T(h) - x0.a(i) * T(h * h / 2) -
                  d * T(h * h * h / 6) + c * T(h * h * h * h / 12);
    const double q = scaled_error(e_q, x0.q(i), x1.q(i), tolerance),
                 v = speeds * scaled_error(e_v, x0.v(i), x1.v(i), tolerance);
    sum += q * q + v * v;
  }
  return x0.q.size() ? std::sqrt(sum / static_cast<double>(2 * x0.q.size())) : 0;
}

template <Scalar T>
void GeneralizedAlpha<T>::history_quadrature(const StepState<T>& earlier, const StepState<T>& x0,
                                             const StepState<T>& x1,
                                             std::vector<QuadratureNode<T>>& nodes) const {
  if (adaptive()) add_parabola<T>(earlier, x0, x1, nodes);
}

template class GeneralizedAlpha<double>;
template class GeneralizedAlpha<Complex>;

}  // namespace kinegrad

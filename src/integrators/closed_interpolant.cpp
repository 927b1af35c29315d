#include "kinegrad/integrators/closed_interpolant.hpp"

#include "kinegrad/math/views.hpp"

namespace kinegrad {

template <Scalar T>
ClosedInterpolant<T>::ClosedInterpolant(Formulation<T>& formulation,
                                        const IntegratorOptions& options,
                                        bool normalises_accelerations)
    : formulation_(formulation),
      exact_(options.exact_tangent),
      normalises_accelerations_(normalises_accelerations),
      newton_(formulation, options) {}

template <Scalar T>
void ClosedInterpolant<T>::reduce(const StepState<T>& x, Integrated& result) {
  const int n = formulation_.integrated();
  for (VecXT<T>* part : {&result.y, &result.ydot, &result.yddot}) part->resize(n);
  formulation_.reduce(T(x.t), in(x.q), in(x.v), in(x.a), out(result.y), out(result.ydot),
                      out(result.yddot));
}

template <Scalar T>
StepReport ClosedInterpolant<T>::close(const StepState<T>& x0, const StepState<T>& x1, double theta,
                                       StepState<T>& x) {
  constexpr double kGamma = 0.25;
  const double h = x1.t - x0.t, s = theta, r = 1 - theta;
  reduce(x0, start_);
  reduce(x1, end_);
  const Integrated &a = start_, &b = end_;
  stage_.resize(a.y.size());
  newton_.size_for(a.y.size());
  yddot_.resize(a.y.size());
  const double c_v = kGamma * h;
  stage_.t = x.t;
  stage_.newton = {c_v, c_v * c_v, exact_, false, normalises_accelerations_};
  const double h00 = (1 + 2 * s) * r * r, h10 = s * r * r, h01 = s * s * (3 - 2 * s),
               h11 = -s * s * r;
  // rates of the four cubics by time
  const double d = 6 * s * r / h, d10 = r * (1 - 3 * s), d11 = s * (3 * s - 2);
  yddot_ = (b.ydot - a.ydot) * T(d) + a.yddot * T(d10) + b.yddot * T(d11);
  stage_.y = a.y * T(h00) + a.ydot * T(h * h10) + b.y * T(h01) + b.ydot * T(h * h11) -
             yddot_ * T(c_v * c_v);
  stage_.ydot = a.ydot * T(h00) + a.yddot * T(h * h10) + b.ydot * T(h01) + b.yddot * T(h * h11) -
                yddot_ * T(c_v);
  formulation_.begin_stage();
  StepReport report = newton_.solve(stage_, NewtonStart::kPlain, yddot_, x);
  if (report.usable() && !formulation_.finish(T(x.t), in(x.q), out(x.v), out(x.a), out(x.lambda))) {
    report.status = StepStatus::kSingular;
  }
  return report;
}

template class ClosedInterpolant<double>;
template class ClosedInterpolant<Complex>;

}  // namespace kinegrad

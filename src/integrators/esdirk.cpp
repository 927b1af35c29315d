#include "kinegrad/integrators/esdirk.hpp"

#include "kinegrad/integrators/tableau_step.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

template <Scalar T>
Esdirk<T>::Esdirk(const Tableau& tableau, Formulation<T>& formulation,
                  const IntegratorOptions& options)
    : tableau_(tableau),
      formulation_(formulation),
      options_(options),
      position_level_(formulation.stage_rule().position_level && formulation.multipliers() > 0),
      newton_(formulation, options),
      inside_(formulation, options, true) {
  const auto stages = static_cast<std::size_t>(tableau.stages());
  k_q_.resize(stages);
  k_v_.resize(stages);
  stages_.resize(stages);
}

template <Scalar T>
void Esdirk<T>::size_for(int n) {
  for (VecXT<T>* x : {&y0_, &y_, &yddot_}) x->resize(n);
  for (VecXT<T>& k : k_q_) k.resize(n);
  for (VecXT<T>& k : k_v_) k.resize(n);
  stage_.resize(n);
  newton_.size_for(n);
}

template <Scalar T>
StepReport Esdirk<T>::start(StepState<T>& x) {
  return start_accelerations(formulation_, x);
}

/// ŷ and ẏ̂ of [DRK-1].
template <Scalar T>
void Esdirk<T>::predict(std::size_t i) {
  const double c_v = h_ * tableau_.gamma;
  stage_.newton = {c_v, c_v * c_v, options_.exact_tangent, false, true};
  stage_.judges_speeds = !position_level_;
  stage_.y = y0_;
  stage_.ydot = k_q_[0];
  for (std::size_t j = 0; j < i; ++j) {
    const double a = tableau_.a[i][j];
    if (a == 0) continue;
    stage_.y += k_q_[j] * T(h_ * a);
    stage_.ydot += k_v_[j] * T(h_ * a);
  }
  stage_.y += stage_.ydot * T(c_v);
}

/// Where Newton's method of a stage begins: with the accelerations of the stage before it, and [DRK-1] with those for
/// all coordinates, which is the first guess of dependent ones.
template <Scalar T>
void Esdirk<T>::guess(const StepState<T>& x0, std::size_t i, NewtonStart newton) {
  const StepState<T>& last = i > 1 ? stages_[i - 1] : x0;
  StepState<T>& x = stages_[i];
  x.a = last.a;
  x.lambda = last.lambda;
  x.own = x0.own;
  yddot_ = k_v_[i - 1];
  StageNewton<T>::guess(newton, stage_, k_q_[0], yddot_);
  x.q = x0.q;
  x.v = x0.v + x.a * T(stage_.newton.c_v);
  for (std::size_t j = 0; j < i; ++j) {
    const StepState<T>& stage = j == 0 ? x0 : stages_[j];
    x.q += stage.v * T(h_ * tableau_.a[i][j]);
    x.v += stage.a * T(h_ * tableau_.a[i][j]);
  }
  if (newton == NewtonStart::kFromRest) x.v.setConstant(T(0));
  if (newton == NewtonStart::kCoasting) x.v = x0.v;
  x.q += x.v * T(stage_.newton.c_v);
}

template <Scalar T>
StepReport Esdirk<T>::solve(std::size_t i, const StepState<T>& x0, NewtonStart newton) {
  StepState<T>& x = stages_[i];
  x.t = i + 1 < stages_.size() ? x0.t + tableau_.c[i] * h_ : x0.t + h_;
  stage_.t = x.t;
  predict(i);
  guess(x0, i, newton);
  formulation_.begin_stage();
  StepReport report = newton_.solve(stage_, newton, yddot_, x);
  if (!report.usable()) return report;
  formulation_.end_stage(T(x.t), in(x.q), in(x.v), in(x.a), out(x.lambda));
  formulation_.reduce(T(x.t), in(x.q), in(x.v), in(x.a), out(y_), out(k_q_[i]), out(k_v_[i]));
  return report;
}

template <Scalar T>
StepReport Esdirk<T>::step(const StepState<T>& x0, double h, StepState<T>& x1, NewtonStart newton) {
  StepReport report;
  if (!formulation_.begin_step(T(x0.t), in(x0.q), in(x0.v))) {
    report.status = failure(formulation_, StepStatus::kSingular);
    return report;
  }
  h_ = h;
  size_for(formulation_.integrated());
  formulation_.reduce(T(x0.t), in(x0.q), in(x0.v), in(x0.a), out(y0_), out(k_q_[0]), out(k_v_[0]));
  for (std::size_t i = 1; i < stages_.size(); ++i) {
    const StepReport stage = solve(i, x0, newton);
    report.status = stage.status;
    report.where = stage.where;
    report.iterations += stage.iterations;
    report.left = std::max(report.left, stage.left);  // holomorphic: a size
    if (!report.usable()) return report;
  }
  x1 = stages_.back();
  before_.v = x1.v;
  before_.a = x1.a;
  before_.lambda = x1.lambda;
  if (!formulation_.finish(T(x1.t), in(x1.q), out(x1.v), out(x1.a), out(x1.lambda))) {
    report.status = StepStatus::kSingular;
    return report;
  }
  if (!adaptive()) return report;
  // with constraints on positions speeds are of one order less: their errors count by h
  const double speeds = position_level_ ? std::min(1.0, h) : 1;  // holomorphic: a step size
  report.error = embedded_error<T>(tableau_, h, options_.tolerance, speeds, x0, stages_, x1);
  return report;
}

/// Hermite's cubics, closed on the equations of motion and the constraints [DO-1].
template <Scalar T>
StepReport Esdirk<T>::interpolate(const StepState<T>& x0, const StepState<T>& x1, double theta,
                                  StepState<T>& result) const {
  StepMap<T>::interpolate(x0, x1, theta, result);
  if (theta <= 0 || theta >= 1) return {};
  return inside_.close(x0, x1, theta, result);
}

/// Stages with constraints on positions have accelerations and multipliers of low order, with the rounding of
/// positions over (hγ)² in them: integrals are those of the trapezoidal rule there, whose order the method has.
template <Scalar T>
void Esdirk<T>::quadrature(const StepState<T>& x0, const StepState<T>& x1,
                           std::vector<QuadratureNode<T>>& nodes) const {
  if (position_level_) return StepMap<T>::quadrature(x0, x1, nodes);
  tableau_quadrature<T>(tableau_, h_, x0, stages_, x1, nodes);
}

template <Scalar T>
void Esdirk<T>::history_quadrature(const StepState<T>& earlier, const StepState<T>& x0,
                                   const StepState<T>& x1,
                                   std::vector<QuadratureNode<T>>& nodes) const {
  if (position_level_ && adaptive()) add_parabola<T>(earlier, x0, x1, nodes);
}

template <Scalar T>
std::span<const StepState<T>> Esdirk<T>::stages() const {
  return inner_stages<T>(tableau_, stages_);
}

template class Esdirk<double>;
template class Esdirk<Complex>;

}  // namespace kinegrad

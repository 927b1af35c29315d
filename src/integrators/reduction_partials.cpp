#include "kinegrad/integrators/reduction_partials.hpp"

#include "kinegrad/math/views.hpp"

namespace kinegrad {

ReductionPartials::ReductionPartials(const StageRule& rule,
                                     const SystemPartialsFactory& make_system, bool lags) {
  if (rule.named.empty()) return;
  state_.emplace(make_system(), rule.named);
  if (lags) lagging_.emplace(make_system(), rule.named);
  zero_.setZero(static_cast<Eigen::Index>(rule.named.size()));
}

void ReductionPartials::linearize(const StepState<double>& x0) {
  if (state_) state_->linearize(stage_point(x0));
  if (lagging_) lagging_->linearize(lagging_point(x0));
}

ReductionPartials::Tangent ReductionPartials::tangent(const DesignJacobian& design,
                                                      const StateTangent& x) {
  if (!state_) return {x.q, x.v, x.a, x.own};
  state_->take_parameters(design);
  state_->place_tangent(x.q, y_);
  state_->speed_tangent(x.q, x.v, ydot_);
  state_->acceleration_tangent(x.q, x.v, x.a, yddot_);
  if (!lagging_) return {y_, ydot_, yddot_, yddot_};
  lagging_->take_parameters(design);
  lagging_->acceleration_tangent(x.q, x.v, x.own, own_);
  return {y_, ydot_, yddot_, own_};
}

void ReductionPartials::adjoint(const IntegratedCotangent& integrated, StateCotangent& x,
                                std::span<double> p) {
  const IntegratedCotangent& from = integrated;
  if (!state_) {
    x.q = from.y;
    x.v = from.ydot;
    x.a = from.yddot;
    if (from.own.size() > 0) x.own = from.own;
    return;
  }
  for (VecX* bar : {&x.q, &x.v, &x.a}) bar->setZero();
  if (from.own.size() > 0) x.own.setZero();
  yddot_bar_ = from.yddot;
  if (lagging_) {
    lagging_->adjoint(zero_, zero_, from.own, x.q, x.v, x.own, p);
  } else if (from.own.size() > 0) {
    yddot_bar_ += from.own;  // of the same accelerations
  }
  state_->adjoint(from.y, from.ydot, yddot_bar_, x.q, x.v, x.a, p);
}

}  // namespace kinegrad

#include "kinegrad/integrators/generalized_alpha_partials.hpp"

#include "kinegrad/math/views.hpp"

namespace kinegrad {

GeneralizedAlphaPartials::GeneralizedAlphaPartials(const NewmarkConstants& constants,
                                                   const StageRule& rule,
                                                   const SystemPartialsFactory& make_system)
    : constants_(constants),
      s1_((1 - constants.alpha_f) / (1 - constants.alpha_m)),
      s0_(constants.alpha_f / (1 - constants.alpha_m)),
      sm_(constants.alpha_m / (1 - constants.alpha_m)),
      stage_system_(make_system()),
      finish_system_(make_system()),
      independent_(rule.independent),
      projects_(rule.projects),
      stage_(make_solved_stage(*stage_system_, rule)),
      finish_(*finish_system_, rule),
      reduction_(rule, make_system, lags()),
      y_(stage_->integrated()),
      ydot_(y_.size()),
      w_(stage_system_->nq()),
      w_integrated_(y_.size()) {
  end_.set_zero(stage_->integrated());
  start_.set_zero(stage_->integrated());
}

GeneralizedAlphaPartials::Predictor GeneralizedAlphaPartials::predictor() const {
  const NewmarkConstants& c = constants_;
  return {h_ * h_ * (0.5 - c.beta - c.beta * sm_), h_ * h_ * c.beta * s0_,
          h_ * (1 - c.gamma - c.gamma * sm_), h_ * c.gamma * s0_};
}

bool GeneralizedAlphaPartials::start_tangent(const StepState<double>& x0,
                                             const CoordinateSelection* selection,
                                             const DesignJacobian& design, StateTangent& x) {
  if (!solved_start_tangent(*stage_, x0, selection, design, x)) return false;
  x.own = x.a;
  return true;
}

bool GeneralizedAlphaPartials::start_adjoint(const StepState<double>& x0,
                                             const CoordinateSelection* selection,
                                             StateCotangent& x, std::span<double> p) {
  x.a += x.own;
  return solved_start_adjoint(*stage_, x0, selection, x, p);
}

bool GeneralizedAlphaPartials::linearize(const StepRecord& record) {
  h_ = record.h;
  x1_ = record.x1;
  const NewmarkConstants& c = constants_;
  const StagePoint before = point_before(record);
  const bool stays = record.before == record.x1 && !(lags() && independent_) &&
                     stage_system_->rows() == static_cast<int>(record.x1->lambda.size());
  at_end_ = projects_ ? finish_system_.get() : stays ? stage_system_.get() : nullptr;
  reduction_.linearize(*record.x0);
  return stage_->linearize(before, h_ * h_ * c.beta * s1_, h_ * c.gamma * s1_, record.selection) &&
         finish_.linearize(before, stage_point(*record.x1), *stage_);
}

bool GeneralizedAlphaPartials::tangent(const StepRecord& record, const DesignJacobian& design,
                                       StateTangent& x, const VisitTangent&) {
  if (!linearize(record)) return false;
  stage_->take_parameters(design);
  finish_.take_parameters(design);
  const Predictor c = predictor();
  const ReductionPartials::Tangent x0 = reduction_.tangent(design, x);
  dy_ = x0.y + h_ * x0.ydot + c.q_w * x0.own + c.q_a * x0.yddot;
  dydot_ = x0.ydot + c.v_w * x0.own + c.v_a * x0.yddot;
  dw_ = s0_ * x0.yddot - sm_ * x0.own;
  stage_->tangent(dy_, dydot_, x);
  dw_ += s1_ * stage_->rates(x).yddot;
  lift_tangent(record, design, x);
  x.own -= x.a;
  finish_.tangent(x);
  x.own += x.a;
  return true;
}

/// dw₁ of all coordinates. Formulations with independent ones end a step as they found it.
void GeneralizedAlphaPartials::lift_tangent(const StepRecord& record, const DesignJacobian& design,
                                            StateTangent& x) {
  if (!lags()) {
    x.own = x.a;
    return;
  }
  if (independent_) {
    stage_->linearize_lift(lagging_point(*record.x1));
    stage_->take_lift_parameters(design);
  }
  stage_->lift_tangent(x, dw_, x.own);
}

/// w̄₁ of what is integrated; where w₁ is a₁, all of it is that of a₁.
void GeneralizedAlphaPartials::lift_adjoint(StateCotangent& x, std::span<double> p) {
  if (!lags()) {
    x.a += w_;
    w_integrated_.setZero();
    return;
  }
  if (independent_) stage_->linearize_lift(lagging_point(*x1_));
  stage_->lift_adjoint(x, w_, w_integrated_, p);
}

void GeneralizedAlphaPartials::adjoint(StateCotangent& x, std::span<double> p,
                                       const VisitCotangent&) {
  w_ = x.own;
  x.a += x.own;
  finish_.adjoint(x, p);
  x.a -= w_;
  lift_adjoint(x, p);
  end_.yddot = s1_ * w_integrated_;
  y_.setZero();
  ydot_.setZero();
  stage_->adjoint(x, end_, out(y_), out(ydot_), p);
  const Predictor c = predictor();
  start_.y = y_;
  start_.ydot = h_ * y_ + ydot_;
  start_.own = c.q_w * y_ + c.v_w * ydot_ - sm_ * w_integrated_;
  start_.yddot = c.q_a * y_ + c.v_a * ydot_ + s0_ * w_integrated_;
  reduction_.adjoint(start_, x, p);
  x.lambda.setZero();
}

}  // namespace kinegrad

#include "kinegrad/integrators/runge_kutta_partials.hpp"

#include "kinegrad/math/views.hpp"

namespace kinegrad {

RungeKuttaPartials::RungeKuttaPartials(const Tableau& tableau, const StageRule& rule,
                                       const SystemPartialsFactory& make_system)
    : tableau_(tableau),
      named_(!rule.named.empty()),
      projects_(rule.projects && tableau.gamma != 0),
      ends_only_(false),
      reduction_(rule, make_system, false) {
  StageRule stage_rule = rule;
  stage_rule.normalises_accelerations = true;  // explicit stages know no other
  for (int i = 0; i < solved(); ++i) {
    auto system = make_system();
    SystemPartials& reference = *system;
    stages_.push_back({std::move(system), make_solved_stage(reference, stage_rule)});
  }
  // as Esdirk::quadrature()
  ends_only_ = implicit() && rule.position_level && stages_.front().system->rows() > 0;
  if (implicit()) {
    finish_system_ = make_system();
    finish_.emplace(*finish_system_, rule);
  }
  const int n = stages_.front().partials->integrated();
  for (auto* x : {&y_, &ydot_}) x->resize(n);
  start_.set_zero(n);
  start_.own.resize(0);
  const auto s = static_cast<std::size_t>(stages());
  dk_q_.resize(s);
  dk_v_.resize(s);
  k_.resize(s + 1);
  for (IntegratedCotangent& k : k_) k.set_zero(n);
}

/// Stage 0 is x₀, the one past the last is x₁.
const StepState<double>& RungeKuttaPartials::state(const StepRecord& record, int stage) const {
  if (stage == 0) return *record.x0;
  const bool end = stage == stages() || (tableau_.first_same_as_last && stage == stages() - 1);
  return end ? *record.x1 : record.stages[static_cast<std::size_t>(stage - 1)];
}

/// a_ij of a stage, or b_j of the end.
std::span<const double> RungeKuttaPartials::weights(int stage) const {
  if (stage == stages()) return tableau_.b;
  return tableau_.a[static_cast<std::size_t>(stage)];
}

void RungeKuttaPartials::nodes(const StepRecord& record, std::vector<RecordedNode>& result) const {
  if (ends_only_) return StepPartials::nodes(record, result);
  result.clear();
  for (int i = 0; i < stages(); ++i) {
    const double b = tableau_.b[static_cast<std::size_t>(i)];
    if (b == 0) continue;
    const bool end = tableau_.first_same_as_last && i == stages() - 1;
    result.push_back({record.h * b, &state(record, i), end ? RecordedNode::kEnd : i});
  }
}

bool RungeKuttaPartials::start_tangent(const StepState<double>& x0,
                                       const CoordinateSelection* selection,
                                       const DesignJacobian& design, StateTangent& x) {
  return solved_start_tangent(*stages_.front().partials, x0, selection, design, x);
}

bool RungeKuttaPartials::start_adjoint(const StepState<double>& x0,
                                       const CoordinateSelection* selection, StateCotangent& x,
                                       std::span<double> p) {
  return solved_start_adjoint(*stages_.front().partials, x0, selection, x, p);
}

bool RungeKuttaPartials::linearize(const StepRecord& record) {
  h_ = record.h;
  const double c_v = h_ * tableau_.gamma;
  reduction_.linearize(*record.x0);
  for (int i = 1; i <= solved(); ++i) {
    const bool found = implicit() && i == solved();  // as Newton's method found the end
    const StagePoint point = found ? point_before(record) : stage_point(state(record, i));
    SolvedStage& stage = *stages_[static_cast<std::size_t>(i - 1)].partials;
    if (!stage.linearize(point, c_v * c_v, c_v, record.selection)) return false;
  }
  return linearize_end(record);
}

/// What the end of an implicit step does to the last stage, and the mechanics that were linearised at x₁.
bool RungeKuttaPartials::linearize_end(const StepRecord& record) {
  at_end_ = at_stage(solved());
  if (!implicit()) return true;
  if (projects_) {
    at_end_ = finish_system_.get();
  } else if (record.before != record.x1) {
    at_end_ = nullptr;
  }
  return finish_->linearize(point_before(record), stage_point(*record.x1),
                            *stages_.back().partials);
}

bool RungeKuttaPartials::tangent(const StepRecord& record, const DesignJacobian& design,
                                 StateTangent& x, const VisitTangent& visit) {
  if (!linearize(record)) return false;
  const ReductionPartials::Tangent x0 = reduction_.tangent(design, x);
  dk_q_[0] = x0.ydot;
  dk_v_[0] = x0.yddot;
  for (int i = 1; i <= solved(); ++i) {
    const auto a = weights(i);
    dy_ = x0.y;
    dydot_ = x0.ydot;
    for (std::size_t j = 0; j < a.size(); ++j) {
      if (a[j] == 0) continue;
      dy_ += (h_ * a[j]) * dk_q_[j];
      dydot_ += (h_ * a[j]) * dk_v_[j];
    }
    if (implicit()) dy_ += (h_ * tableau_.gamma) * dydot_;
    SolvedStage& stage = *stages_[static_cast<std::size_t>(i - 1)].partials;
    stage.take_parameters(design);
    stage.tangent(dy_, dydot_, stage_tangent_);
    if (i == solved()) break;
    visit(i, stage_tangent_);
    const SolvedStage::Rates rates = stage.rates(stage_tangent_);
    dk_q_[static_cast<std::size_t>(i)] = rates.ydot;
    dk_v_[static_cast<std::size_t>(i)] = rates.yddot;
  }
  x.q = stage_tangent_.q;
  x.v = stage_tangent_.v;
  x.a = stage_tangent_.a;
  x.lambda = stage_tangent_.lambda;
  if (finish_) {
    finish_->take_parameters(design);
    finish_->tangent(x);
  }
  return true;
}

/// Backwards through one stage: onto x₀ and the rates of the stages before.
void RungeKuttaPartials::pull_stage(int i, StateCotangent& x, std::span<double> p) {
  y_.setZero();
  ydot_.setZero();
  const bool end = i == solved();
  const IntegratedCotangent& rates = end ? k_.back() : k_[static_cast<std::size_t>(i)];
  stages_[static_cast<std::size_t>(i - 1)].partials->adjoint(x, rates, out(y_), out(ydot_), p);
  if (implicit()) ydot_ += (h_ * tableau_.gamma) * y_;
  start_.y += y_;
  start_.ydot += ydot_;
  const auto a = weights(i);
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (a[j] == 0) continue;
    k_[j].ydot += (h_ * a[j]) * y_;
    k_[j].yddot += (h_ * a[j]) * ydot_;
  }
}

void RungeKuttaPartials::adjoint(StateCotangent& x, std::span<double> p,
                                 const VisitCotangent& visit) {
  for (IntegratedCotangent& k : k_) {
    k.ydot.setZero();
    k.yddot.setZero();
  }
  start_.y.setZero();
  start_.ydot.setZero();
  if (finish_) finish_->adjoint(x, p);
  pull_stage(solved(), x, p);
  for (int i = solved() - 1; i >= 1; --i) {
    stage_cotangent_.set_zero(static_cast<int>(x.q.size()), static_cast<int>(x.lambda.size()));
    visit(i, stage_cotangent_);
    pull_stage(i, stage_cotangent_, p);
  }
  start_.ydot += k_[0].ydot;
  start_.yddot = k_[0].yddot;
  reduction_.adjoint(start_, x, p);
  x.lambda.setZero();
}

}  // namespace kinegrad

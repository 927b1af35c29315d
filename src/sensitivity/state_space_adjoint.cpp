#include "kinegrad/sensitivity/state_space_adjoint.hpp"

#include <algorithm>

#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

/// The accelerations as a function of q and v: all rows at acceleration level, nothing projected.
StageRule instant_rule(StageRule rule) {
  rule.position_level = false;
  rule.projects = false;
  rule.normalises_accelerations = true;
  return rule;
}

}  // namespace

StateSpaceAdjoint::StateSpaceAdjoint(const SystemPartialsFactory& make_system,
                                     const StageRule& rule)
    : system_(make_system()), stage_(make_solved_stage(*system_, instant_rule(rule))) {
  if (!rule.named.empty()) named_.emplace(make_system(), rule.named);
  p_.resize(static_cast<std::size_t>(system_->physical()));
  rolling_.reserve(static_cast<std::size_t>(system_->nq()));
}

bool StateSpaceAdjoint::linearize(const MotionPoint& x, double c) {
  c_ = c;
  rolling_.clear();
  if (x.selection && x.selection->integrated.size() != x.selection->free.size()) {
    const std::vector<int>& free = x.selection->free;
    for (const int i : x.selection->integrated) {
      if (std::find(free.begin(), free.end(), i) == free.end()) rolling_.push_back(i);
    }
  }
  x_ = x.stage();
  return stage_->linearize(x_, c * c, c, x.selection);
}

/// With cotangents of the state, which are spoiled, and of what is integrated.
void StateSpaceAdjoint::pull(StateCotangent& bar, AdjointState& result, std::span<double> p) {
  result.q.setZero(stage_->integrated());
  result.v.setZero(stage_->integrated());
  stage_->adjoint(bar, of_step_, out(result.q), out(result.v), p);
}

bool StateSpaceAdjoint::end(const StateCotangent& terminal, const AdjointSource&, AdjointState& mu,
                            std::span<double> p) {
  bar_ = terminal;
  of_step_.set_zero(stage_->integrated());
  pull(bar_, mu, p);
  return true;
}

void StateSpaceAdjoint::rate(const AdjointState& mu, const AdjointSource& g, AdjointState& result,
                             std::span<double> p) {
  bar_ = g.g;
  of_step_.y.setZero(stage_->integrated());
  of_step_.ydot = mu.q;
  of_step_.yddot = mu.v;
  pull(bar_, result, p);
}

/// A step q = q̂ + cv, v = v̂ + ca is a stage with the predictors q̂ + cv̂ and v̂, q = q̂ + cv̂ + c²a;
/// μ is the cotangent of q̂ and v̂.
void StateSpaceAdjoint::solve(const AdjointSource& g, AdjointState& mu, std::span<double> p) {
  bar_ = g.g;
  take_state(mu);
  if (!rolling_.empty()) return solve_rolling(mu, p);
  pull(bar_, mu, p);
  mu.v += c_ * mu.q;
}

/// μ is the cotangent of y and ẏ.
void StateSpaceAdjoint::take_state(const AdjointState& mu) {
  of_step_.y = mu.q;
  of_step_.ydot = mu.v;
  of_step_.yddot.setZero(stage_->integrated());
}

/// Speeds that depend on others are no predictor plus ca: the stage gets q̂ + cv − c²a of those
/// coordinates for a predictor, which depends on what it finds by O(c).
void StateSpaceAdjoint::solve_rolling(AdjointState& mu, std::span<double> p) {
  constexpr int kPasses = 50;
  constexpr double kStands = 1e-15;
  pulled_.q = mu.q;
  for (int pass = 0; pass < kPasses; ++pass) {
    moved_ = bar_;
    for (const int i : rolling_) {
      moved_.v(i) += c_ * pulled_.q(i);
      moved_.a(i) -= c_ * c_ * pulled_.q(i);
    }
    std::fill(p_.begin(), p_.end(), 0.0);
    mu.q = pulled_.q;
    pull(moved_, pulled_, p_);
    double moved = 0;
    for (const int i : rolling_) moved = std::max(moved, std::abs(pulled_.q(i) - mu.q(i)));
    if (moved <= kStands * pulled_.q.lpNorm<Eigen::Infinity>()) break;
  }
  write(p) += read(p_);
  mu = pulled_;
  mu.v += c_ * mu.q;
  for (const int i : rolling_) mu.v(i) = 0;
}

void StateSpaceAdjoint::change(AdjointState& mu, std::span<double> p) {
  bar_.set_zero(system_->nq(), static_cast<int>(x_.lambda.size()));
  take_state(mu);
  pull(bar_, mu, p);
}

void StateSpaceAdjoint::start(const AdjointSource&, AdjointState& mu, std::span<double> p) {
  if (!named_) return;
  take_state(mu);
  named_->linearize(x_);
  bar_.set_zero(system_->nq(), 0);
  named_->adjoint(of_step_.y, of_step_.ydot, of_step_.yddot, bar_.q, bar_.v, bar_.a, p);
  mu.q = bar_.q;
  mu.v = bar_.v;
}

}  // namespace kinegrad

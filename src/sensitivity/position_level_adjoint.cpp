#include "kinegrad/sensitivity/position_level_adjoint.hpp"

#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

/// Projections to the constraints themselves: on a motion that is on them nothing else is left of the
/// penalties, and [CA-6] holds for any.
StageRule projecting(StageRule rule) {
  rule.position_level = true;
  rule.stabilisation.omega = 0;
  rule.projects = true;
  rule.projection_softness = 0;
  return rule;
}

}  // namespace

PositionLevelAdjoint::PositionLevelAdjoint(const SystemPartialsFactory& make_system,
                                           const StageRule& rule)
    : system_(make_system()),
      finish_system_(make_system()),
      end_system_(make_system()),
      stage_(*system_, projecting(rule)),
      finish_(*finish_system_, projecting(rule)),
      rows_(*end_system_),
      n_(system_->nq()),
      m_(system_->rows()),
      p_(static_cast<std::size_t>(system_->physical()), 0.0) {
  mass_.set_euler_sets(end_system_->euler_sets());
}

bool PositionLevelAdjoint::linearize(const MotionPoint& x, double c) {
  x_ = &x;
  c_ = c;
  return stage_.linearize(x.stage(), c * c, c, nullptr) &&
         finish_.linearize(x.stage(), x.stage(), stage_);
}

/// μ_a and μ_v of [CA-6]: bar_ gets M μ_a and M μ_v for g_a and g_v, and what they do to q̄.
void PositionLevelAdjoint::project(const AdjointSource& g, std::span<double> p) {
  bar_ = g.g;
  const bool of_positions = bar_.v.isZero(0) && bar_.a.isZero(0) && bar_.lambda.isZero(0);
  if (!of_positions) finish_.adjoint(bar_, p);
}

/// [CA-3] with the rows at position level: the transposed stage gives μ₂ and μ_Φ and pulls with them.
void PositionLevelAdjoint::solve(const AdjointSource& g, AdjointState& mu, std::span<double> p) {
  project(g, p);
  bar_.q += mu.q;
  bar_.v += mu.v;
  mu.q.setZero();
  mu.v.setZero();
  stage_.adjoint(bar_, out(mu.q), out(mu.v), p);
  mu.v += c_ * mu.q;
}

bool PositionLevelAdjoint::factorize_mass() {
  const StagePoint x = x_->stage();
  end_system_->linearize(x.t, x.q, x.v, x.a, x.lambda);
  end_system_->matrices(f_q_, f_v_, M_.whole());
  rows_.take(*end_system_, x);
  const int l = rows_.rows();
  mass_.resize(n_, l);
  mass_.add(StageBlock::kMass, M_);
  mass_.add(StageBlock::kRows, rows_.J.Phi_q);
  mass_.add(StageBlock::kColumns, rows_.J.Phi_q);
  mass_.set_remaining(rows_.remaining());
  return mass_.factorize();
}

/// Adds η·Φ̇ or η·Φ, which are zero, to what is differentiated at the end.
void PositionLevelAdjoint::hold(const VecX& eta, bool position, AdjointState& mu,
                                std::span<double> p) {
  const auto& J = rows_.J;
  const VecX rows = eta.head(position ? end_system_->holonomic() : m_);
  const LevelCotangent bar =
      position ? LevelCotangent{in(rows), {}, {}} : LevelCotangent{{}, in(rows), {}};
  VecX a = VecX::Zero(n_);
  end_system_->pullback({}, bar, {out(mu.q), out(mu.v), out(a), p});
  const auto nu = eta.tail(rows_.rows() - m_);  // of the normalisations
  if (!position) J.Phi_q.add_transposed(m_, nu, mu.v);
  (position ? J.Phi_q : J.Phidot_q).add_transposed(m_, nu, mu.q);
}

/// Ṁ y = (M y)_q v.
VecX PositionLevelAdjoint::mass_rate_times(const VecX& y) {
  const StepState<double>& x = x_->x;
  const VecX none = VecX::Zero(m_);
  finish_system_->linearize_inertia(in(y), in(none));
  finish_system_->inertia_matrix(f_q_);
  return f_q_ * x.v;
}

/// [CA-7]: y = M⁻¹u with Φ_q y = 0 gives η; d/dt(Φ_q y) = 0 gives η₂.
bool PositionLevelAdjoint::end(const StateCotangent& terminal, const AdjointSource& g,
                               AdjointState& mu, std::span<double> p) {
  mu.q.setZero(n_);
  mu.v.setZero(n_);
  stage_.adjoint(terminal, out(mu.q), out(mu.v), p);  // linearized with 0: a and λ of q and v
  if (!factorize_mass()) return false;
  const int l = rows_.rows();
  const auto& J = rows_.J;
  const auto solve = [&](const VecX& top, const VecX& bottom) {
    VecX z(n_ + l);
    z << top, bottom;
    mass_.solve(out(z));
    return z;
  };
  const VecX none = VecX::Zero(l);
  VecX z = solve(mu.v, none);
  const VecX y = z.head(n_);
  hold(-z.tail(l), false, mu, p);

  // CAUTION: what the rate of u sees of g are its projections, of weight one here
  project(g, p_);
  bar_.q /= g.weight;
  bar_.v /= g.weight;
  bar_.a /= g.weight;
  bar_.lambda /= g.weight;
  VecX of_multipliers = none;
  of_multipliers.head(m_) = bar_.lambda;
  const VecX mu_a = solve(bar_.a, of_multipliers).head(n_);
  const VecX u_rate = f_v_.transpose() * (y + mu_a) - bar_.v - mu.q;
  // Φ̈_v − Φ̇_q is the rate of Φ_q, of rows on speeds alone as well
  const VecX rows_rate = -(J.Phiddot_v.whole() - J.Phidot_q.whole()) * y;
  z = solve(u_rate - mass_rate_times(y), rows_rate);
  hold(z.tail(l), true, mu, p);
  return true;
}

}  // namespace kinegrad

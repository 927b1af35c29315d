#include "kinegrad/formulations/finish_partials.hpp"

#include <algorithm>

#include "kinegrad/math/views.hpp"

namespace kinegrad {

FinishPartials::FinishPartials(SystemPartials& system, const StageRule& rule)
    : system_(system),
      rule_(rule),
      n_(system.nq()),
      m_(system.rows()),
      rows_(system),
      sink_(n_),
      w_(static_cast<std::size_t>(n_)),
      phi_dot_(static_cast<std::size_t>(m_)),
      phi_ddot_(static_cast<std::size_t>(m_)) {
  if (!rule.projects) return;
  if (rule.solves_anew) anew_.emplace(system, rule);
  matrix_.set_symmetric();
  matrix_.set_regularisation(rule.regularisation());
  matrix_.set_euler_sets(system.euler_sets());
  const std::optional<SystemPattern> pattern = stage_pattern(system, rule);
  if (!pattern) return;
  rows_.set_pattern(pattern->rows);
  for (Problem* problem : {&velocity_, &acceleration_}) {
    problem->f_q.set_pattern(pattern->equations);
  }
  matrix_.set_pattern({pattern->mass, pattern->mass, pattern->rows});
}

bool FinishPartials::linearize(const StagePoint& before, const StagePoint& after,
                               const SolvedStage& stage) {
  before_ = before;
  after_ = after;
  if (!rule_.projects) return true;
  M_ = &stage.mass();
  const PatternMatrix& J = stage.rows().J.Phi_q;  // at the same q
  const int l = rows_.rows();
  velocity_.u = read(after.v) - read(before.v);
  acceleration_.u = read(after.a) - read(before.a);
  system_.linearize_motion(after.t, after.q, after.v, after.a);
  rows_.take(system_, after, RowLevels::kMotion);
  matrix_.resize(n_, l);
  matrix_.add(StageBlock::kMass, *M_);
  matrix_.add(StageBlock::kRows, J);
  matrix_.add(StageBlock::kColumns, J);
  matrix_.set_remaining(stage.rows().remaining());
  if (rule_.projection_softness > 0) {
    for (int i = 0; i < m_; ++i) matrix_.set_softness(i, rule_.projection_softness);
  }
  z_.resize(n_ + l);
  if (!matrix_.factorize()) return false;
  // σ from Φ_q u = Eσ − Φ̇(v*): the rows that the change has to meet, what it normalises apart
  z_.setZero();
  J.add_product(velocity_.u, z_.tail(l));
  z_.tail(l - m_).setZero();
  // Φ̇(v*) = Φ̇(v) − Φ_q u
  if (rule_.projection_softness > 0) z_.segment(n_, m_) -= system_.Phi_dot();
  matrix_.solve(out(z_));
  velocity_.multipliers = z_.segment(n_, m_);
  acceleration_.multipliers = read(after.lambda) - read(before.lambda);
  return !anew_ || anew_->linearize(after, 0, 0, nullptr);
}

/// M u + Φ_qᵀσ by q and the parameters.
void FinishPartials::parameters_of(Problem& problem, const DesignJacobian& design) {
  system_.linearize_inertia(in(problem.u), in(problem.multipliers));
  if (problem.f_q.sparse()) {
    system_.inertia_matrix(problem.f_q.by_rows());
  } else {
    system_.inertia_matrix(problem.f_q.whole());
  }
  system_.inertia_tangents(design, problem.f_p);
}

void FinishPartials::take_parameters(const DesignJacobian& design) {
  if (!rule_.projects) return;
  system_.tangents(design, nullptr, &level_p_);
  if (anew_) anew_->take_parameters(design);
  parameters_of(velocity_, design);
  if (!anew_) parameters_of(acceleration_, design);
}

/// x: derivatives of what is projected, then of its projection. The rows of the right side have minus
/// the derivatives of the rows at fixed x, then those of the multipliers.
void FinishPartials::solve_tangent(const Problem& problem, MatX& x) {
  auto equations = right_.topRows(n_);
  equations = -problem.f_p;
  M_->add_product(x, equations);
  problem.f_q.add_product(dq_, equations, -1);
  matrix_.solve(right_);
  x = right_.topRows(n_);
}

void FinishPartials::tangent(StateTangent& x) {
  if (!rule_.projects) return normalise_tangent(x);
  const auto& J = rows_.J;
  dq_ = x.q;
  right_.resize(n_ + rows_.rows(), x.q.cols());
  auto level = right_.bottomRows(rows_.rows());
  level.setZero();
  J.Phidot_q.add_product(x.q, level, -1);
  level.topRows(m_) -= level_p_.Phi_dot;
  solve_tangent(velocity_, x.v);
  if (anew_) return anew_->tangent_at(x);
  level.setZero();
  J.Phiddot_q.add_product(x.q, level, -1);
  J.Phiddot_v.add_product(x.v, level, -1);
  level.topRows(m_) -= level_p_.Phi_ddot;
  solve_tangent(acceleration_, x.a);
  x.lambda += level.topRows(m_);
}

/// Backwards through one projection [ST-7]: x̄ of the projected, then of what is projected; z_ ends with the
/// cotangents of the rows, whose own derivatives are left to adjoint().
void FinishPartials::pull(const Problem& problem, VecX& x_bar,
                          std::span<const double> multipliers_bar, VecX& q_bar,
                          std::span<double> p) {
  z_.head(n_) = x_bar;
  z_.tail(rows_.rows()).setZero();
  for (std::size_t i = 0; i < multipliers_bar.size(); ++i) {
    z_(n_ + static_cast<Eigen::Index>(i)) = multipliers_bar[i];
  }
  matrix_.solve(out(z_));  // symmetric
  x_bar.setZero();
  M_->add_product(z_.head(n_), x_bar);
  for (int i = 0; i < n_; ++i) w_[static_cast<std::size_t>(i)] = -z_(i);
  system_.linearize_inertia(in(problem.u), in(problem.multipliers));
  system_.pullback_inertia(w_, {out(q_bar), out(sink_), out(sink_), p});
}

/// [ST-12] backwards: all of ā and λ̄ goes to q and v, and nothing to a* and λ*.
void FinishPartials::anew_adjoint(StateCotangent& x, std::span<double> p) {
  anew_->adjoint_at(x, p);
  x.a.setZero();
  x.lambda.setZero();
  std::fill(phi_ddot_.begin(), phi_ddot_.end(), 0.0);
}

/// Φ̇ and Φ̈ change with the projected speed and acceleration through Φ_q, which the matrix has, with
/// the place and the speed by their Jacobians, and with the parameters in one sweep for both.
void FinishPartials::adjoint(StateCotangent& x, std::span<double> p) {
  if (!rule_.projects) return normalise_adjoint(x);
  const auto& J = rows_.J;
  const auto nu = z_.tail(rows_.rows());
  if (anew_) {
    anew_adjoint(x, p);
  } else {
    pull(acceleration_, x.a, in(x.lambda), x.q, p);
    J.Phiddot_q.add_transposed(0, nu, x.q, -1);
    J.Phiddot_v.add_transposed(0, nu, x.v, -1);
    for (int i = 0; i < m_; ++i) phi_ddot_[static_cast<std::size_t>(i)] = -nu(i);
  }
  pull(velocity_, x.v, {}, x.q, p);
  J.Phidot_q.add_transposed(0, nu, x.q, -1);
  for (int i = 0; i < m_; ++i) phi_dot_[static_cast<std::size_t>(i)] = -nu(i);
  system_.pullback({}, {{}, phi_dot_, phi_ddot_}, {{}, {}, {}, p});
}

void FinishPartials::normalise_tangent(StateTangent& x) const {
  for (const int first : system_.euler_sets()) {
    const Vec<double, 4> p = read(after_.q).segment<4>(first),
                         v0 = read(before_.v).segment<4>(first),
                         a0 = read(before_.a).segment<4>(first),
                         v = read(after_.v).segment<4>(first);
    const double n = p.squaredNorm(), s_v = p.dot(v0), s_a = p.dot(a0) + v.squaredNorm();
    for (Eigen::Index j = 0; j < x.q.cols(); ++j) {
      const Vec<double, 4> dp = x.q.col(j).segment<4>(first);
      auto dv = x.v.col(j).segment<4>(first), da = x.a.col(j).segment<4>(first);
      const double n_dot = 2 * p.dot(dp);
      dv -= dp * (s_v / n) + p * ((dp.dot(v0) + p.dot(dv)) / n - s_v * n_dot / (n * n));
      const double s_dot = dp.dot(a0) + p.dot(da) + 2 * v.dot(dv);
      da -= dp * (s_a / n) + p * (s_dot / n - s_a * n_dot / (n * n));
    }
  }
}

void FinishPartials::normalise_adjoint(StateCotangent& x) const {
  for (const int first : system_.euler_sets()) {
    const Vec<double, 4> p = read(after_.q).segment<4>(first),
                         v0 = read(before_.v).segment<4>(first),
                         a0 = read(before_.a).segment<4>(first),
                         v = read(after_.v).segment<4>(first);
    const double n = p.squaredNorm(), s_v = p.dot(v0), s_a = p.dot(a0) + v.squaredNorm();
    auto q_bar = x.q.segment<4>(first), v_bar = x.v.segment<4>(first),
         a_bar = x.a.segment<4>(first);
    const double c_a = p.dot(a_bar);
    q_bar -= a_bar * (s_a / n) + a0 * (c_a / n) - p * (2 * s_a * c_a / (n * n));
    v_bar -= v * (2 * c_a / n);
    a_bar -= p * (c_a / n);
    const double c_v = p.dot(v_bar);
    q_bar -= v_bar * (s_v / n) + v0 * (c_v / n) - p * (2 * s_v * c_v / (n * n));
    v_bar -= p * (c_v / n);
  }
}

}  // namespace kinegrad

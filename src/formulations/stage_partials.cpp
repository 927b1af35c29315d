#include "kinegrad/formulations/stage_partials.hpp"

#include <algorithm>

#include "kinegrad/math/row_span.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

StagePartials::StagePartials(SystemPartials& system, const StageRule& rule)
    : system_(system),
      rule_(rule),
      n_(system.nq()),
      m_(system.rows()),
      rows_(system),
      lifted_(system),
      q_bar_(n_),
      v_bar_(n_),
      w_(static_cast<std::size_t>(n_)),
      phi_(static_cast<std::size_t>(system.holonomic())),
      phi_dot_(static_cast<std::size_t>(m_)),
      phi_ddot_(static_cast<std::size_t>(m_)),
      a_bar_(static_cast<std::size_t>(n_)) {
  matrix_.set_euler_sets(system.euler_sets());
  matrix_.set_regularisation(rule.regularisation());
  const std::optional<SystemPattern> pattern = stage_pattern(system, rule);
  if (!pattern) return;
  f_a_.set_pattern(pattern->mass);
  for (PatternMatrix* f : {&f_q_, &f_v_}) f->set_pattern(pattern->equations);
  for (PatternMatrix* L : {&L_q_, &L_v_, &L_}) L->set_pattern(pattern->rows);
  rows_.set_pattern(pattern->rows);
  matrix_.set_pattern(*pattern);
}

/// The equation of a row [ST-1].
StageLevel StagePartials::level_of(int row) const {
  if (independent_) return {0, 0, 1, 0};
  const bool implicit = c_q_ != 0;
  if (row >= m_) {
    const bool placed = implicit && !rule_.normalises_accelerations;
    return placed ? Level{1 / c_q_, 0, 0, 0} : Level{0, 0, 1, 0};
  }
  const bool holonomic = row < system_.holonomic();
  if (implicit && rule_.position_level) {
    return holonomic ? Level{1 / c_q_, 0, 0, 0} : Level{0, 1 / c_v_, 0, 0};
  }
  const auto factors = rule_.stabilisation.factors(holonomic);
  return {factors.phi, factors.phi_dot, 1, rule_.softness};
}

bool StagePartials::linearize(const StagePoint& x, double c_q, double c_v,
                              const CoordinateSelection* selection) {
  x_ = x;
  c_q_ = c_q;
  c_v_ = c_v;
  independent_ = rule_.independent && selection;
  if (independent_) selection_ = *selection;
  system_.linearize(x.t, x.q, x.v, x.a, x.lambda);
  if (f_q_.sparse()) {
    system_.matrices(f_q_.by_rows(), f_v_.by_rows(), f_a_.by_rows());
  } else {
    system_.matrices(f_q_.whole(), f_v_.whole(), f_a_.whole());
  }
  if (system_.reads_reactions()) {
    M_.whole() = f_a_.whole();
    // a capture of this alone: a function of it allocates nothing
    system_.add_reactive_masses([this](int i, int j, double f) { M_.whole()(i, j) -= f; });
  }
  // constraints at position level ask for their Jacobian alone
  const bool places =
      !independent_ && c_q_ != 0 && rule_.position_level && system_.holonomic() == m_;
  rows_.take(system_, x, places ? RowLevels::kPlaces : RowLevels::kAll);
  for (const int first : system_.euler_sets()) {
    for (int c = first; c < first + 4; ++c) f_q_.add(c, c, eta_of(first));
  }
  if (!independent_) return assemble();
  return expand() && assemble_independent();
}

bool StagePartials::assemble() {
  const int l = rows_.rows();
  const auto& J = rows_.J;
  levels_.resize(static_cast<std::size_t>(l));
  only_places_ = true;
  for (PatternMatrix* L : {&L_q_, &L_v_, &L_}) L->resize(l, n_);
  matrix_.resize(n_, l);
  matrix_.add(StageBlock::kMass, f_a_);
  matrix_.add(StageBlock::kEquations, f_v_, c_v_);
  matrix_.add(StageBlock::kEquations, f_q_, c_q_);
  for (int i = 0; i < l; ++i) {
    const Level level = levels_[static_cast<std::size_t>(i)] = level_of(i);
    only_places_ = only_places_ && level.of_place();
    if (level.of_place()) {
      L_q_.entries(i) = level.phi * J.Phi_q.entries(i);
      L_v_.entries(i).setZero();
      L_.entries(i) = c_q_ * L_q_.entries(i);
      continue;
    }
    L_q_.entries(i) = level.phi * J.Phi_q.entries(i) + level.phi_dot * J.Phidot_q.entries(i) +
                      level.phi_ddot * J.Phiddot_q.entries(i);
    L_v_.entries(i) = level.phi_dot * J.Phi_q.entries(i) + level.phi_ddot * J.Phiddot_v.entries(i);
    L_.entries(i) =
        level.phi_ddot * J.Phi_q.entries(i) + c_v_ * L_v_.entries(i) + c_q_ * L_q_.entries(i);
    if (level.softness > 0) matrix_.set_softness(i, level.softness);
  }
  matrix_.add(StageBlock::kRows, L_);
  matrix_.add(StageBlock::kColumns, J.Phi_q);
  if (system_.reads_reactions()) {
    system_.add_reactive_columns(
        [this](int coordinate, int i, double x) { matrix_.at(coordinate, n_ + i) += x; });
  }
  take_remaining();
  matrix_.set_remaining(remaining_);
  z_.resize(n_ + l);
  return matrix_.factorize();
}

/// What remains of the equations, less those that Newton's method leaves to the projections [B-6].
void StagePartials::take_remaining() {
  remaining_.assign(rows_.remaining().begin(), rows_.remaining().end());
  if (!rule_.projects || c_q_ == 0 || system_.holonomic() == m_) return;
  const auto row = [&](int i, VecX& x) { rows_.J.Phi_q.add_transposed(i, one_, x); };
  dependent_.find(m_, system_.holonomic(), n_, row,
                  [&](int i) { return rows_.remaining()[static_cast<std::size_t>(i)]; });
  for (int i = system_.holonomic(); i < m_; ++i) {
    if (dependent_[i]) remaining_[static_cast<std::size_t>(i)] = 0;
  }
}

/// P and S of [ST-2]: dq = P_q dy − S_q dΦ, dv = P_v dẏ − S_v(Φ̇_q dq + dΦ̇). False where the set is
/// singular: the formulation may pass such a place, but its motion has no derivative there.
bool StagePartials::expand() {
  const CoordinateSelection& s = selection_;
  const MatX& J = rows_.J.Phi_q.whole();
  const auto solve = [&](int rank, const std::vector<int>& kept, SmallLu<double>& lu, MatX& S,
                         MatX& P) {
    lu.resize(rank);
    for (int j = 0; j < rank; ++j) {
      for (int i = 0; i < rank; ++i) {
        lu.at(i, j) =
            J(s.pivot_row[static_cast<std::size_t>(i)], s.dependent[static_cast<std::size_t>(j)]);
      }
    }
    lu.factorize(kLostPivot);
    S.setZero(n_, rank);
    P.setZero(n_, n_);
    unit_row_.resize(static_cast<std::size_t>(rank));
    for (int j = 0; j < rank; ++j) {
      std::fill(unit_row_.begin(), unit_row_.end(), 0.0);
      unit_row_[static_cast<std::size_t>(j)] = 1;
      lu.solve(unit_row_);
      for (int i = 0; i < rank; ++i) {
        S(s.dependent[static_cast<std::size_t>(i)], j) = unit_row_[static_cast<std::size_t>(i)];
      }
    }
    for (const int c : kept) {
      P(c, c) = 1;
      for (int j = 0; j < rank; ++j) {
        P.col(c) -= S.col(j) * J(s.pivot_row[static_cast<std::size_t>(j)], c);
      }
    }
    return lu.orientation() != 0;
  };
  const bool positions = solve(s.position_rank, s.integrated, position_lu_, S_q_, P_q_);
  const bool speeds = solve(static_cast<int>(s.dependent.size()), s.free, velocity_lu_, S_v_, P_v_);
  return positions && speeds;
}

bool StagePartials::assemble_independent() {
  const auto l = static_cast<int>(selection_.dependent.size());
  const auto& J = rows_.J;
  only_places_ = false;
  MatX &L = L_.whole(), &L_q = L_q_.whole(), &L_v = L_v_.whole(), &f_a = f_a_.whole();
  L_q.resize(l, n_);
  L_v.resize(l, n_);
  L.resize(l, n_);
  Jdot_.resize(l, n_);
  for (int i = 0; i < l; ++i) {
    const int row = selection_.pivot_row[static_cast<std::size_t>(i)];
    L_q.row(i) = J.Phiddot_q.whole().row(row);
    L_v.row(i) = J.Phiddot_v.whole().row(row);
    Jdot_.row(i) = J.Phidot_q.whole().row(row);
    L.row(i) = J.Phi_q.whole().row(row);
  }
  matrix_.resize(n_, l, false);  // pivots are independent
  for (int i = 0; i < l; ++i) {
    for (int j = 0; j < n_; ++j) matrix_.at(j, n_ + i) = L(i, j);
  }
  if (system_.reads_reactions()) {
    system_.add_reactive_columns([this](int coordinate, int row, double x) {
      const std::vector<int>& pivots = selection_.pivot_row;
      const auto at = std::find(pivots.begin(), pivots.end(), row) - pivots.begin();
      if (at < std::ssize(pivots)) matrix_.at(coordinate, n_ + static_cast<int>(at)) += x;
    });
  }
  if (c_q_ != 0) {
    q_a_.noalias() = c_q_ * P_q_;
    pivots_.resize(l);
    v_a_ = c_v_ * P_v_;
    for (int j = 0; j < n_; ++j) {
      pivots_.noalias() = Jdot_ * q_a_.col(j);
      v_a_.col(j).noalias() -= S_v_ * pivots_;
    }
    f_a.noalias() += f_v_.whole() * v_a_;
    f_a.noalias() += f_q_.whole() * q_a_;
    L.noalias() += L_v * v_a_;
    L.noalias() += L_q * q_a_;
  } else {
    q_a_.setZero(n_, n_);
    v_a_.setZero(n_, n_);
  }
  for (int j = 0; j < n_; ++j) {
    for (int i = 0; i < n_; ++i) matrix_.at(i, j) = f_a(i, j);
    for (int i = 0; i < l; ++i) matrix_.at(n_ + i, j) = L(i, j);
  }
  z_.resize(n_ + l);
  return matrix_.factorize();
}

/// φ of a row for s·ℓ.
void StagePartials::set_levels(int row, const Level& level, double s) {
  const auto k = static_cast<std::size_t>(row);
  if (row < system_.holonomic()) phi_[k] = s * level.phi;
  phi_dot_[k] = s * level.phi_dot;
  phi_ddot_[k] = s * level.phi_ddot;
}

void StagePartials::take_parameters(const DesignJacobian& design) {
  system_.tangents(design, &f_p_, &Phi_p_);
  if (independent_) return;
  level_p_.setZero(rows_.rows(), design.parameters());  // normalisations have none
  for (int i = 0; i < m_; ++i) {
    const Level& level = levels_[static_cast<std::size_t>(i)];
    auto row = level_p_.row(i);
    if (level.phi != 0 && i < system_.holonomic()) row += level.phi * Phi_p_.Phi.row(i);
    if (level.phi_dot != 0) row += level.phi_dot * Phi_p_.Phi_dot.row(i);
    if (level.phi_ddot != 0) row += level.phi_ddot * Phi_p_.Phi_ddot.row(i);
  }
}

void StagePartials::tangent(const MatX& dy, const MatX& dydot, StateTangent& x) {
  const auto k = dy.cols();
  const auto l = static_cast<Eigen::Index>(z_.size()) - n_;
  right_.resize(n_ + l, k);
  if (independent_) {
    MatX& some = L_some_;
    pivots_of(Phi_p_.Phi, some);
    dq_.noalias() = P_q_ * dy;
    dq_.noalias() -= S_q_ * some.topRows(selection_.position_rank);
    pivots_of(Phi_p_.Phi_dot, some);
    some.noalias() += Jdot_ * dq_;
    dv_.noalias() = P_v_ * dydot;
    dv_.noalias() -= S_v_ * some;
    pivots_of(Phi_p_.Phi_ddot, some);
    right_.bottomRows(l) = some;
  } else {
    dq_ = dy;
    dv_ = dydot;
    right_.bottomRows(l) = level_p_;
  }
  right_.topRows(n_) = f_p_;
  f_q_.add_product(dq_, right_.topRows(n_));
  f_v_.add_product(dv_, right_.topRows(n_));
  L_q_.add_product(dq_, right_.bottomRows(l));
  if (!only_places_) L_v_.add_product(dv_, right_.bottomRows(l));
  x.lambda.setZero(m_, k);
  x.a.resize(n_, k);
  matrix_.solve(right_);
  x.a = -right_.topRows(n_);
  for (Eigen::Index i = 0; i < l; ++i) {
    const auto row =
        independent_ ? selection_.pivot_row[static_cast<std::size_t>(i)] : static_cast<int>(i);
    if (row < m_) x.lambda.row(row) = -right_.row(n_ + i);
  }
  if (independent_) {
    x.q.noalias() = q_a_ * x.a;
    x.v.noalias() = v_a_ * x.a;
  } else {
    x.q = c_q_ * x.a;
    x.v = c_v_ * x.a;
  }
  x.q += dq_;
  x.v += dv_;
}

void StagePartials::adjoint(StateCotangent& x, const IntegratedCotangent& integrated,
                            std::span<double> y, std::span<double> ydot, std::span<double> p) {
  x.q += integrated.y;
  x.v += integrated.ydot;
  x.a += integrated.yddot;
  adjoint(x, y, ydot, p);
}

void StagePartials::tangent_at(StateTangent& x) {
  const MatX dq = x.q, dv = x.v;
  tangent(dq, dv, x);
}

void StagePartials::adjoint_at(StateCotangent& x, std::span<double> p) {
  VecX q = VecX::Zero(n_), v = q;
  adjoint(x, out(q), out(v), p);
  x.q = q;
  x.v = v;
}

void StagePartials::adjoint(const StateCotangent& x, std::span<double> y, std::span<double> ydot,
                            std::span<double> p) {
  independent_ ? adjoint_independent(x, y, ydot, p) : adjoint_full(x, y, ydot, p);
}

void StagePartials::adjoint_full(const StateCotangent& x, std::span<double> y,
                                 std::span<double> ydot, std::span<double> p) {
  const int l = rows_.rows();
  z_.head(n_) = x.a + c_v_ * x.v + c_q_ * x.q;
  z_.segment(n_, m_) = x.lambda;
  z_.tail(l - m_).setZero();
  matrix_.solve_transposed(out(z_));
  write(y) += x.q;
  write(ydot) += x.v;
  for (int i = 0; i < n_; ++i) w_[static_cast<std::size_t>(i)] = -z_(i);
  for (int i = 0; i < m_; ++i) set_levels(i, levels_[static_cast<std::size_t>(i)], -z_(n_ + i));
  system_.pullback(w_, {phi_, phi_dot_, phi_ddot_}, {y, ydot, a_bar_, p});
  const EulerSets sets = system_.euler_sets();
  for (std::size_t e = 0; e < sets.size(); ++e) {
    const int row = m_ + static_cast<int>(e);
    const double eta = eta_of(sets[e]);
    for (int c = sets[e]; c < sets[e] + 4; ++c) {
      y[static_cast<std::size_t>(c)] -= L_q_(row, c) * z_(n_ + row) + eta * z_(c);
      ydot[static_cast<std::size_t>(c)] -= L_v_(row, c) * z_(n_ + row);
    }
  }
}

void StagePartials::adjoint_independent(const StateCotangent& x, std::span<double> y,
                                        std::span<double> ydot, std::span<double> p) {
  const auto l = static_cast<int>(selection_.dependent.size());
  const auto pivot = [&](int i) { return selection_.pivot_row[static_cast<std::size_t>(i)]; };
  z_.head(n_) = x.a;
  z_.head(n_).noalias() += q_a_.transpose() * x.q;
  z_.head(n_).noalias() += v_a_.transpose() * x.v;
  for (int i = 0; i < l; ++i) z_(n_ + i) = pivot(i) < m_ ? x.lambda(pivot(i)) : 0.0;
  matrix_.solve_transposed(out(z_));
  const auto mu = z_.head(n_), nu = z_.tail(l);
  v_bar_ = x.v;
  v_bar_.noalias() -= f_v_.whole().transpose() * mu;
  v_bar_.noalias() -= L_v_.whole().transpose() * nu;
  q_bar_ = x.q;
  q_bar_.noalias() -= f_q_.whole().transpose() * mu;
  q_bar_.noalias() -= L_q_.whole().transpose() * nu;
  s_v_.resize(l);
  s_v_.noalias() = S_v_.transpose() * v_bar_;
  q_bar_.noalias() -= Jdot_.transpose() * s_v_;
  s_q_.resize(selection_.position_rank);
  s_q_.noalias() = S_q_.transpose() * q_bar_;
  write(ydot).noalias() += P_v_.transpose() * v_bar_;
  write(y).noalias() += P_q_.transpose() * q_bar_;
  for (int i = 0; i < n_; ++i) w_[static_cast<std::size_t>(i)] = -z_(i);
  for (auto* level : {&phi_, &phi_dot_, &phi_ddot_}) std::fill(level->begin(), level->end(), 0.0);
  for (int i = 0; i < l; ++i) {
    if (pivot(i) >= m_) continue;
    const auto k = static_cast<std::size_t>(pivot(i));
    if (i < selection_.position_rank) phi_[k] = -s_q_(i);
    phi_dot_[k] = -s_v_(i);
    phi_ddot_[k] = -nu(i);
  }
  system_.pullback(w_, {phi_, phi_dot_, phi_ddot_}, {{}, {}, {}, p});
}

void StagePartials::linearize_lift(const StagePoint& x) {
  if (!independent_) return;
  system_.linearize_motion(x.t, x.q, x.v, x.a);
  lifted_.take(system_, x);
}

void StagePartials::take_lift_parameters(const DesignJacobian& design) {
  if (independent_) system_.tangents(design, nullptr, &lift_p_);
}

/// dw = P_v dw_F − S_v(Φ̈_q dq + Φ̈_v dv + dΦ̈).
void StagePartials::lift_tangent(const StateTangent& x, const MatX& dw_integrated, MatX& dw) {
  if (!independent_) {
    dw = dw_integrated;
    return;
  }
  lift_right_.noalias() = lifted_.J.Phiddot_q.whole() * x.q;
  lift_right_.noalias() += lifted_.J.Phiddot_v.whole() * x.v;
  lift_right_.topRows(m_) += lift_p_.Phi_ddot;
  pivots_of(lift_right_, L_some_);
  dw.noalias() = P_v_ * dw_integrated;
  dw.noalias() -= S_v_ * L_some_;
}

void StagePartials::lift_adjoint(StateCotangent& x, const VecX& w, VecX& w_integrated,
                                 std::span<double> p) {
  if (!independent_) {
    w_integrated = w;
    return;
  }
  s_v_.noalias() = S_v_.transpose() * w;
  std::fill(phi_ddot_.begin(), phi_ddot_.end(), 0.0);
  for (std::size_t i = 0; i < selection_.pivot_row.size(); ++i) {
    const int row = selection_.pivot_row[i];
    const double s = s_v_(static_cast<Eigen::Index>(i));
    x.q -= s * lifted_.J.Phiddot_q.whole().row(row).transpose();
    x.v -= s * lifted_.J.Phiddot_v.whole().row(row).transpose();
    if (row < m_) phi_ddot_[static_cast<std::size_t>(row)] = -s;
  }
  system_.pullback({}, {{}, {}, phi_ddot_}, {{}, {}, {}, p});
  w_integrated.noalias() = P_v_.transpose() * w;
  system_.linearize(x_.t, x_.q, x_.v, x_.a, x_.lambda);  // back to the stage
}

}  // namespace kinegrad

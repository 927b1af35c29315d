#include "kinegrad/simulation/start_partials.hpp"

#include <algorithm>

#include "kinegrad/math/views.hpp"
#include "simulation/rest_linearization.hpp"

namespace kinegrad {

JointStartPartials::JointStartPartials(const Model& model, std::unique_ptr<SystemPartials> system,
                                       std::span<const double> p, std::size_t parameters)
    : model_(model),
      owner_(std::move(system)),
      system_(*owner_),
      p_(p),
      rows_(system_),
      state_(state_coordinates(model)),
      zero_(VecX::Zero(system_.nq())),
      p_bar_(std::max(static_cast<std::size_t>(system_.physical()), parameters)) {}

JointStartPartials::~JointStartPartials() = default;

/// Where a problem is linearised, and the scales of its equations.
void JointStartPartials::choose(Problem& problem, const VecX& q, const VecX& v,
                                const std::vector<double>& scales) {
  problem.q = q;
  problem.v = v;
  problem.inverse_scale.resize(static_cast<Eigen::Index>(problem.rows.size()));
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    problem.inverse_scale(static_cast<Eigen::Index>(i)) =
        1 / scales[static_cast<std::size_t>(problem.rows[i])];
  }
}

/// The rows of one level: constraints, normalisations, targets.
bool JointStartPartials::take(Problem& problem, Level level) {
  at(problem);
  rows_.take(system_, {0, in(problem.q), in(problem.v), in(zero_), {}});
  if (!model_.initial_targets().empty()) system_.target_jacobians(targets_);
  const int n = system_.nq(), first_target = rows_.rows();
  const auto l = static_cast<Eigen::Index>(problem.rows.size());
  problem.J.resize(l, n);
  problem.by_q.setZero(l, n);
  for (Eigen::Index i = 0; i < l; ++i) {
    const int row = problem.rows[static_cast<std::size_t>(i)];
    if (row < first_target) {
      problem.J.row(i) = rows_.J.Phi_q.whole().row(row);
      if (level == Level::kVelocity) problem.by_q.row(i) = rows_.J.Phidot_q.whole().row(row);
    } else {
      const auto& target = model_.initial_targets()[static_cast<std::size_t>(row - first_target)];
      problem.J.row(i) = targets_.Phi_q.row(target.row);
      if (level == Level::kVelocity) problem.by_q.row(i) = targets_.Phidot_q.row(target.row);
    }
  }
  if (problem.is_nearest()) return take_nearest(problem, level);
  MatX part(l, static_cast<Eigen::Index>(problem.columns.size()));
  for (std::size_t j = 0; j < problem.columns.size(); ++j) {
    part.col(static_cast<Eigen::Index>(j)) = problem.J.col(problem.columns[j]);
  }
  problem.solver = PartSolver(problem.inverse_scale.asDiagonal() * part,
                              size_of_whole(problem.inverse_scale.asDiagonal() * problem.J));
  return true;
}

/// The matrix of [KP-9].
bool JointStartPartials::take_nearest(Problem& problem, Level level) {
  const auto n = static_cast<Eigen::Index>(problem.columns.size()), l = problem.J.rows();
  problem.K.resize(n, system_.nq());
  MatX A = MatX::Zero(n + l, n + l);
  for (Eigen::Index j = 0; j < n; ++j) {
    const int column = problem.columns[static_cast<std::size_t>(j)];
    VecX row = zero_;
    pull_forces(problem, VecX::Unit(system_.nq(), column), row, p_bar_);
    problem.K.row(j) = row.transpose();
    A(j, j) = 1;
    A.block(n, j, l, 1) = problem.inverse_scale.asDiagonal() * problem.J.col(column);
    A.block(j, n, 1, l) = A.block(n, j, l, 1).transpose();
  }
  if (level == Level::kPosition) {
    for (Eigen::Index j = 0; j < n; ++j) {
      A.block(0, j, n, 1) += problem.K.col(problem.columns[static_cast<std::size_t>(j)]);
    }
  }
  problem.nearest.compute(A);
  constexpr double kSingular = 1e-14;  // a place as near as others beside it
  return problem.nearest.rcond() > kSingular;
}

void JointStartPartials::at(const Problem& problem) {
  system_.linearize_motion(0, in(problem.q), in(problem.v), in(zero_));
}

bool JointStartPartials::linearize(const StepState<double>& x0, const StartSets& sets, bool rests) {
  rests_ = rests;
  record_ = sets.rest;
  position_.columns = sets.position_columns;
  position_.rows = sets.position_rows;
  velocity_.columns = sets.velocity_columns;
  velocity_.rows = sets.velocity_rows;
  position_.multipliers = read(sets.position_multipliers);
  velocity_.multipliers = read(sets.velocity_multipliers);
  choose(position_, rests ? record_.assembled : x0.q, rests ? zero_ : x0.v, sets.scales);
  choose(velocity_, x0.q, x0.v, sets.speed_scales);
  if ((!rests || holds_coordinates()) && (!sets.nearest || !take(position_, Level::kPosition))) {
    return false;
  }
  if ((!rests || record_.released) && !take(velocity_, Level::kVelocity)) return false;
  return !rests || linearize_rest(x0, sets);
}

/// Ψ_ρ or Ψ̇_ρ of the problem's rows.
void JointStartPartials::parameter_rows(const Problem& problem, Level level,
                                        const DesignJacobian& design, MatX& result) {
  const auto l = static_cast<int>(problem.rows.size());
  result.resize(l, design.parameters());
  VecX unit = VecX::Zero(l);
  const auto one = [&](int i, std::span<double> p_bar) {
    unit(i) = 1;
    VecX sink = zero_;
    pull_rows(problem, level, unit, sink, p_bar);
    unit(i) = 0;
  };
  design.pull_rows(l, p_bar_, one, result);
}

/// (Jᵀμ)_ρ in the problem's columns.
void JointStartPartials::parameter_forces(const Problem& problem, const DesignJacobian& design,
                                          MatX& result) {
  const auto n = static_cast<int>(problem.columns.size());
  result.resize(n, design.parameters());
  const auto one = [&](int i, std::span<double> p_bar) {
    VecX sink = zero_;
    pull_forces(problem, VecX::Unit(system_.nq(), problem.columns[static_cast<std::size_t>(i)]),
                sink, p_bar);
  };
  design.pull_rows(n, p_bar_, one, result);
}

/// q̄ and p̄ of w·Jᵀμ, which is what μ·Ψ̇ at the speeds w has more than at rest.
void JointStartPartials::pull_forces(const Problem& problem, const VecX& w, VecX& q,
                                     std::span<double> p) {
  system_.linearize_motion(0, in(problem.q), in(w), in(zero_));
  pull_rows(problem, Level::kVelocity, problem.multipliers, q, p);
  system_.linearize_motion(0, in(problem.q), in(zero_), in(zero_));
  pull_rows(problem, Level::kVelocity, -problem.multipliers, q, p);
  const EulerSets sets = system_.euler_sets();
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const int e = problem.rows[i] - system_.rows();
    if (e < 0 || problem.rows[i] >= rows_.rows()) continue;
    const int first = sets[static_cast<std::size_t>(e)];
    q.segment(first, 4) += problem.multipliers(static_cast<Eigen::Index>(i)) * w.segment(first, 4);
  }
  at(problem);
}

/// p̄ += Ψ_pᵀ s, and q̄ likewise, of which normalisations are not part.
void JointStartPartials::pull_rows(const Problem& problem, Level level, const VecX& s, VecX& q,
                                   std::span<double> p) {
  const int m = system_.rows(), first_target = rows_.rows();
  VecX rows = VecX::Zero(m),
       places = VecX::Zero(static_cast<Eigen::Index>(model_.initial_rows().size()));
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const int row = problem.rows[i];
    const double value = s(static_cast<Eigen::Index>(i));
    if (row < m) rows(row) += value;
    if (row < first_target) continue;
    const auto& target = model_.initial_targets()[static_cast<std::size_t>(row - first_target)];
    places(target.row) += value;
    const bool compared = target.rate == (level == Level::kVelocity);
    if (compared) p[static_cast<std::size_t>(target.value)] -= value;
  }
  VecX v = zero_, a = zero_;
  const auto levels = [&](const VecX& x) {
    return level == Level::kPosition ? LevelCotangent{in(x), {}, {}}
                                     : LevelCotangent{{}, in(x), {}};
  };
  const VecX holonomic = rows.head(level == Level::kPosition ? system_.holonomic() : m);
  system_.pullback({}, levels(holonomic), {out(q), out(v), out(a), p});
  if (places.size() > 0) system_.pullback_targets(levels(places), {out(q), out(v), out(a), p});
}

void JointStartPartials::tangent(const DesignJacobian& design, StateTangent& x) {
  x.resize(system_.nq(), system_.rows(), design.parameters());
  if (rests_) return rest_tangent(design, x);
  position_tangent(design, x.q);
  for (int i = 0; i < system_.nq(); ++i) design.add_row(model_.initial_v() + i, 1, x.v.row(i));
  velocity_tangent(design, x.q, x.v);
}

/// dq of the assembled start.
void JointStartPartials::position_tangent(const DesignJacobian& design, MatX& dq) {
  dq.setZero(system_.nq(), design.parameters());
  for (int i = 0; i < system_.nq(); ++i) design.add_row(model_.initial_q() + i, 1, dq.row(i));
  at(position_);
  MatX top, right;
  parameter_rows(position_, Level::kPosition, design, right);
  right.noalias() += position_.J * dq;
  if (position_.is_nearest()) {
    parameter_forces(position_, design, top);
    top.noalias() += position_.K * dq;
  }
  correct(position_, top, right, dq);
}

/// dv from those of the file, at a configuration that changes by dq.
void JointStartPartials::velocity_tangent(const DesignJacobian& design, const MatX& dq, MatX& dv) {
  at(velocity_);
  MatX top, right;
  parameter_rows(velocity_, Level::kVelocity, design, right);
  right.noalias() += velocity_.J * dv;
  right.noalias() += velocity_.by_q * dq;
  if (velocity_.is_nearest()) {
    parameter_forces(velocity_, design, top);
    top.noalias() += velocity_.K * dq;
  }
  correct(velocity_, top, right, dv);
}

/// [KP-5] or, with what is above the rows, [KP-9].
void JointStartPartials::correct(const Problem& problem, const MatX& top, const MatX& right,
                                 MatX& dx) const {
  if (problem.rows.empty() || problem.columns.empty()) return;
  MatX change;
  if (problem.is_nearest()) {
    MatX whole(top.rows() + right.rows(), right.cols());
    whole << top, problem.inverse_scale.asDiagonal() * right;
    change = problem.nearest.solve(whole);
  } else {
    change = problem.solver.solve(problem.inverse_scale.asDiagonal() * right);
  }
  for (std::size_t j = 0; j < problem.columns.size(); ++j) {
    dx.row(problem.columns[j]) -= change.row(static_cast<Eigen::Index>(j));
  }
}

/// −J⁺ᵀ x̄ of the changed coordinates, or likewise with the matrix of [KP-9].
JointStartPartials::Solved JointStartPartials::solve_transposed(const Problem& problem,
                                                                const VecX& x_bar) const {
  const auto l = static_cast<Eigen::Index>(problem.rows.size()),
             n = static_cast<Eigen::Index>(problem.columns.size());
  if (l == 0 || n == 0) return {{}, VecX::Zero(l)};
  VecX part(n);
  for (std::size_t j = 0; j < problem.columns.size(); ++j) {
    part(static_cast<Eigen::Index>(j)) = -x_bar(problem.columns[j]);
  }
  const auto& of_scaled = problem.inverse_scale.array();
  if (!problem.is_nearest()) {
    return {{}, of_scaled * problem.solver.solve_transposed(part).col(0).array()};
  }
  VecX whole = VecX::Zero(n + l);
  whole.head(n) = part;
  const VecX z = problem.nearest.transpose().solve(whole);
  Solved solved{zero_, of_scaled * z.tail(l).array()};
  for (std::size_t j = 0; j < problem.columns.size(); ++j) {
    solved.w(problem.columns[j]) = z(static_cast<Eigen::Index>(j));
  }
  return solved;
}

void JointStartPartials::adjoint(const StateCotangent& x, std::span<double> p) {
  if (rests_) return rest_adjoint(x, p);
  VecX q = x.q, v = x.v;
  velocity_adjoint(q, v, p);
  for (int i = 0; i < system_.nq(); ++i) {
    p[static_cast<std::size_t>(model_.initial_v() + i)] += v(i);
  }
  position_adjoint(q, p);
}

/// From cotangents of q and v to those of q and the speeds of the file.
void JointStartPartials::velocity_adjoint(VecX& q, VecX& v, std::span<double> p) {
  at(velocity_);
  VecX sink = zero_;
  const Solved of_v = solve_transposed(velocity_, v);
  if (of_v.s.size() > 0) {
    v.noalias() += velocity_.J.transpose() * of_v.s;
    q.noalias() += velocity_.by_q.transpose() * of_v.s;
    pull_rows(velocity_, Level::kVelocity, of_v.s, sink, p);
  }
  if (velocity_.is_nearest()) pull_forces(velocity_, of_v.w, q, p);
}

/// From a cotangent of the assembled configuration to p.
void JointStartPartials::position_adjoint(VecX& q, std::span<double> p) {
  at(position_);
  VecX sink = zero_;
  const Solved of_q = solve_transposed(position_, q);
  if (of_q.s.size() > 0) {
    q.noalias() += position_.J.transpose() * of_q.s;
    pull_rows(position_, Level::kPosition, of_q.s, sink, p);
  }
  if (position_.is_nearest()) pull_forces(position_, of_q.w, q, p);
  for (int i = 0; i < system_.nq(); ++i) {
    p[static_cast<std::size_t>(model_.initial_q() + i)] += q(i);
  }
}

}  // namespace kinegrad

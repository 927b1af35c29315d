#include "kinegrad/formulations/named_stage_partials.hpp"

#include <algorithm>

#include "kinegrad/formulations/named_motion.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

NamedStagePartials::NamedStagePartials(SystemPartials& system,
                                       std::span<const IndependentCoordinate> named)
    : system_(system),
      named_(named),
      n_(system.nq()),
      d_(static_cast<int>(named.size())),
      m_(system.rows() - named_rows(named)),
      l_(n_ - d_),
      rows_(system),
      lifted_(system),
      R_(n_, d_),
      q_y_(n_, d_),
      v_y_(n_, d_),
      a_y_(n_, d_),
      N_(n_, d_),
      work_(n_, d_),
      y_bar_(d_) {
  for (VecX* x : {&mu_, &q_bar_, &v_bar_, &of_places_, &of_speeds_, &of_accelerations_}) {
    x->setZero(n_);
  }
  w_.resize(static_cast<std::size_t>(n_));
  for (auto* x : {&lambda_, &phi_, &phi_dot_, &phi_ddot_}) {
    x->resize(static_cast<std::size_t>(system.rows()), 0.0);
  }
}

/// The rows of the named ones carry nothing.
void NamedStagePartials::take_system() {
  std::copy(x_.lambda.begin(), x_.lambda.end(), lambda_.begin());
  system_.linearize(x_.t, x_.q, x_.v, x_.a, lambda_);
}

/// Pivots that are normalisations come after the rows of the named ones here.
void NamedStagePartials::stack(const CoordinateSelection& selection) {
  pivot_row_ = selection.pivot_row;
  for (StackedRows* K : {&K_, &lifted_K_}) {
    K->clear();
    for (const int row : pivot_row_) K->add_row(row < m_ ? row : row + system_.rows() - m_);
    K->add_named(named_, m_);
  }
}

bool NamedStagePartials::linearize(const StagePoint& x, double c_q, double c_v,
                                   const CoordinateSelection* selection) {
  x_ = x;
  c_q_ = c_q;
  c_v_ = c_v;
  take_system();
  system_.matrices(f_q_.whole(), f_v_.whole(), f_a_.whole());
  for (const int first : system_.euler_sets()) {
    const double eta = normalisation_force(system_, x.q, first);
    for (int c = first; c < first + 4; ++c) f_q_.add(c, c, eta);
  }
  rows_.take(system_, x);
  stack(*selection);
  if (static_cast<int>(pivot_row_.size()) != l_) return false;
  K_.take(rows_);
  return factorize();
}

bool NamedStagePartials::factorize() {
  G_.resize(n_);
  for (int j = 0; j < n_; ++j) {
    for (int i = 0; i < n_; ++i) G_.at(i, j) = K_.J.Phi_q(i, j);
  }
  G_.factorize(kLostPivot);
  if (G_.orientation() == 0) return false;
  take_columns();
  A_.resize(d_);
  for (int j = 0; j < d_; ++j) {
    for (int i = 0; i < d_; ++i) A_.at(i, j) = R_.col(i).dot(N_.col(j));
  }
  return A_.factorize();
}

/// R, the state along ÿ, and N.
void NamedStagePartials::take_columns() {
  R_.setZero();
  R_.bottomRows(d_).setIdentity();
  solve(R_);
  a_y_ = R_;
  N_.noalias() = f_a_.whole() * R_;
  q_y_ = c_q_ * R_;
  v_y_ = c_v_ * R_;
  if (c_q_ == 0 && c_v_ == 0) return;
  work_.noalias() = K_.J.Phidot_q * q_y_;
  solve(work_);
  v_y_ -= work_;
  work_.noalias() = K_.J.Phiddot_q * q_y_;
  work_.noalias() += K_.J.Phiddot_v * v_y_;
  solve(work_);
  a_y_ -= work_;
  N_.noalias() -= f_a_.whole() * work_;
  N_.noalias() += f_v_.whole() * v_y_;
  N_.noalias() += f_q_.whole() * q_y_;
}

void NamedStagePartials::solve(MatX& X) const {
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    G_.solve({X.col(j).data(), static_cast<std::size_t>(n_)});
  }
}

void NamedStagePartials::take_parameters(const DesignJacobian& design) {
  system_.tangents(design, &f_p_, &levels_);
  K_.take_parameters(levels_);
}

void NamedStagePartials::tangent(const MatX& dy, const MatX& dydot, StateTangent& x) {
  dq_ = -K_.p.Phi;
  dq_.bottomRows(d_) += dy;
  solve(dq_);
  dv_ = -K_.p.Phi_dot;
  dv_.noalias() -= K_.J.Phidot_q * dq_;
  dv_.bottomRows(d_) += dydot;
  solve(dv_);
  solve_accelerations(x);
  x.q = dq_;
  x.q.noalias() += q_y_ * yddot_;
  x.v = dv_;
  x.v.noalias() += v_y_ * yddot_;
  ydot_ = dydot + c_v_ * yddot_;
}

void NamedStagePartials::tangent_at(StateTangent& x) {
  dq_ = x.q;
  dv_ = x.v;
  solve_accelerations(x);
}

/// [ST-9] with dq_ and dv_ at fixed ÿ: da and dλ.
void NamedStagePartials::solve_accelerations(StateTangent& x) {
  da_ = -K_.p.Phi_ddot;
  da_.noalias() -= K_.J.Phiddot_q * dq_;
  da_.noalias() -= K_.J.Phiddot_v * dv_;
  solve(da_);
  b_ = f_p_;
  b_.noalias() += f_q_.whole() * dq_;
  b_.noalias() += f_v_.whole() * dv_;
  b_.noalias() += f_a_.whole() * da_;
  const auto k = b_.cols();
  yddot_.resize(d_, k);
  yddot_.noalias() = R_.transpose() * b_;
  yddot_ *= -1;
  for (Eigen::Index j = 0; j < k; ++j) {
    A_.solve({yddot_.col(j).data(), static_cast<std::size_t>(d_)});
  }
  b_.noalias() += N_ * yddot_;
  x.a = da_;
  x.a.noalias() += a_y_ * yddot_;
  x.lambda.setZero(m_, k);
  for (Eigen::Index j = 0; j < k; ++j) {
    G_.solve_transposed({b_.col(j).data(), static_cast<std::size_t>(n_)});
  }
  for (int i = 0; i < l_; ++i) {
    const int row = pivot_row_[static_cast<std::size_t>(i)];
    if (row < m_) x.lambda.row(row) = -b_.row(i);
  }
}

void NamedStagePartials::adjoint(StateCotangent& x, const IntegratedCotangent& integrated,
                                 std::span<double> y, std::span<double> ydot, std::span<double> p) {
  y_bar_ = integrated.yddot + c_v_ * integrated.ydot + c_q_ * integrated.y;
  y_bar_.noalias() += q_y_.transpose() * x.q;
  y_bar_.noalias() += v_y_.transpose() * x.v;
  pull_accelerations(x);
  of_speeds_ = v_bar_;
  G_.solve_transposed(out(of_speeds_));
  q_bar_.noalias() -= K_.J.Phidot_q.transpose() * of_speeds_;
  of_places_ = q_bar_;
  G_.solve_transposed(out(of_places_));
  write(y) += integrated.y + of_places_.tail(d_);
  write(ydot) += integrated.ydot + of_speeds_.tail(d_);
  pull_parameters(p);
}

void NamedStagePartials::adjoint_at(StateCotangent& x, std::span<double> p) {
  y_bar_.setZero();
  pull_accelerations(x);
  of_places_.setZero();
  of_speeds_.setZero();
  pull_parameters(p);
  x.q = q_bar_;
  x.v = v_bar_;
}

/// [ST-10] from ā and λ̄ to q̄ and v̄ at fixed ÿ, whose cotangent y_bar_ has without them.
void NamedStagePartials::pull_accelerations(const StateCotangent& x) {
  y_bar_.noalias() += a_y_.transpose() * x.a;
  mu_.setZero();
  for (int i = 0; i < l_; ++i) {
    const int row = pivot_row_[static_cast<std::size_t>(i)];
    if (row < m_) mu_(i) = x.lambda(row);
  }
  G_.solve(out(mu_));
  y_bar_.noalias() -= N_.transpose() * mu_;
  A_.solve_transposed(out(y_bar_));
  mu_.noalias() += R_ * y_bar_;
  of_accelerations_ = x.a;
  of_accelerations_.noalias() -= f_a_.whole().transpose() * mu_;
  G_.solve_transposed(out(of_accelerations_));
  v_bar_ = x.v;
  v_bar_.noalias() -= f_v_.whole().transpose() * mu_;
  v_bar_.noalias() -= K_.J.Phiddot_v.transpose() * of_accelerations_;
  q_bar_ = x.q;
  q_bar_.noalias() -= f_q_.whole().transpose() * mu_;
  q_bar_.noalias() -= K_.J.Phiddot_q.transpose() * of_accelerations_;
}

void NamedStagePartials::pull_parameters(std::span<double> p) {
  for (int i = 0; i < n_; ++i) w_[static_cast<std::size_t>(i)] = -mu_(i);
  K_.hand_back(of_places_, -1, phi_);
  K_.hand_back(of_speeds_, -1, phi_dot_);
  K_.hand_back(of_accelerations_, -1, phi_ddot_);
  system_.pullback(w_, {phi_, phi_dot_, phi_ddot_}, {{}, {}, {}, p});
}

void NamedStagePartials::linearize_lift(const StagePoint& x) {
  system_.linearize_motion(x.t, x.q, x.v, x.a);
  lifted_.take(system_, x);
  lifted_K_.take(lifted_);
}

void NamedStagePartials::take_lift_parameters(const DesignJacobian& design) {
  system_.tangents(design, nullptr, &levels_);
  lifted_K_.take_parameters(levels_);
}

/// G dw = [0; dẅ] − K̈_q dq − K̈_v dv − K̈_p dp.
void NamedStagePartials::lift_tangent(const StateTangent& x, const MatX& dw_integrated, MatX& dw) {
  dw = -lifted_K_.p.Phi_ddot;
  dw.noalias() -= lifted_K_.J.Phiddot_q * x.q;
  dw.noalias() -= lifted_K_.J.Phiddot_v * x.v;
  dw.bottomRows(d_) += dw_integrated;
  solve(dw);
}

void NamedStagePartials::lift_adjoint(StateCotangent& x, const VecX& w, VecX& w_integrated,
                                      std::span<double> p) {
  of_accelerations_ = w;
  G_.solve_transposed(out(of_accelerations_));
  x.q.noalias() -= lifted_K_.J.Phiddot_q.transpose() * of_accelerations_;
  x.v.noalias() -= lifted_K_.J.Phiddot_v.transpose() * of_accelerations_;
  lifted_K_.hand_back(of_accelerations_, -1, phi_ddot_);
  system_.pullback({}, {{}, {}, phi_ddot_}, {{}, {}, {}, p});
  w_integrated = of_accelerations_.tail(d_);
  take_system();  // back to the stage
}

}  // namespace kinegrad

#include "kinegrad/formulations/recursive_stage.hpp"

#include <algorithm>

#include "kinegrad/base/index.hpp"
#include "kinegrad/formulations/stage_partials.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

RecursiveStage::RecursiveStage(SystemPartials& system, const StageRule& rule)
    : system_(system),
      recursion_(system.recursion()),
      rule_(rule),
      n_(system.nq()),
      m_(system.rows()),
      b_(n_),
      mu_(n_),
      nu_(m_),
      normalisation_(system.euler_sets().size(), 0.0),
      w_(index(n_)),
      phi_(index(system.holonomic())),
      phi_dot_(index(m_)),
      phi_ddot_(index(m_)),
      ignored_(index(n_)) {
  if (m_ > 0) saddle_.emplace(n_, m_);
}

double RecursiveStage::eta(int first) const { return normalisation_force(system_, x_.q, first); }

void RecursiveStage::solve_mass(const VecX& b, VecX& x) {
  recursion_->solve_mass(x_.q, in(b), normalisation_, out(x));
}

bool RecursiveStage::linearize(const StagePoint& x) {
  x_ = x;
  if (m_ == 0) {
    system_.linearize_accelerations(x.t, x.q, x.v, x.a);
    return true;
  }
  system_.linearize(x.t, x.q, x.v, x.a, x.lambda);
  recursion_->eliminate_joints(x.q);
  std::fill(normalisation_.begin(), normalisation_.end(), 0.0);
  const auto solve = [&](std::span<const double> b, std::span<double> y) {
    recursion_->solve_mass(x_.q, b, normalisation_, y);
  };
  return saddle_->factorize(recursion_->Phi_q(), solve,
                            [&](int i) { return system_.remaining(i); });
}

void RecursiveStage::adjoint(const StateCotangent& x, std::span<double> q, std::span<double> v,
                             std::span<double> p) {
  write(q) += x.q;
  write(v) += x.v;
  if (m_ > 0) return adjoint_constrained(x, q, v, p);
  system_.pullback_accelerations(in(x.a), q, v, p);
}

/// [ST-11] transposed, which is itself: M μ + P p̄_η + Jᵀν = ā, Pᵀμ = 0, J μ = λ̄.
void RecursiveStage::adjoint_constrained(const StateCotangent& x, std::span<double> q,
                                         std::span<double> v, std::span<double> p) {
  const SparseRows<double>& J = recursion_->Phi_q();
  std::fill(normalisation_.begin(), normalisation_.end(), 0.0);
  solve_mass(x.a, mu_);
  for (int i = 0; i < m_; ++i) nu_(i) = J.row_times(i, in(mu_)) - x.lambda(i);
  saddle_->solve(out(mu_), nu_);
  for (int i = 0; i < n_; ++i) w_[index(i)] = -mu_(i);
  for (int i = 0; i < m_; ++i) {
    const bool holonomic = i < system_.holonomic();
    const auto factors = rule_.stabilisation.factors(holonomic);
    if (holonomic) phi_[index(i)] = -nu_(i) * factors.phi;
    phi_dot_[index(i)] = -nu_(i) * factors.phi_dot;
    phi_ddot_[index(i)] = -nu_(i);
  }
  system_.pullback(w_, {phi_, phi_dot_, phi_ddot_}, {q, v, ignored_, p});
  pull_normalisations(x, q, v);
}

/// Euler parameters: the normalisations p̈ᵀp + ṗᵀṗ have the cotangents p̄_η = pᵀ(ā − Jᵀν)/pᵀp, because pᵀM = 0,
/// and their forces η p change with p.
void RecursiveStage::pull_normalisations(const StateCotangent& x, std::span<double> q,
                                         std::span<double> v) {
  if (sets().empty()) return;
  b_ = x.a;
  for (int i = 0; i < m_; ++i) recursion_->Phi_q().add_row(i, -nu_(i), out(b_));
  for (const int first : sets()) {
    const Vec<double, 4> e = read(x_.q).segment<4>(first);
    const double bar = e.dot(b_.segment<4>(first)) / e.squaredNorm(), force = eta(first);
    write(q).segment<4>(first) -=
        bar * read(x_.a).segment<4>(first) + force * mu_.segment<4>(first);
    write(v).segment<4>(first) -= 2 * bar * read(x_.v).segment<4>(first);
  }
}

void RecursiveStage::take_parameters(const DesignJacobian& design) {
  system_.tangents(design, &f_p_, &level_p_);
}

/// ℓ_q dq + ℓ_v dv + ℓ_p dp of an equation.
double RecursiveStage::level_change(int i, Eigen::Index k) const {
  const bool holonomic = i < system_.holonomic();
  const auto factors = rule_.stabilisation.factors(holonomic);
  double sum = level_x_.Phi_ddot(i, k) + level_p_.Phi_ddot(i, k) +
               factors.phi_dot * (level_x_.Phi_dot(i, k) + level_p_.Phi_dot(i, k));
  if (holonomic) sum += factors.phi * (level_x_.Phi(i, k) + level_p_.Phi(i, k));
  return sum;
}

/// [ST-11], a column at a time.
void RecursiveStage::tangent(StateTangent& x) {
  recursion_->state_tangents(x.q, x.v, f_x_, level_x_);
  x.a.resize(n_, x.q.cols());
  x.lambda.resize(m_, x.q.cols());
  for (Eigen::Index k = 0; k < x.q.cols(); ++k) {
    b_ = -(f_x_.col(k) + f_p_.col(k));
    for (std::size_t e = 0; e < sets().size(); ++e) {
      const int first = sets()[e];
      const Vec<double, 4> dp = x.q.col(k).segment<4>(first), dpdot = x.v.col(k).segment<4>(first);
      b_.segment<4>(first) -= eta(first) * dp;
      normalisation_[e] =
          read(x_.a).segment<4>(first).dot(dp) + 2 * read(x_.v).segment<4>(first).dot(dpdot);
    }
    solve_mass(b_, mu_);
    if (m_ > 0) {
      for (int i = 0; i < m_; ++i) {
        nu_(i) = recursion_->Phi_q().row_times(i, in(mu_)) + level_change(i, k);
      }
      saddle_->solve(out(mu_), nu_);
    }
    x.a.col(k) = mu_;
    x.lambda.col(k) = nu_;
  }
}

}  // namespace kinegrad

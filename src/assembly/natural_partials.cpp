#include "kinegrad/assembly/natural_partials.hpp"

#include <algorithm>

#include "kinegrad/assembly/natural_inertia.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/base/index.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

using Triples = Eigen::Map<Mat<double, 3, 4>>;
using ConstTriples = Eigen::Map<const Mat<double, 3, 4>>;

}  // namespace

NaturalPartials::NaturalPartials(const Model& model, RowSet rows)
    : model_(model),
      tree_(model, ReferencePoint::kCom, TriadInertia::kElsewhere, rows),
      map_(model),
      rigid_(model, map_),
      gamma_bar_(map_),
      euler_(natural_euler_sets(map_.basis(), tree_.euler_sets())),
      mu_(map_.basis().bodies.size()),
      f_(VecX::Zero(nq())),
      congruence_(nq()) {
  for (VecX* x : {&z_, &zdot_, &zddot_, &z_w_, &z_u_, &F_, &F_u_, &z_bar_, &zdot_bar_, &zddot_bar_,
                  &dz_, &dzdot_, &dzddot_, &dF_}) {
    x->setZero(model.nq());
  }
  const SystemPattern pattern = tree_.pattern();
  tree_q_ = tree_v_ = tree_u_ = pattern.equations;
  tree_a_ = pattern.mass;
  Phi_z_ = Phidot_z_ = Phiddot_z_ = Phiddot_zdot_ = pattern.rows;
  mapped_.analyse(tree_.constraints(), map_.G(), {});
  mass_entries_ = this->pattern().mass.value.size();
}

void NaturalPartials::set_parameters(std::span<const double> p) {
  p_.assign(p.begin(), p.end());
  tree_.set_parameters(p);
  map_.set_parameters(p);
  mapped_.forget();
  taken_ = 0;
  for (std::size_t b = 0; b < mu_.size(); ++b) {
    const NaturalBody& body = map_.basis().bodies[b];
    mu_[b] = natural_inertia(p, model_.bodies()[index(body.body)].mass);
  }
}

void NaturalPartials::take(std::span<const double> q, std::span<const double> v,
                           std::span<const double> a) {
  q_.assign(q.begin(), q.end());
  v_.assign(v.begin(), v.end());
  a_.assign(a.begin(), a.end());
  map_.expand(q, out(z_));
  map_.expand_rates(v, out(zdot_));
  map_.expand_rates(a, out(zddot_));
  has_matrices_ = has_jacobians_ = false;
}

/// force += μ(motion − γ).
void NaturalPartials::add_inertia(const VecX& motion, const Vec3& field, VecX& force) const {
  for (std::size_t b = 0; b < mu_.size(); ++b) {
    const int first = map_.basis().bodies[b].tree;
    Mat<double, 3, 4> x = ConstTriples(motion.data() + first);
    x.col(0) -= field;
    Triples(force.data() + first) += x * mu_[b];
  }
}

void NaturalPartials::take_levels() {
  Phi_ = tree_.Phi();
  rigid_.values(q_, Phi_);
  Phi_dot_ = tree_.Phi_dot();
  Phi_ddot_ = tree_.Phi_ddot();
  rigid_.rates(q_, v_, a_, Phi_dot_, Phi_ddot_);
}

void NaturalPartials::linearize(double t, std::span<const double> q, std::span<const double> v,
                                std::span<const double> a, std::span<const double> lambda) {
  take(q, v, a);
  lambda_.assign(lambda.begin(), lambda.end());
  tree_.linearize(t, in(z_), in(zdot_), in(zddot_), lambda);
  F_ = tree_.f();
  add_inertia(zddot_, tree_.field(), F_);
  f_.setZero();
  map_.pull(in(F_), out(f_));
  add_rigid_forces(lambda, out(f_));
  take_levels();
}

void NaturalPartials::linearize_motion(double t, std::span<const double> q,
                                       std::span<const double> v, std::span<const double> a) {
  take(q, v, a);
  tree_.linearize_motion(t, in(z_), in(zdot_), in(zddot_));
  take_levels();
}

/// f += Φ_qᵀλ of the rigid rows.
void NaturalPartials::add_rigid_forces(std::span<const double> lambda, std::span<double> f) const {
  for (const RigidRow& row : map_.basis().rows) {
    const NaturalBody& body = map_.basis().bodies[index(row.body)];
    const double s = lambda[index(row.row)] * rigid_.factor(row);
    for (const auto& [k, other] : {std::pair{row.i, row.j}, std::pair{row.j, row.i}}) {
      const Vec3 bar = s * map_.direction(body, other, q_, true);
      const auto side = rigid_.side(row, k);
      for (int n = 0; n < side.count; ++n) {
        pull_element(side.element[n], side.sign[n] * bar, f, {});
      }
    }
  }
}

void NaturalPartials::clear_bars() {
  for (VecX* x : {&z_bar_, &zdot_bar_, &zddot_bar_}) x->setZero();
}

/// The cotangent of an element goes to its coordinates, or to p if it is on the ground.
void NaturalPartials::pull_element(int e, const Vec3& bar, std::span<double> q_bar,
                                   std::span<double> p_bar) const {
  const NaturalElement& element = map_.basis().elements[index(e)];
  for (int c = 0; c < 3; ++c) {
    if (element.first >= 0) {
      if (!q_bar.empty()) q_bar[index(element.first + c)] += bar(c);
    } else if (!p_bar.empty()) {
      p_bar[index(element.ground + c)] += bar(c);
    }
  }
}

/// φ₀·Φ + φ₁·Φ̇ + φ₂·Φ̈ + w·Φ_qᵀλ of the rigid rows.
void NaturalPartials::pull_rigid(std::span<const double> w, std::span<const double> lambda,
                                 const LevelCotangent& levels, const ResidualCotangent& to) {
  for (const RigidRow& row : map_.basis().rows) {
    const NaturalBody& body = map_.basis().bodies[index(row.body)];
    const auto at = index(row.row);
    const auto level = [&](std::span<const double> x) { return x.empty() ? 0.0 : x[at]; };
    const double half = rigid_.factor(row);
    const double phi = half * level(levels.Phi), rate = half * level(levels.Phi_dot),
                 second = half * level(levels.Phi_ddot), force = w.empty() ? 0 : half * lambda[at];
    for (const auto& [k, other] : {std::pair{row.i, row.j}, std::pair{row.j, row.i}}) {
      const auto of = [&, o = other](std::span<const double> x, bool place) {
        return map_.direction(body, o, x, place);
      };
      Vec3 e_bar = phi * of(q_, true) + rate * of(v_, false) + second * of(a_, false);
      if (!w.empty()) e_bar += force * of(w, false);
      const Vec3 v_bar = rate * of(q_, true) + 2 * second * of(v_, false);
      const Vec3 a_bar = second * of(q_, true);
      const auto side = rigid_.side(row, k);
      for (int n = 0; n < side.count; ++n) {
        pull_element(side.element[n], side.sign[n] * e_bar, to.q, to.p);
        pull_element(side.element[n], side.sign[n] * v_bar, to.v, {});
        pull_element(side.element[n], side.sign[n] * a_bar, to.a, {});
      }
      if (to.p.empty() || phi == 0) continue;
      const Vec3 local = -phi * map_.local(body, other);
      const bool point = map_.basis().elements[index(body.element[index(k)])].is_point;
      for (int c = 0; c < 3; ++c) {
        to.p[index(body.local[index(k)] + c)] += local(c);
        if (point) to.p[index(body.local[0] + c)] -= local(c);
      }
    }
  }
}

/// weights·μ motion with respect to m, c and J.
void NaturalPartials::pull_inertia(const VecX& weights, const VecX& motion,
                                   std::span<double> p_bar) const {
  for (std::size_t b = 0; b < mu_.size(); ++b) {
    const NaturalBody& body = map_.basis().bodies[b];
    const Mat<double, 4, 4> mu_bar = ConstTriples(weights.data() + body.tree).transpose() *
                                     ConstTriples(motion.data() + body.tree);
    pull_natural_inertia(p_, model_.bodies()[index(body.body)].mass, mu_bar, p_bar);
  }
}

/// [NC-7].
void NaturalPartials::pullback(std::span<const double> w, const LevelCotangent& levels,
                               const ResidualCotangent& to) {
  clear_bars();
  const bool motion = !to.q.empty(), parameters = !to.p.empty();
  const ResidualCotangent tree{out(z_bar_), out(zdot_bar_), out(zddot_bar_), to.p};
  if (w.empty()) {
    tree_.pullback({}, levels, tree);
  } else {
    map_.expand_rates(w, out(z_w_));
    tree_.pullback(in(z_w_), levels, tree);
    add_inertia(z_w_, Vec3::Zero(), zddot_bar_);
  }
  if (motion) {
    map_.pull(in(z_bar_), to.q);
    map_.pull(in(zdot_bar_), to.v);
    map_.pull(in(zddot_bar_), to.a);
  }
  pull_rigid(w, lambda_, levels, to);
  if (!parameters) return;
  gamma_bar_.clear();
  gamma_bar_.add(in(z_bar_), q_, true, to.p);
  gamma_bar_.add(in(zdot_bar_), v_, false, {});
  gamma_bar_.add(in(zddot_bar_), a_, false, {});
  if (!w.empty()) {
    gamma_bar_.add(in(F_), w, false, {});
    z_u_ = zddot_;
    Vec3 weight = Vec3::Zero();
    for (std::size_t b = 0; b < mu_.size(); ++b) {
      const int first = map_.basis().bodies[b].tree;
      z_u_.segment<3>(first) -= tree_.field();
      weight += ConstTriples(z_w_.data() + first) * mu_[b].col(0);
    }
    pull_inertia(z_w_, z_u_, to.p);
    tree_.pull_field(weight, to.p);
  }
  gamma_bar_.pull(p_, to.p);
}

/// Only states have no rows: bodies in natural coordinates have those of rigid bodies.
void NaturalPartials::linearize_accelerations(double t, std::span<const double> q,
                                              std::span<const double> v,
                                              std::span<const double> a) {
  KINEGRAD_DEMAND(mu_.empty());
  take(q, v, a);
  tree_.linearize_accelerations(t, in(z_), in(zdot_), in(zddot_));
}

void NaturalPartials::pullback_accelerations(std::span<const double> a_bar, std::span<double> q_bar,
                                             std::span<double> v_bar, std::span<double> p_bar) {
  clear_bars();
  map_.expand_rates(a_bar, out(z_w_));
  tree_.pullback_accelerations(in(z_w_), out(z_bar_), out(zdot_bar_), p_bar);
  map_.pull(in(z_bar_), q_bar);
  map_.pull(in(zdot_bar_), v_bar);
}

void NaturalPartials::linearize_inertia(std::span<const double> u, std::span<const double> lambda) {
  u_.assign(u.begin(), u.end());
  u_lambda_.assign(lambda.begin(), lambda.end());
  map_.expand_rates(u, out(z_u_));
  tree_.linearize_inertia(in(z_u_), lambda);
}

void NaturalPartials::pullback_inertia(std::span<const double> w, const ResidualCotangent& to) {
  clear_bars();
  map_.expand_rates(w, out(z_w_));
  map_.expand_rates(u_, out(z_u_));
  tree_.pullback_inertia(in(z_w_), {out(z_bar_), out(zdot_bar_), out(zddot_bar_), to.p});
  add_inertia(z_w_, Vec3::Zero(), zddot_bar_);
  if (!to.q.empty()) {
    map_.pull(in(z_bar_), to.q);
    map_.pull(in(zddot_bar_), to.a);
  }
  pull_rigid(w, u_lambda_, {}, {to.q, to.v, to.a, to.p});
  if (to.p.empty()) return;
  gamma_bar_.clear();
  gamma_bar_.add(in(z_bar_), q_, true, to.p);
  // M u + Φ_qᵀλ of the bodies in the tree's coordinates, and what the weights give u
  F_u_.setZero();
  tree_.add_constraint_forces(u_lambda_, out(F_u_));
  add_inertia(z_u_, Vec3::Zero(), F_u_);
  gamma_bar_.add(in(F_u_), w, false, {});
  gamma_bar_.add(in(zddot_bar_), u_, false, {});
  pull_inertia(z_w_, z_u_, to.p);
  gamma_bar_.pull(p_, to.p);
}

void NaturalPartials::target_jacobians(RowJacobians& out) {
  for (MatX* x : {&out.Phi_q, &out.Phidot_q, &out.Phiddot_q, &out.Phiddot_v}) x->setZero(0, nq());
}

}  // namespace kinegrad

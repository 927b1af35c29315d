// Derivatives of natural coordinates' equations along parameters, at fixed coordinates
// (docs/theory/global_coordinates.md, [NC-8]).
#include "kinegrad/assembly/natural_inertia.hpp"
#include "kinegrad/assembly/natural_partials.hpp"
#include "kinegrad/base/index.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

using Triples = Eigen::Map<Mat<double, 3, 4>>;
using ConstTriples = Eigen::Map<const Mat<double, 3, 4>>;

/// y += A x, of as many rows as y has.
void add_product(const SparseRows<double>& A, const VecX& x, Eigen::Ref<VecX> y) {
  for (int i = 0; i < static_cast<int>(y.size()); ++i) {
    double sum = 0;
    A.each(i, [&](int j, double a) { sum += a * x(j); });
    y(i) += sum;
  }
}

}  // namespace

/// Sorts the columns of ∂p/∂ρ by what they move.
void NaturalPartials::take_directions(const DesignJacobian& design) {
  if (taken_ == design.number()) return;
  taken_ = design.number();
  directions_.assign(index(design.parameters()), {});
  const NaturalBasis& basis = map_.basis();
  std::vector<double> dp(p_.size()), field_bar(p_.size());
  for (int k = 0; k < design.parameters(); ++k) {
    Direction& along = directions_[index(k)];
    design.column(k, dp);
    for (std::size_t e = 0; e < basis.elements.size(); ++e) {
      if (basis.elements[e].ground < 0) continue;
      const Vec3 d = vector_at(std::span<const double>(dp), basis.elements[e].ground);
      if (!d.isZero(0)) along.ground.emplace_back(static_cast<int>(e), d);
    }
    for (std::size_t b = 0; b < basis.bodies.size(); ++b) {
      const Mat<double, 4, 4> gamma = map_.gamma_change(b, dp);
      if (!gamma.isZero(0)) along.gamma.emplace_back(b, gamma);
      const MassBlock& block = model_.bodies()[index(basis.bodies[b].body)].mass;
      const Mat<double, 4, 4> mu = natural_inertia_change(p_, block, dp);
      if (!mu.isZero(0)) along.mu.emplace_back(b, mu);
    }
    for (std::size_t r = 0; r < basis.rows.size(); ++r) {
      const RigidRow& row = basis.rows[r];
      const NaturalBody& body = basis.bodies[index(row.body)];
      const double d = map_.local_change(body, row.i, dp).dot(map_.local(body, row.j)) +
                       map_.local(body, row.i).dot(map_.local_change(body, row.j, dp));
      if (d != 0) along.lengths.emplace_back(r, d);
    }
    for (int c = 0; c < 3; ++c) {
      std::fill(field_bar.begin(), field_bar.end(), 0.0);
      tree_.pull_field(Vec3::Unit(c), field_bar);
      along.field(c) = -read(field_bar).dot(read(dp));
    }
  }
}

/// dz, dż or dz̈ of elements x that stay.
void NaturalPartials::change(const Direction& along, std::span<const double> x, bool place,
                             VecX& dz) const {
  dz.setZero();
  const NaturalBasis& basis = map_.basis();
  for (const auto& [b, gamma] : along.gamma) {
    const NaturalBody& body = basis.bodies[b];
    Mat<double, 3, 4> elements;
    for (int k = 0; k < 4; ++k) {
      elements.col(k) = map_.element(body.element[index(k)], x, place);
    }
    Triples(dz.data() + body.tree) += elements * gamma.transpose();
  }
  if (!place || along.ground.empty()) return;
  for (std::size_t b = 0; b < basis.bodies.size(); ++b) {
    const NaturalBody& body = basis.bodies[b];
    for (const auto& [e, d] : along.ground) {
      for (int k = 0; k < 4; ++k) {
        if (body.element[index(k)] != e) continue;
        Triples(dz.data() + body.tree) += d * map_.gamma(b).col(k).transpose();
      }
    }
  }
}

/// df += Gᵀ dF + dGᵀ F.
void NaturalPartials::add_pulled(const Direction& along, const VecX& F, const VecX& dF,
                                 Eigen::Ref<VecX> df) const {
  map_.pull(in(dF), {df.data(), index(static_cast<int>(df.size()))});
  for (const auto& [b, gamma] : along.gamma) {
    const NaturalBody& body = map_.basis().bodies[b];
    const Mat<double, 3, 4> x = ConstTriples(F.data() + body.tree) * gamma;
    for (int k = 0; k < 4; ++k) {
      const int first = map_.basis().elements[index(body.element[index(k)])].first;
      if (first >= 0) df.segment<3>(first) += x.col(k);
    }
  }
}

/// How a direction e_k of a rigid row's body changes with elements on the ground.
Vec3 NaturalPartials::direction_change(const Direction& along, const RigidRow& row, int k) const {
  Vec3 d = Vec3::Zero();
  const auto side = rigid_.side(row, k);
  for (int n = 0; n < side.count; ++n) {
    for (const auto& [e, change] : along.ground) {
      if (e == side.element[n]) d += side.sign[n] * change;
    }
  }
  return d;
}

/// Forces of rigid rows whose other direction is on the ground.
void NaturalPartials::add_ground_forces(const Direction& along, std::span<const double> lambda,
                                        Eigen::Ref<VecX> df) const {
  if (along.ground.empty()) return;
  const std::span<double> to{df.data(), index(static_cast<int>(df.size()))};
  for (const RigidRow& row : map_.basis().rows) {
    const double s = lambda[index(row.row)] * rigid_.factor(row);
    for (const auto& [k, other] : {std::pair{row.i, row.j}, std::pair{row.j, row.i}}) {
      const Vec3 bar = s * direction_change(along, row, other);
      const auto side = rigid_.side(row, k);
      for (int n = 0; n < side.count; ++n) {
        pull_element(side.element[n], side.sign[n] * bar, to, {});
      }
    }
  }
}

/// Of the rows of the tree through z, and of rigid rows.
void NaturalPartials::add_levels(const Direction& along, int k, LevelTangent& levels) const {
  if (!along.gamma.empty() || !along.ground.empty()) {
    add_product(Phi_z_, dz_, levels.Phi.col(k));  // of holonomic rows, which come first
    add_product(Phidot_z_, dz_, levels.Phi_dot.col(k));
    add_product(Phi_z_, dzdot_, levels.Phi_dot.col(k));
    add_product(Phiddot_z_, dz_, levels.Phi_ddot.col(k));
    add_product(Phiddot_zdot_, dzdot_, levels.Phi_ddot.col(k));
    add_product(Phi_z_, dzddot_, levels.Phi_ddot.col(k));
  }
  for (const auto& [r, d] : along.lengths) {
    const RigidRow& row = map_.basis().rows[r];
    levels.Phi(row.row, k) -= rigid_.factor(row) * d;
  }
  if (along.ground.empty()) return;
  for (const RigidRow& row : map_.basis().rows) {
    const NaturalBody& body = map_.basis().bodies[index(row.body)];
    const double half = rigid_.factor(row);
    for (const auto& [i, j] : {std::pair{row.i, row.j}, std::pair{row.j, row.i}}) {
      const Vec3 d = half * direction_change(along, row, i);
      levels.Phi(row.row, k) += la::dot(d, map_.direction(body, j, q_, true));
      levels.Phi_dot(row.row, k) += la::dot(d, map_.direction(body, j, v_, false));
      levels.Phi_ddot(row.row, k) += la::dot(d, map_.direction(body, j, a_, false));
    }
  }
}

void NaturalPartials::tangents(const DesignJacobian& design, MatX* f_p, LevelTangent* levels) {
  take_directions(design);
  tree_.tangents(design, f_p ? &tree_p_ : nullptr, levels);
  if (f_p) {
    tree_matrices();
    f_p->setZero(nq(), design.parameters());
  }
  if (levels) tree_jacobians();
  for (int k = 0; k < design.parameters(); ++k) {
    const Direction& along = directions_[index(k)];
    change(along, q_, true, dz_);
    change(along, v_, false, dzdot_);
    change(along, a_, false, dzddot_);
    if (levels) add_levels(along, k, *levels);
    if (!f_p) continue;
    dF_ = tree_p_.col(k);
    if (!along.gamma.empty() || !along.ground.empty()) {
      add_product(tree_q_, dz_, dF_);
      add_product(tree_v_, dzdot_, dF_);
      add_product(tree_a_, dzddot_, dF_);  // with the inertia of bodies
    }
    for (const auto& [b, mu] : along.mu) {
      const int first = map_.basis().bodies[b].tree;
      Mat<double, 3, 4> x = ConstTriples(zddot_.data() + first);
      x.col(0) -= tree_.field();
      Triples(dF_.data() + first) += x * mu;
    }
    if (!along.field.isZero(0)) {
      for (std::size_t b = 0; b < mu_.size(); ++b) {
        Triples(dF_.data() + map_.basis().bodies[b].tree) -= along.field * mu_[b].row(0);
      }
    }
    add_pulled(along, F_, dF_, f_p->col(k));
    add_ground_forces(along, lambda_, f_p->col(k));
  }
}

void NaturalPartials::inertia_tangents(const DesignJacobian& design, MatX& f_p) {
  take_directions(design);
  tree_.inertia_tangents(design, tree_p_);
  tree_.inertia_matrix(tree_u_);
  f_p.setZero(nq(), design.parameters());
  map_.expand_rates(u_, out(z_u_));
  F_u_.setZero();
  tree_.add_constraint_forces(u_lambda_, out(F_u_));
  add_inertia(z_u_, Vec3::Zero(), F_u_);
  for (int k = 0; k < design.parameters(); ++k) {
    const Direction& along = directions_[index(k)];
    change(along, q_, true, dz_);
    change(along, u_, false, dzddot_);
    dF_ = tree_p_.col(k);
    add_product(tree_u_, dz_, dF_);
    add_inertia(dzddot_, Vec3::Zero(), dF_);
    for (const auto& [b, mu] : along.mu) {
      const int first = map_.basis().bodies[b].tree;
      Triples(dF_.data() + first) += ConstTriples(z_u_.data() + first) * mu;
    }
    add_pulled(along, F_u_, dF_, f_p.col(k));
    add_ground_forces(along, u_lambda_, f_p.col(k));
  }
}

}  // namespace kinegrad

#include "kinegrad/assembly/joint_partials.hpp"

#include <utility>

#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

TreeConstraints<double> make_rows(const TreeParameters<double>& tree, RowSet set) {
  const Model& model = tree.model;
  if (set == RowSet::kConstraints) return TreeConstraints<double>(tree);
  std::vector<ConstraintRow> rows = model.constraint_rows();
  rows.insert(rows.end(), model.independent_rows().begin(), model.independent_rows().end());
  return TreeConstraints<double>(tree, rows, static_cast<int>(rows.size()));
}

}  // namespace

JointPartials::JointPartials(SharedTree<double> constants, RowSet rows)
    : shared_(std::move(constants)),
      constants_(shared_.get()),
      state_(constants_),
      articulated_(constants_.bodies),
      constraints_(make_rows(constants_.bodies, rows)),
      targets_(constants_.bodies, constants_.model().initial_rows(),
               static_cast<int>(constants_.model().initial_rows().size())),
      tree_(constants_.bodies, state_.motion),
      inertia_(constants_.bodies, state_.motion),
      forces_(constants_, state_),
      beyond_(constants_.bodies.nodes.size()),
      inertia_beyond_(beyond_.size()),
      accelerations_(tree_, forces_, articulated_),
      rows_(constraints_, tree_),
      inertia_rows_(constraints_, inertia_),
      target_rows_(targets_, tree_),
      directions_(constants_.bodies),
      tangent_(constants_.bodies),
      row_tangents_(rows_),
      inertia_row_tangents_(inertia_rows_),
      state_direction_(state_direction(constants_.model())),
      euler_(euler_sets_of(constants_.model())),
      f_(constants_.nq()),
      zero_(static_cast<std::size_t>(constants_.nq()), 0.0) {}

void JointPartials::set_parameters(std::span<const double> p) {
  shared_.set(p);
  constraints_.update_parameters();
  targets_.update_parameters();
  directions_.forget();
}

void JointPartials::linearize(double t, std::span<const double> q, std::span<const double> v,
                              std::span<const double> a, std::span<const double> lambda) {
  placed_ = false;
  residual(constants_, t, q, v, a, state_, out(f_));
  kinegrad::linearize(t, q, v, a, tree_, forces_);
  if (rows() == 0) return;
  constraints_.motion(state_.motion, t, q, v, a);
  constraints_.Phi_q(state_.motion).add_transposed(lambda, out(f_));
  rows_.apply(lambda);
}

void JointPartials::linearize_motion(double t, std::span<const double> q, std::span<const double> v,
                                     std::span<const double> a) {
  placed_ = false;
  move_bodies(constants_.bodies, q, v, state_.motion);
  accelerate_bodies(constants_.bodies, a, state_.motion);
  kinegrad::linearize_motion(q, v, a, tree_);
  if (rows() > 0) constraints_.levels(state_.motion, t, q, v, a);
  if (targets_.rows() > 0) targets_.motion(state_.motion, t, q, v, a);
}

void JointPartials::linearize_accelerations(double t, std::span<const double> q,
                                            std::span<const double> v, std::span<const double> a) {
  placed_ = false;
  accelerations(constants_, t, q, v, state_, articulated_, out(f_));  // which eliminates the joints
  accelerations_.linearize(t, q, v, a);
  f_.setZero();  // but for forces along Euler parameters, which do no work
  for (const int e : euler_)
    f_.segment<4>(e) = -accelerations_.stray_force(e) * read(q).segment<4>(e);
}

void JointPartials::linearize_inertia(std::span<const double> u, std::span<const double> lambda) {
  if (!placed_) {
    linearize_configuration(tree_.at, inertia_);
    compose_inertia(inertia_, inertia_beyond_);
  }
  placed_ = true;
  kinegrad::linearize_inertia(u, inertia_);
  if (rows() > 0) inertia_rows_.apply(lambda);
}

void JointPartials::inertia_matrix(MatX& f_q) {
  clear(f_q, nq(), nq());
  kinegrad::inertia_matrix(inertia_, inertia_beyond_, f_q);
  inertia_rows_.add_matrix(f_q);
}

void JointPartials::inertia_matrix(SparseRows<double>& f_q) {
  f_q.set_zero();
  kinegrad::inertia_matrix(inertia_, inertia_beyond_, f_q);
  inertia_rows_.add_matrix(f_q);
}

SystemPattern JointPartials::pattern() const {
  PatternBuilder mass(nq(), nq()), equations(nq(), nq()), of_rows(rows(), nq());
  add_residual_pattern(forces_, mass, equations);
  rows_.add_pattern(of_rows, equations);
  return {mass.build(), equations.build(), of_rows.build()};
}

void JointPartials::pullback_inertia(std::span<const double> w, const ResidualCotangent& out) {
  begin_pullback(inertia_, w, out.p);
  if (rows() > 0) inertia_rows_.gather({}, w, out);
  finish_pullback(inertia_, w, out);
}

void JointPartials::take_directions(const DesignJacobian& design) {
  if (!directions_.take(design)) return;
  row_tangents_.take(directions_);
  inertia_row_tangents_.take(directions_);
}

void JointPartials::tangents(const DesignJacobian& design, MatX* f_p, LevelTangent* levels) {
  take_directions(design);
  const int count = directions_.size();
  if (levels) {
    levels->Phi.setZero(holonomic(), count);
    levels->Phi_dot.setZero(rows(), count);
    levels->Phi_ddot.setZero(rows(), count);
  }
  if (f_p) {
    f_p->setZero(nq(), count);
    sum_forces(tree_, forces_beyond_);
  }
  tangents(tree_, &forces_, row_tangents_, f_p, levels);
}

/// [TG-10], one sweep per column.
void JointPartials::state_tangents(const MatX& dq, const MatX& dv, MatX& f, LevelTangent& levels) {
  const auto n = static_cast<std::size_t>(nq());
  f.setZero(nq(), dq.cols());
  levels.Phi.setZero(holonomic(), dq.cols());
  levels.Phi_dot.setZero(rows(), dq.cols());
  levels.Phi_ddot.setZero(rows(), dq.cols());
  sum_forces(tree_, forces_beyond_);
  for (int k = 0; k < dq.cols(); ++k) {
    state_direction_.dq = {dq.col(k).data(), n};
    state_direction_.dv = {dv.col(k).data(), n};
    if (rows() == 0) {
      residual_tangent(tree_, forces_, forces_beyond_, state_direction_, tangent_, f.col(k));
      continue;
    }
    begin_tangent(tree_, state_direction_, tangent_);
    row_tangents_.add_state(state_direction_, k, tangent_, levels, f);
    add_port_tangents(tree_, forces_, tangent_, f.col(k));
    finish_tangent(tree_, forces_beyond_, tangent_, f.col(k));
    end_tangent(tangent_);
  }
}

void JointPartials::inertia_tangents(const DesignJacobian& design, MatX& f_p) {
  take_directions(design);
  f_p.setZero(nq(), directions_.size());
  sum_forces(inertia_, forces_beyond_);
  tangents(inertia_, nullptr, inertia_row_tangents_, &f_p, nullptr);
}

/// Along all directions, to columns that are zero; those that touch nothing stay so.
void JointPartials::tangents(const LinearizedTree& L, LinearizedForces* forces,
                             ConstraintTangents& rows, MatX* f_p, LevelTangent* levels) {
  for (int k = 0; k < directions_.size(); ++k) {
    const ParameterDirection& direction = directions_[k];
    const bool by_rows = this->rows() > 0 && rows.touches(k);
    const bool by_tree = f_p && touches_residual(direction, forces);
    if (!by_rows && !by_tree) continue;
    begin_tangent(L, direction, tangent_);
    if (by_rows) rows.add(direction, k, tangent_, levels, f_p);
    if (f_p && forces) add_port_tangents(L, *forces, tangent_, f_p->col(k));
    if (f_p) finish_tangent(L, forces_beyond_, tangent_, f_p->col(k));
    end_tangent(tangent_);
  }
}

void JointPartials::set_active(std::span<const char> p_active) {
  kinegrad::set_active(constants_.bodies, p_active, tree_.sums);
  kinegrad::set_active(constants_.bodies, p_active, inertia_.sums);
}

void JointPartials::matrices(MatX& f_q, MatX& f_v, MatX& f_a) {
  residual_matrices(tree_, forces_, beyond_, f_q, f_v, f_a);
  rows_.add_matrix(f_q);
}

void JointPartials::matrices(SparseRows<double>& f_q, SparseRows<double>& f_v,
                             SparseRows<double>& f_a) {
  residual_matrices(tree_, forces_, beyond_, f_q, f_v, f_a);
  rows_.add_matrix(f_q);
}

void JointPartials::pullback(std::span<const double> w, const LevelCotangent& levels,
                             const ResidualCotangent& out) {
  begin_pullback(tree_, w, out.p);
  if (!w.empty()) pull_forces(tree_, forces_, w, out);
  if (rows() > 0) rows_.gather(levels, w, out);
  finish_pullback(tree_, w, out);
}

void JointPartials::pullback_targets(const LevelCotangent& levels, const ResidualCotangent& out) {
  begin_pullback(tree_, {}, out.p);
  target_rows_.gather(levels, {}, out);
  finish_pullback(tree_, {}, out);
}

}  // namespace kinegrad

#include "kinegrad/assembly/tree_partials.hpp"

#include <algorithm>

#include "assembly/tree_partials_detail.hpp"
#include "tree/body_forces.hpp"

namespace kinegrad {

using la::cross;
using la::dot;

TreePartials::TreePartials(const LoadedTree<double>& tree, const TreeState<double>& state)
    : tree_(tree),
      state_(state),
      model_(tree.model()),
      sums_(nodes().size()),
      composite_(nodes().size()),
      active_(nodes().size()),
      expressions_(tree.expressions),
      varying_(model_.forces().size()),
      variable_q_(model_.nq()),
      variable_v_(model_.nq()) {
  at_.bodies.resize(nodes().size());
  for (Columns* c : {&at_.S, &at_.Sdot, &at_.Sddot, &at_.S1, &at_.S2}) c->resize(6, model_.nq());
  for (std::size_t i = 0; i < varying_.size(); ++i) {
    ports_.push_back(tree.ports[i]->partials(tree.bodies));
    for (const auto& [place, output] : model_.forces()[i].variable) {
      varying_[i].columns.push_back(expressions_.columns(tree.bodies, output));
    }
    varying_[i].by_attribute.resize(static_cast<Eigen::Index>(ports_[i]->columns().size()));
  }
}

/// V and A of a body at the common point, and its axes.
void TreePartials::move_body(std::size_t k) {
  const auto& s = moving(k);
  Body& b = at_.bodies[k];
  const Triple<double> d = Triple<double>(at_.x0) - Triple<double>(s.o);
  Halves<double> V(s.V), A(s.A);
  V.shift_motion(d);
  A.shift_motion(d);
  V.store(b.V);
  A.store(b.A);
  (Columns3<double>(s.R_WM) * Columns3<double>(tree_.bodies.X_MB[k].R)).store(b.R_WB);
}

/// S′ and S″ of a joint whose columns are not fixed in F.
void TreePartials::general_rates(std::size_t k, std::span<const double> q,
                                 std::span<const double> v, std::span<const double> a) {
  const auto& node = node_at(k);
  const auto part = [&](std::span<const double> x) {
    return JointVector<double>(Eigen::Map<const VecX>(x.data() + node.q, node.nq));
  };
  const Pose<double> X = joint_frame(k);
  const Pose<double> X_F{X.R, X.p - at_.x0};
  const JointColumns<double> H1 = node.joint->motion_dot(part(q), part(v));
  const JointColumns<double> H2 = node.joint->motion_ddot(part(q), part(v), part(a));
  for (int c = 0; c < node.nq; ++c) {
    at_.S1.col(node.q + c) = transform_twist(X_F, H1.col(c));
    at_.S2.col(node.q + c) = transform_twist(X_F, H2.col(c));
  }
}

/// S, Ṡ and S̈ at the common point.
void TreePartials::columns_at(std::size_t k, std::span<const double> q, std::span<const double> v,
                              std::span<const double> a) {
  const auto& node = node_at(k);
  const bool general = node.general();
  if (general && node.nq > 0) general_rates(k, q, v, a);
  const Halves<double> V(parent_V(k)), A(parent_A(k));
  const Triple<double> d = Triple<double>(at_.x0) - Triple<double>(moving(k).o);
  for (int c = node.q; c < node.q + node.nq; ++c) {
    Halves<double> S(state_.motion.S.col(c));
    S.shift_motion(d);
    Halves<double> Sdot = motion_cross(V, S), Sddot = motion_cross(A, S);
    if (general) {
      const Halves<double> S1(at_.S1.col(c));
      Sdot += S1;
      Sddot += motion_cross(V, S1);
      Sddot += Halves<double>(at_.S2.col(c));
    }
    Sddot += motion_cross(V, Sdot);
    S.store(at_.S.col(c));
    Sdot.store(at_.Sdot.col(c));
    Sddot.store(at_.Sddot.col(c));
  }
}

/// BᵀW.
Twist<double> TreePartials::gyroscopic_pullback(const Body& b, const Twist<double>& W) {
  Twist<double> out = Twist<double>::Zero();
  gyroscopic(b).transposed_times(Halves<double>(W)).store(out.head<3>());
  return out;
}

/// A point or direction with the coordinates c in axes of the frame M of its node; in world axes on
/// the ground. Accelerations are less the uniform field.
VectorState TreePartials::vector_state(int node, bool is_point, const Vec3& c) const {
  VectorState out{node, is_point, c, Vec3::Zero(), Vec3::Zero()};
  if (node < 0) return out;
  const BodyMotion<double>& s = state_.motion.body(node);
  const Vec3 omega = s.V.head<3>(), alpha = s.A.head<3>();
  out.x.noalias() = s.R_WM * c;
  if (is_point) out.x += s.r_WM;
  const Vec3 lever = is_point ? Vec3(out.x - s.o) : out.x;
  out.xdot = cross(omega, lever);
  if (is_point) out.xdot += s.V.tail<3>();
  out.xddot = cross(alpha, lever) + cross(omega, out.xdot);
  if (is_point) out.xddot += s.A.tail<3>();
  return out;
}

/// The common point is the reference point of the first body.
void TreePartials::start(std::span<const double> q) {
  at_.q.assign(q.begin(), q.end());
  at_.inertia_only = false;
  at_.x0 = nodes().empty() ? Vec3(Vec3::Zero()) : moving(0).o;
  at_.field = state_.motion.field;
}

void TreePartials::add_force(int node, const Halves<double>& F) {
  Halves<double> sum(at_.body(node).f);
  sum += F;
  sum.store(at_.bodies[static_cast<std::size_t>(node)].f);
}

void TreePartials::linearize(double t, std::span<const double> q, std::span<const double> v,
                             std::span<const double> a) {
  start(q);
  at_.t = t;
  for (std::size_t k = 0; k < at_.bodies.size(); ++k) {
    const auto& s = moving(k);
    Body& b = at_.bodies[k];
    move_body(k);
    b.I = s.I;
    b.I.shift_back(s.o - at_.x0);
    const Halves<double> V(b.V);
    Halves<double> f = gyroscopic_force<ReferencePoint::kOrigin>(b.I, V);
    f += momentum<ReferencePoint::kOrigin>(b.I, Halves<double>(b.A));
    f.store(b.f);
    columns_at(k, q, v, a);
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    ports_[i]->linearize(port_site(tree_, state_, t), attributes_of(i), at_);
  }
}

void TreePartials::take_place(const TreePartials& place) {
  at_.q = place.at_.q;
  at_.inertia_only = true;
  at_.x0 = place.at_.x0;
  at_.S = place.at_.S;
  for (std::size_t k = 0; k < at_.bodies.size(); ++k) {
    Body& b = at_.bodies[k];
    b.V.setZero();
    b.I = moving(k).I;
    b.I.shift_back(moving(k).o - at_.x0);
    b.R_WB = place.at_.bodies[k].R_WB;
    composite_[k].I = b.I;
  }
  at_.Sdot.setZero();
  for (std::size_t k = at_.bodies.size(); k-- > 0;) {
    const int parent = node_at(k).parent;
    if (parent >= 0) composite_[static_cast<std::size_t>(parent)].I += composite_[k].I;
  }
}

void TreePartials::linearize_inertia(std::span<const double> u) {
  for (std::size_t k = 0; k < at_.bodies.size(); ++k) {
    const auto& node = node_at(k);
    Body& b = at_.bodies[k];
    const Halves<double> carrier(parent_A(k));
    Halves<double> A = carrier;
    for (int c = node.q; c < node.q + node.nq; ++c) {
      const Halves<double> S(at_.S.col(c));
      A.add(S, u[static_cast<std::size_t>(c)]);
      motion_cross(carrier, S).store(at_.Sddot.col(c));
    }
    A.store(b.A);
    momentum<ReferencePoint::kOrigin>(b.I, A).store(b.f);
    if (node.nq == 0 || !node.general()) continue;
    // at rest the second rate of a column is its first rate along u
    const JointVector<double> q = Eigen::Map<const VecX>(at_.q.data() + node.q, node.nq);
    const JointVector<double> part = Eigen::Map<const VecX>(u.data() + node.q, node.nq);
    const Pose<double> X = joint_frame(k);
    const JointColumns<double> H = node.joint->motion_dot(q, part);
    for (int c = 0; c < node.nq; ++c) {
      at_.Sddot.col(node.q + c) += transform_twist(Pose<double>{X.R, X.p - at_.x0}, H.col(c));
    }
  }
}

void TreePartials::set_active(std::span<const char> p_active) {
  sums_.p_active.assign(p_active.begin(), p_active.end());
  const auto any = [&](int first, int count) {
    return std::any_of(p_active.begin() + first, p_active.begin() + first + count,
                       [](char c) { return c != 0; });
  };
  for (std::size_t k = 0; k < active_.size(); ++k) {
    const TreeNode& node = model_.topology().nodes[k];
    const Joint& joint = model_.joints()[static_cast<std::size_t>(node.joint)];
    const MassBlock& mass = model_.bodies()[static_cast<std::size_t>(node.body)].mass;
    active_[k].mass = any(mass.mass, 1) || any(mass.com, 3) || any(mass.inertia, 6);
    active_[k].inboard = any((node.reversed ? joint.M : joint.F).first, FrameBlock::kSize);
    active_[k].outboard = any((node.reversed ? joint.F : joint.M).first, FrameBlock::kSize);
  }
}

void TreePartials::linearize_motion(std::span<const double> q, std::span<const double> v,
                                    std::span<const double> a) {
  start(q);
  for (std::size_t k = 0; k < at_.bodies.size(); ++k) {
    move_body(k);
    columns_at(k, q, v, a);
  }
}

/// (∂S_b/∂q_by)·f of all columns b of one joint, from Ḣ which is linear in the speeds.
JointVector<double> TreePartials::column_gradients(std::size_t k, int by,
                                                   const Twist<double>& f) const {
  const auto& node = node_at(k);
  JointVector<double> unit = JointVector<double>::Zero(node.nq);
  if (!node.general()) return unit;
  unit(by) = 1;
  return column_rates(k, unit, f);
}

/// Ṡ_b·f of all columns b of one joint, where its coordinates have the speeds w.
JointVector<double> TreePartials::column_rates(std::size_t k, const JointVector<double>& w,
                                               const Twist<double>& f) const {
  const auto& node = node_at(k);
  const JointVector<double> q = Eigen::Map<const VecX>(at_.q.data() + node.q, node.nq);
  const Pose<double> X = joint_frame(k);
  const Vec3 force = f.tail<3>(), moment = f.head<3>() - cross(X.p - at_.x0, force);
  Twist<double> in_F;  // f at the origin of F, in its axes
  in_F << X.R.transpose() * moment, X.R.transpose() * force;
  return node.joint->motion_dot(q, w).transpose() * in_F;
}

/// The bodies' part: [DP-3].
template <typename Matrix>
void TreePartials::add_tree_matrices(Matrix& r_q, Matrix& r_v, Matrix& r_a) {
  for (std::size_t k = 0; k < at_.bodies.size(); ++k) {
    composite_[k] = {at_.bodies[k].I, gyroscopic(at_.bodies[k])};
    sums_.beyond[k].f = at_.bodies[k].f;
  }
  for (std::size_t k = at_.bodies.size(); k-- > 0;) {
    const auto& node = node_at(k);
    const Composite& sum = composite_[k];
    const auto inertia = [&](const Halves<double>& x) {
      return momentum<ReferencePoint::kOrigin>(sum.I, x);
    };
    const Twist<double>& f = sums_.beyond[k].f;
    for (int c = 0; c < node.nq; ++c) {
      const int i = node.q + c;
      // rows: S_iᵀI_Σ and S_iᵀB_Σ against the columns before i; columns: what i moves, against those
      const Halves<double> S(at_.S.col(i)), Sdot(at_.Sdot.col(i));
      const Halves<double> row_I = inertia(S);
      const Triple<double> row_B = sum.B.transposed_times(S);
      Halves<double> by_q = force_cross(S, Halves<double>(f));
      by_q += inertia(Halves<double>(at_.Sddot.col(i)));
      by_q += sum.B * Sdot;
      Halves<double> by_v = sum.B * S;
      by_v.add(inertia(Sdot), 2.0);
      for (int up = static_cast<int>(k); up >= 0;) {
        const auto& ancestor = nodes()[static_cast<std::size_t>(up)];
        for (int j = ancestor.q; j < ancestor.q + ancestor.nq; ++j) {
          const bool own = up == static_cast<int>(k);
          const Halves<double> S_j(at_.S.col(j)), Sdot_j(at_.Sdot.col(j));
          r_q(j, i) = power(S_j, by_q);
          if (!own) {
            r_q(i, j) = power(row_I, Halves<double>(at_.Sddot.col(j))) + dot(row_B, Sdot_j.w);
          }
          r_a(i, j) = r_a(j, i) = power(row_I, S_j);
          r_v(j, i) = power(S_j, by_v);
          if (!own) r_v(i, j) = 2.0 * power(row_I, Sdot_j) + dot(row_B, S_j.w);
        }
        up = ancestor.parent;
      }
      if (node.general()) {
        const JointVector<double> gradients = column_gradients(k, c, f);
        for (int b = 0; b < node.nq; ++b) r_q(node.q + b, i) += gradients(b);
      }
    }
    if (node.parent < 0) continue;
    const auto parent = static_cast<std::size_t>(node.parent);
    composite_[parent].I += sum.I;
    composite_[parent].B += sum.B;
    sums_.beyond[parent].f += f;
  }
}

/// (M u)_q, the part of [DP-3] that is left at rest.
template <typename Matrix>
void TreePartials::add_inertia_matrix(Matrix& r_q) {
  for (std::size_t k = 0; k < at_.bodies.size(); ++k) sums_.beyond[k].f = at_.bodies[k].f;
  for (std::size_t k = at_.bodies.size(); k-- > 0;) {
    const auto& node = node_at(k);
    const RigidInertia<double>& I = composite_[k].I;
    const Twist<double>& f = sums_.beyond[k].f;
    for (int c = 0; c < node.nq; ++c) {
      const int i = node.q + c;
      const Halves<double> S(at_.S.col(i));
      const Halves<double> row = momentum<ReferencePoint::kOrigin>(I, S);
      Halves<double> by_q = force_cross(S, Halves<double>(f));
      by_q += momentum<ReferencePoint::kOrigin>(I, Halves<double>(at_.Sddot.col(i)));
      for (int j = node.q; j < node.q + node.nq; ++j) {
        r_q(j, i) = power(Halves<double>(at_.S.col(j)), by_q);
      }
      if (node.general()) {
        const JointVector<double> gradients = column_gradients(k, c, f);
        for (int b = 0; b < node.nq; ++b) r_q(node.q + b, i) += gradients(b);
      }
      if (node.parent < 0) continue;
      each_column(node.parent, [&](int j) {
        r_q(j, i) = power(Halves<double>(at_.S.col(j)), by_q);
        r_q(i, j) = power(row, Halves<double>(at_.Sddot.col(j)));
      });
    }
    if (node.parent >= 0) sums_.beyond[static_cast<std::size_t>(node.parent)].f += f;
  }
}

template <typename Matrix>
void TreePartials::fill_matrices(Matrix& r_q, Matrix& r_v, Matrix& r_a) {
  const int n = model_.nq();
  for (Matrix* A : {&r_q, &r_v, &r_a}) clear(*A, n, n);
  add_tree_matrices(r_q, r_v, r_a);
  add_port_matrices(r_q, r_v, true);
}

void TreePartials::matrices(MatX& r_q, MatX& r_v, MatX& r_a) { fill_matrices(r_q, r_v, r_a); }

void TreePartials::matrices(SparseRows<double>& r_q, SparseRows<double>& r_v,
                            SparseRows<double>& r_a) {
  fill_matrices(r_q, r_v, r_a);
}

void TreePartials::inertia_matrix(MatX& r_q) {
  clear(r_q, model_.nq(), model_.nq());
  add_inertia_matrix(r_q);
}

void TreePartials::inertia_matrix(SparseRows<double>& r_q) {
  r_q.set_zero();
  add_inertia_matrix(r_q);
}

void TreePartials::add_joint_forces(VecX& tau) const {
  for (const auto& port : ports_) port->add_joint_forces(tau);
}

void TreePartials::force_matrices(MatX& r_q, MatX& r_v, bool exact) {
  r_q.setZero(model_.nq(), model_.nq());
  r_v.setZero(model_.nq(), model_.nq());
  add_port_matrices(r_q, r_v, exact);
}

}  // namespace kinegrad

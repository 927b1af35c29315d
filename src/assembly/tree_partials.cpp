#include "kinegrad/assembly/tree_partials.hpp"

#include <algorithm>

#include "assembly/body_forces.hpp"
#include "assembly/tree_partials_detail.hpp"

namespace kinegrad {

using la::cross;
using la::dot;
using la::skew;

TreePartials::TreePartials(const TreeDynamics<double>& dynamics)
    : d_(dynamics),
      model_(dynamics.model()),
      bodies_(dynamics.nodes_.size()),
      sums_(dynamics.nodes_.size()),
      composite_(dynamics.nodes_.size()),
      ports_(model_.forces().size()),
      W_(dynamics.nodes_.size()),
      active_(dynamics.nodes_.size()) {
  for (Columns* c : {&S_, &Sdot_, &Sddot_, &S1_, &S2_}) c->resize(6, model_.nq());
  for (PortJacobian* J : {&port_, &input_}) {
    J->x_q.resize(3, model_.nq());
    J->xdot_q.resize(3, model_.nq());
  }
  variable_q_.resize(model_.nq());
  variable_v_.resize(model_.nq());
  bar_outputs_.resize(dynamics.force_outputs_.size());
  bar_registers_.resize(dynamics.force_registers_.size());
  bar_inputs_.resize(dynamics.force_input_values_.size());
  body_columns_.reserve(static_cast<std::size_t>(model_.nq()));
  list_port_columns();
}

Twist<double> TreePartials::V_of(int node) const {
  return node < 0 ? Twist<double>::Zero() : bodies_[static_cast<std::size_t>(node)].V;
}

Twist<double> TreePartials::A_of(int node) const {
  if (node >= 0) return bodies_[static_cast<std::size_t>(node)].A;
  Twist<double> ground = Twist<double>::Zero();
  if (!inertia_only_) ground.tail<3>() = -d_.field_;
  return ground;
}

/// V and A of a body at the common point, and its axes.
void TreePartials::move_body(std::size_t k) {
  const auto& s = d_.states_[k];
  Body& b = bodies_[k];
  const Triple<double> d = Triple<double>(x0_) - Triple<double>(s.o);
  Halves<double> V(s.V), A(s.A);
  V.shift_motion(d);
  A.shift_motion(d);
  V.store(b.V);
  A.store(b.A);
  (Columns3<double>(s.R_WM) * Columns3<double>(d_.X_MB_[k].R)).store(b.R_WB);
}

/// S′ and S″ of a joint whose columns are not fixed in F.
void TreePartials::general_rates(std::size_t k, std::span<const double> q,
                                 std::span<const double> v, std::span<const double> a) {
  const auto& node = d_.nodes_[k];
  const auto part = [&](std::span<const double> x) {
    return JointVector<double>(Eigen::Map<const VecX>(x.data() + node.q, node.nq));
  };
  const Pose<double> X = d_.frame_in_world(k);
  const Pose<double> X_F{X.R, X.p - x0_};
  const JointColumns<double> H1 = node.joint->motion_dot(part(q), part(v));
  const JointColumns<double> H2 = node.joint->motion_ddot(part(q), part(v), part(a));
  for (int c = 0; c < node.nq; ++c) {
    S1_.col(node.q + c) = transform_twist(X_F, H1.col(c));
    S2_.col(node.q + c) = transform_twist(X_F, H2.col(c));
  }
}

/// S, Ṡ and S̈ at the common point.
void TreePartials::columns_of(std::size_t k, std::span<const double> q, std::span<const double> v,
                              std::span<const double> a) {
  const auto& node = d_.nodes_[k];
  const bool general = node.kind == TreeDynamics<double>::Kind::kGeneral;
  if (general && node.nq > 0) general_rates(k, q, v, a);
  const Halves<double> V(parent_V(k)), A(parent_A(k));
  const Triple<double> d = Triple<double>(x0_) - Triple<double>(d_.states_[k].o);
  for (int c = node.q; c < node.q + node.nq; ++c) {
    Halves<double> S(d_.S_.col(c));
    S.shift_motion(d);
    Halves<double> Sdot = motion_cross(V, S), Sddot = motion_cross(A, S);
    if (general) {
      const Halves<double> S1(S1_.col(c));
      Sdot += S1;
      Sddot += motion_cross(V, S1);
      Sddot += Halves<double>(S2_.col(c));
    }
    Sddot += motion_cross(V, Sdot);
    S.store(S_.col(c));
    Sdot.store(Sdot_.col(c));
    Sddot.store(Sddot_.col(c));
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
  const auto& s = d_.states_[static_cast<std::size_t>(node)];
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

void TreePartials::linearize(double t, std::span<const double> q, std::span<const double> v,
                             std::span<const double> a) {
  q_.assign(q.begin(), q.end());
  t_ = t;
  inertia_only_ = false;
  x0_ = d_.states_.empty() ? Vec3(Vec3::Zero()) : d_.states_[0].o;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const auto& s = d_.states_[k];
    Body& b = bodies_[k];
    move_body(k);
    b.I = s.I;
    b.I.shift_back(s.o - x0_);
    const Halves<double> V(b.V);
    Halves<double> f = gyroscopic_force<ReferencePoint::kOrigin>(b.I, V);
    f += momentum<ReferencePoint::kOrigin>(b.I, Halves<double>(b.A));
    f.store(b.f);
    columns_of(k, q, v, a);
  }
  linearize_ports(t);
}

void TreePartials::take_place(const TreePartials& place) {
  q_ = place.q_;
  inertia_only_ = true;
  x0_ = place.x0_;
  S_ = place.S_;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    Body& b = bodies_[k];
    b.V.setZero();
    b.I = d_.states_[k].I;
    b.I.shift_back(d_.states_[k].o - x0_);
    b.R_WB = place.bodies_[k].R_WB;
    composite_[k].I = b.I;
  }
  Sdot_.setZero();
  for (std::size_t k = bodies_.size(); k-- > 0;) {
    const int parent = d_.nodes_[k].parent;
    if (parent >= 0) composite_[static_cast<std::size_t>(parent)].I += composite_[k].I;
  }
}

void TreePartials::linearize_inertia(std::span<const double> u) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const auto& node = d_.nodes_[k];
    Body& b = bodies_[k];
    const Halves<double> carrier(parent_A(k));
    Halves<double> A = carrier;
    for (int c = node.q; c < node.q + node.nq; ++c) {
      const Halves<double> S(S_.col(c));
      A.add(S, u[static_cast<std::size_t>(c)]);
      motion_cross(carrier, S).store(Sddot_.col(c));
    }
    A.store(b.A);
    momentum<ReferencePoint::kOrigin>(b.I, A).store(b.f);
    if (node.nq == 0 || node.kind != TreeDynamics<double>::Kind::kGeneral) continue;
    // at rest the second rate of a column is its first rate along u
    const JointVector<double> q = Eigen::Map<const VecX>(q_.data() + node.q, node.nq);
    const JointVector<double> part = Eigen::Map<const VecX>(u.data() + node.q, node.nq);
    const Pose<double> X = d_.frame_in_world(k);
    const JointColumns<double> H = node.joint->motion_dot(q, part);
    for (int c = 0; c < node.nq; ++c) {
      Sddot_.col(node.q + c) += transform_twist(Pose<double>{X.R, X.p - x0_}, H.col(c));
    }
  }
}

void TreePartials::set_active(std::span<const char> p_active) {
  p_active_.assign(p_active.begin(), p_active.end());
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
  q_.assign(q.begin(), q.end());
  inertia_only_ = false;
  x0_ = d_.states_.empty() ? Vec3(Vec3::Zero()) : d_.states_[0].o;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    move_body(k);
    columns_of(k, q, v, a);
  }
}

/// Efforts and partials of the ports, in world axes; forces on bodies enter their f.
void TreePartials::linearize_ports(double t) {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const Force& force = model_.forces()[i];
    Port& port = ports_[i];
    const PortKind kind = force.type->port();
    if (kind == PortKind::kField) {
      if (!force.type->uniform()) {
        each_body_in_field(force, [&](std::size_t k, const FieldState& at) {
          bodies_[k].f -= wrench_at(at.c, at.m * at.e);
        });
      }
      continue;
    }
    const Vec3 zero = Vec3::Zero();
    port.state = kind == PortKind::kJointCoordinate ? d_.joint_port_state(force, t)
                 : kind == PortKind::kBody          ? PortState<double>{zero, zero, t}
                                                    : d_.point_pair_state(force, t);
    const AttributeVector<double> attributes = d_.attributes(force);
    port.effort = force.type->effort(port.state, attributes);
    force.type->partials(port.state, attributes, port.partials);
    if (kind == PortKind::kJointCoordinate) continue;
    if (force.in_body_axes) turn_into_world(d_.effort_axes(force), port);
    const Vec3 e = port.effort;
    if (kind == PortKind::kBody) {
      const int node = d_.node_of_body_[static_cast<std::size_t>(force.body)];
      if (node >= 0) bodies_[static_cast<std::size_t>(node)].f.head<3>() -= e;
      continue;
    }
    const auto& [first, second] = d_.force_points_[i];
    const auto apply = [&](const auto& point, double sign) {
      if (point.node < 0) return;
      const Vec3 r = d_.point_state(point).r - x0_;
      bodies_[static_cast<std::size_t>(point.node)].f -= wrench_at(r, sign * e);
    };
    apply(first, -1);
    apply(second, 1);
  }
}

void TreePartials::turn_into_world(const Mat3& R, Port& port) {
  port.effort = (R * port.effort).eval();
  port.partials.e_x = (R * port.partials.e_x).eval();
  port.partials.e_xdot = (R * port.partials.e_xdot).eval();
  port.partials.e_p = (R * port.partials.e_p).eval();
}

/// (∂S_b/∂q_by)·f of all columns b of one joint, from Ḣ which is linear in the speeds.
JointVector<double> TreePartials::column_gradients(std::size_t k, int by,
                                                   const Twist<double>& f) const {
  const auto& node = d_.nodes_[k];
  JointVector<double> unit = JointVector<double>::Zero(node.nq);
  if (node.kind != TreeDynamics<double>::Kind::kGeneral) return unit;
  unit(by) = 1;
  return column_rates(k, unit, f);
}

/// Ṡ_b·f of all columns b of one joint, where its coordinates have the speeds w.
JointVector<double> TreePartials::column_rates(std::size_t k, const JointVector<double>& w,
                                               const Twist<double>& f) const {
  const auto& node = d_.nodes_[k];
  const JointVector<double> q = Eigen::Map<const VecX>(q_.data() + node.q, node.nq);
  const Pose<double> X = d_.frame_in_world(k);
  const Vec3 force = f.tail<3>(), moment = f.head<3>() - cross(X.p - x0_, force);
  Twist<double> in_F;  // f at the origin of F, in its axes
  in_F << X.R.transpose() * moment, X.R.transpose() * force;
  return node.joint->motion_dot(q, w).transpose() * in_F;
}

/// The bodies' part: [DP-3].
template <typename Matrix>
void TreePartials::add_tree_matrices(Matrix& r_q, Matrix& r_v, Matrix& r_a) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    composite_[k] = {bodies_[k].I, gyroscopic(bodies_[k])};
    sums_[k].f = bodies_[k].f;
  }
  for (std::size_t k = bodies_.size(); k-- > 0;) {
    const auto& node = d_.nodes_[k];
    const Composite& sum = composite_[k];
    const auto inertia = [&](const Halves<double>& x) {
      return momentum<ReferencePoint::kOrigin>(sum.I, x);
    };
    const Twist<double>& f = sums_[k].f;
    for (int c = 0; c < node.nq; ++c) {
      const int i = node.q + c;
      // rows: S_iᵀI_Σ and S_iᵀB_Σ against the columns before i; columns: what i moves, against those
      const Halves<double> S(S_.col(i)), Sdot(Sdot_.col(i));
      const Halves<double> row_I = inertia(S);
      const Triple<double> row_B = sum.B.transposed_times(S);
      Halves<double> by_q = force_cross(S, Halves<double>(f));
      by_q += inertia(Halves<double>(Sddot_.col(i)));
      by_q += sum.B * Sdot;
      Halves<double> by_v = sum.B * S;
      by_v.add(inertia(Sdot), 2.0);
      for (int up = static_cast<int>(k); up >= 0;) {
        const auto& ancestor = d_.nodes_[static_cast<std::size_t>(up)];
        for (int j = ancestor.q; j < ancestor.q + ancestor.nq; ++j) {
          const bool own = up == static_cast<int>(k);
          const Halves<double> S_j(S_.col(j)), Sdot_j(Sdot_.col(j));
          r_q(j, i) = power(S_j, by_q);
          if (!own) {
            r_q(i, j) = power(row_I, Halves<double>(Sddot_.col(j))) + dot(row_B, Sdot_j.w);
          }
          r_a(i, j) = r_a(j, i) = power(row_I, S_j);
          r_v(j, i) = power(S_j, by_v);
          if (!own) r_v(i, j) = 2.0 * power(row_I, Sdot_j) + dot(row_B, S_j.w);
        }
        up = ancestor.parent;
      }
      if (node.kind == TreeDynamics<double>::Kind::kGeneral) {
        const JointVector<double> gradients = column_gradients(k, c, f);
        for (int b = 0; b < node.nq; ++b) r_q(node.q + b, i) += gradients(b);
      }
    }
    if (node.parent < 0) continue;
    const auto parent = static_cast<std::size_t>(node.parent);
    composite_[parent].I += sum.I;
    composite_[parent].B += sum.B;
    sums_[parent].f += f;
  }
}

/// (M u)_q, the part of [DP-3] that is left at rest.
template <typename Matrix>
void TreePartials::add_inertia_matrix(Matrix& r_q) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) sums_[k].f = bodies_[k].f;
  for (std::size_t k = bodies_.size(); k-- > 0;) {
    const auto& node = d_.nodes_[k];
    const RigidInertia<double>& I = composite_[k].I;
    const Twist<double>& f = sums_[k].f;
    for (int c = 0; c < node.nq; ++c) {
      const int i = node.q + c;
      const Halves<double> S(S_.col(i));
      const Halves<double> row = momentum<ReferencePoint::kOrigin>(I, S);
      Halves<double> by_q = force_cross(S, Halves<double>(f));
      by_q += momentum<ReferencePoint::kOrigin>(I, Halves<double>(Sddot_.col(i)));
      for (int j = node.q; j < node.q + node.nq; ++j) {
        r_q(j, i) = power(Halves<double>(S_.col(j)), by_q);
      }
      if (node.kind == TreeDynamics<double>::Kind::kGeneral) {
        const JointVector<double> gradients = column_gradients(k, c, f);
        for (int b = 0; b < node.nq; ++b) r_q(node.q + b, i) += gradients(b);
      }
      if (node.parent < 0) continue;
      each_column(node.parent, [&](int j) {
        r_q(j, i) = power(Halves<double>(S_.col(j)), by_q);
        r_q(i, j) = power(row, Halves<double>(Sddot_.col(j)));
      });
    }
    if (node.parent >= 0) sums_[static_cast<std::size_t>(node.parent)].f += f;
  }
}

template <typename Matrix>
void TreePartials::fill_matrices(Matrix& r_q, Matrix& r_v, Matrix& r_a) {
  const int n = model_.nq();
  for (Matrix* A : {&r_q, &r_v, &r_a}) clear(*A, n, n);
  add_tree_matrices(r_q, r_v, r_a);
  for (std::size_t i = 0; i < ports_.size(); ++i) add_port_matrices(i, r_q, r_v, true);
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

void TreePartials::force_matrices(MatX& r_q, MatX& r_v) {
  r_q.setZero(model_.nq(), model_.nq());
  r_v.setZero(model_.nq(), model_.nq());
  for (std::size_t i = 0; i < ports_.size(); ++i) add_port_matrices(i, r_q, r_v, false);
}

}  // namespace kinegrad

#include "kinegrad/assembly/tree_partials.hpp"

#include <algorithm>

#include "kinegrad/base/error.hpp"
#include "kinegrad/model/physical.hpp"

namespace kinegrad {

using la::cross;
using la::skew;

namespace {

/// The matrix of x ↦ V×x.
Mat<double, 6, 6> motion_matrix(const Twist<double>& V) {
  Mat<double, 6, 6> X = Mat<double, 6, 6>::Zero();
  X.topLeftCorner<3, 3>() = skew(V.head<3>());
  X.bottomLeftCorner<3, 3>() = skew(V.tail<3>());
  X.bottomRightCorner<3, 3>() = X.topLeftCorner<3, 3>();
  return X;
}

/// The matrix of x ↦ x×*h.
Mat<double, 6, 6> momentum_matrix(const Twist<double>& h) {
  Mat<double, 6, 6> X = Mat<double, 6, 6>::Zero();
  X.topLeftCorner<3, 3>() = -skew(h.head<3>());
  X.topRightCorner<3, 3>() = -skew(h.tail<3>());
  X.bottomLeftCorner<3, 3>() = -skew(h.tail<3>());
  return X;
}

Twist<double> wrench_at(const Vec3& r, const Vec3& f) {
  Twist<double> F;
  F << cross(r, f), f;
  return F;
}

/// Velocity of the place r in the motion V.
Vec3 field_at(const Twist<double>& V, const Vec3& r) { return V.tail<3>() + cross(V.head<3>(), r); }

}  // namespace

TreePartials::TreePartials(const TreeDynamics<double>& dynamics)
    : d_(dynamics),
      model_(dynamics.model()),
      bodies_(dynamics.nodes_.size()),
      sums_(dynamics.nodes_.size()),
      ports_(model_.forces().size()),
      W_(dynamics.nodes_.size()) {
  for (Columns* c : {&S_, &Sdot_, &Sddot_, &S1_, &S2_}) c->resize(6, model_.nq());
  for (PortJacobian* J : {&port_, &input_}) {
    J->x_q.resize(3, model_.nq());
    J->xdot_q.resize(3, model_.nq());
  }
  effort_.resize(3, model_.nq());
  applied_.resize(model_.nq());
  variable_q_.resize(model_.nq());
  variable_v_.resize(model_.nq());
  bar_outputs_.resize(dynamics.force_outputs_.size());
  bar_registers_.resize(dynamics.force_registers_.size());
  bar_inputs_.resize(dynamics.force_input_values_.size());
}

/// A motion at the place `at`, taken at the common point.
Twist<double> TreePartials::to_common(const Twist<double>& X, const Vec3& at) const {
  Twist<double> out = X;
  shift_motion<double>(out, x0_ - at);
  return out;
}

Twist<double> TreePartials::parent_V(std::size_t k) const {
  const int parent = d_.nodes_[k].parent;
  return parent < 0 ? Twist<double>::Zero() : bodies_[static_cast<std::size_t>(parent)].V;
}

Twist<double> TreePartials::parent_A(std::size_t k) const {
  const int parent = d_.nodes_[k].parent;
  if (parent >= 0) return bodies_[static_cast<std::size_t>(parent)].A;
  Twist<double> ground = Twist<double>::Zero();
  ground.tail<3>() = -d_.field_;
  return ground;
}

void TreePartials::columns_of(std::size_t k, std::span<const double> q, std::span<const double> v,
                              std::span<const double> a) {
  const auto& node = d_.nodes_[k];
  const auto& s = d_.states_[k];
  const Twist<double> V = parent_V(k), A = parent_A(k);
  if (node.nq > 0 && node.kind == TreeDynamics<double>::Kind::kGeneral) {
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
  } else {
    S1_.middleCols(node.q, node.nq).setZero();
    S2_.middleCols(node.q, node.nq).setZero();
  }
  for (int c = node.q; c < node.q + node.nq; ++c) {
    S_.col(c) = to_common(d_.S_.col(c), s.o);
    Sdot_.col(c) = twist_cross(V, S_.col(c)) + S1_.col(c);
    Sddot_.col(c) = twist_cross(A, S_.col(c)) + twist_cross(V, Sdot_.col(c)) +
                    twist_cross(V, S1_.col(c)) + S2_.col(c);
  }
}

void TreePartials::linearize(double t, std::span<const double> q, std::span<const double> v,
                             std::span<const double> a) {
  q_ = q;
  t_ = t;
  x0_ = d_.states_.empty() ? Vec3(Vec3::Zero()) : d_.states_[0].o;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const auto& s = d_.states_[k];
    Body& b = bodies_[k];
    b.V = to_common(s.V, s.o);
    b.A = to_common(s.A, s.o);
    RigidInertia<double> I = s.I;
    I.shift_back(s.o - x0_);
    b.I = I.matrix();
    const Twist<double> h = b.I * b.V;
    const Mat<double, 6, 6> X = motion_matrix(b.V);
    // V×* = −(V×)ᵀ
    b.B.noalias() = -X.transpose() * b.I;
    b.B.noalias() -= b.I * X;
    b.B += momentum_matrix(h);
    b.f = b.I * b.A - X.transpose() * h;
    columns_of(k, q, v, a);
  }
  linearize_ports(t);
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

/// A field that changes from place to place, at every centre of mass: as a force m e on that point.
template <typename Visit>
void TreePartials::each_body_in_field(const Force& force, const Visit& visit) const {
  const AttributeVector<double> attributes = d_.attributes(force);
  FieldState at;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const auto s = d_.point_state({static_cast<int>(k), d_.nodes_[k].c});
    const PortState<double> state{s.r, s.rdot, t_};
    at.m = d_.nodes_[k].m;
    at.c = s.r - x0_;
    at.cdot = s.rdot;
    at.e = force.type->effort(state, attributes);
    force.type->partials(state, attributes, at.partials);
    visit(k, at);
  }
}

void TreePartials::turn_into_world(const Mat3& R, Port& port) {
  port.effort = (R * port.effort).eval();
  port.partials.e_x = (R * port.partials.e_x).eval();
  port.partials.e_xdot = (R * port.partials.e_xdot).eval();
  port.partials.e_p = (R * port.partials.e_p).eval();
}

/// ∂S_column/∂q_by for two coordinates of one joint, from Ḣ which is linear in the speeds.
Twist<double> TreePartials::column_gradient(std::size_t k, int column, int by) const {
  const auto& node = d_.nodes_[k];
  if (node.kind != TreeDynamics<double>::Kind::kGeneral) return Twist<double>::Zero();
  const JointVector<double> q = Eigen::Map<const VecX>(q_.data() + node.q, node.nq);
  JointVector<double> unit = JointVector<double>::Zero(node.nq);
  unit(by) = 1;
  const Pose<double> X = d_.frame_in_world(k);
  return transform_twist(Pose<double>{X.R, X.p - x0_}, node.joint->motion_dot(q, unit).col(column));
}

void TreePartials::matrices(MatX& r_q, MatX& r_v, MatX& r_a) {
  const int n = model_.nq();
  r_q.setZero(n, n);
  r_v.setZero(n, n);
  r_a.setZero(n, n);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    sums_[k].I = bodies_[k].I;
    sums_[k].B = bodies_[k].B;
    sums_[k].f = bodies_[k].f;
  }
  for (std::size_t k = bodies_.size(); k-- > 0;) {
    const auto& node = d_.nodes_[k];
    const Sums& sum = sums_[k];
    for (int c = 0; c < node.nq; ++c) {
      const int i = node.q + c;
      // rows: S_iᵀI_Σ and S_iᵀB_Σ against the columns before i; columns: what i moves, against those
      const Twist<double> row_I = sum.I * S_.col(i);
      const Twist<double> row_B = sum.B.transpose() * S_.col(i);
      const Twist<double> by_q =
          force_cross<double>(S_.col(i), sum.f) + sum.I * Sddot_.col(i) + sum.B * Sdot_.col(i);
      const Twist<double> by_v = 2.0 * (sum.I * Sdot_.col(i)) + sum.B * S_.col(i);
      for (int up = static_cast<int>(k); up >= 0;) {
        const auto& ancestor = d_.nodes_[static_cast<std::size_t>(up)];
        for (int j = ancestor.q; j < ancestor.q + ancestor.nq; ++j) {
          r_a(i, j) = r_a(j, i) = row_I.dot(S_.col(j));
          r_q(j, i) = S_.col(j).dot(by_q);
          r_v(j, i) = S_.col(j).dot(by_v);
          if (up == static_cast<int>(k)) {
            r_q(j, i) += column_gradient(k, j - node.q, c).dot(sum.f);
            continue;
          }
          r_q(i, j) = row_I.dot(Sddot_.col(j)) + row_B.dot(Sdot_.col(j));
          r_v(i, j) = 2.0 * row_I.dot(Sdot_.col(j)) + row_B.dot(S_.col(j));
        }
        up = ancestor.parent;
      }
    }
    if (node.parent < 0) continue;
    Sums& parent = sums_[static_cast<std::size_t>(node.parent)];
    parent.I += sum.I;
    parent.B += sum.B;
    parent.f += sum.f;
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    add_port_matrices(i, r_q, r_v, true);
  }
}

void TreePartials::force_matrices(MatX& r_q, MatX& r_v) {
  r_q.setZero(model_.nq(), model_.nq());
  r_v.setZero(model_.nq(), model_.nq());
  for (std::size_t i = 0; i < ports_.size(); ++i) add_port_matrices(i, r_q, r_v, false);
}

/// Adds ±∂r/∂q and ±∂ṙ/∂q of a point to the Jacobians [K-5], [K-6].
void TreePartials::point_jacobian(int node, const Vec3& r, const Vec3& rdot, double sign,
                                  PortJacobian& J) const {
  for (int k = node; k >= 0; k = d_.nodes_[static_cast<std::size_t>(k)].parent) {
    const auto& n = d_.nodes_[static_cast<std::size_t>(k)];
    for (int c = n.q; c < n.q + n.nq; ++c) {
      const Vec3 w = S_.col(c).head<3>();
      J.x_q.col(c) += sign * field_at(S_.col(c), r);
      J.xdot_q.col(c) += sign * (field_at(Sdot_.col(c), r) + cross(w, rdot));
    }
  }
}

/// The same for a direction fixed on a body.
void TreePartials::direction_jacobian(int node, const Vec3& e, const Vec3& edot,
                                      PortJacobian& J) const {
  for (int k = node; k >= 0; k = d_.nodes_[static_cast<std::size_t>(k)].parent) {
    const auto& n = d_.nodes_[static_cast<std::size_t>(k)];
    for (int c = n.q; c < n.q + n.nq; ++c) {
      const Vec3 w = S_.col(c).head<3>(), wdot = Sdot_.col(c).head<3>();
      J.x_q.col(c) += cross(w, e);
      J.xdot_q.col(c) += cross(wdot, e) + cross(w, edot);
    }
  }
}

/// ∂x/∂q (= ∂ẋ/∂v, by which the effort is applied) and ∂ẋ/∂q of a force's port.
void TreePartials::port_jacobian(std::size_t i, PortJacobian& J) const {
  const Force& force = model_.forces()[i];
  J.x_q.setZero();
  J.xdot_q.setZero();
  if (force.type->port() == PortKind::kJointCoordinate) {
    J.x_q(0, model_.joints()[static_cast<std::size_t>(force.joint)].q_first + force.coordinate) = 1;
  } else if (force.type->port() == PortKind::kBody) {
    int k = d_.node_of_body_[static_cast<std::size_t>(force.body)];
    for (; k >= 0; k = d_.nodes_[static_cast<std::size_t>(k)].parent) {
      const auto& n = d_.nodes_[static_cast<std::size_t>(k)];
      J.x_q.middleCols(n.q, n.nq) = S_.middleCols(n.q, n.nq).topRows<3>();
    }
  } else {
    const auto& [first, second] = d_.force_points_[i];
    const auto a = d_.point_state(first), b = d_.point_state(second);
    point_jacobian(first.node, a.r - x0_, a.rdot, -1, J);
    point_jacobian(second.node, b.r - x0_, b.rdot, 1, J);
  }
}

/// r_q = −Jᵀ(e_x J + e_ẋ J̇), r_v = −Jᵀe_ẋJ, and what varying attributes add. The turning of the
/// force's lever is in f_Σ already; what is left of it is [DP-5].
void TreePartials::add_port_matrices(std::size_t i, MatX& r_q, MatX& r_v, bool exact) {
  const Force& force = model_.forces()[i];
  const PortKind kind = force.type->port();
  if (kind == PortKind::kField) return add_field_matrices(force, r_q, r_v, exact);
  const Port& port = ports_[i];
  port_jacobian(i, port_);
  const Eigen::Matrix3Xd& J = port_.x_q;
  if (kind == PortKind::kJointCoordinate) {
    const int c = model_.joints()[static_cast<std::size_t>(force.joint)].q_first + force.coordinate;
    r_q(c, c) -= port.partials.e_x(0, 0);
    r_v(c, c) -= port.partials.e_xdot(0, 0);
  } else if (kind != PortKind::kBody) {
    const Mat3 e_x = port.partials.e_x, e_xdot = port.partials.e_xdot;
    effort_.noalias() = e_x * J;
    effort_.noalias() += e_xdot * port_.xdot_q;
    r_q.noalias() -= J.transpose() * effort_;
    effort_.noalias() = e_xdot * J;
    r_v.noalias() -= J.transpose() * effort_;
  }
  for (const auto& [place, output] : force.variable) {
    variable_gradient(output);
    Vec3 by_attribute = Vec3::Zero();
    by_attribute.head(port.effort.size()) = port.partials.e_p.col(place);
    applied_.noalias() = J.transpose() * by_attribute;
    r_q.noalias() -= applied_ * variable_q_.transpose();
    r_v.noalias() -= applied_ * variable_v_.transpose();
  }
  if (!exact || force.in_body_axes || kind == PortKind::kJointCoordinate) return;
  const Vec3 e = port.effort;
  if (kind == PortKind::kBody) {
    for (int c = 0; c < model_.nq(); ++c) {
      r_q.col(c).noalias() += J.transpose() * cross(J.col(c), e);
    }
    return;
  }
  const auto& [first, second] = d_.force_points_[i];
  add_lever(first.node, d_.point_state(first).r - x0_, -e, r_q);
  add_lever(second.node, d_.point_state(second).r - x0_, e, r_q);
}

void TreePartials::add_field_matrices(const Force& force, MatX& r_q, MatX& r_v, bool exact) {
  if (force.type->uniform()) return;
  each_body_in_field(force, [&](std::size_t k, const FieldState& at) {
    port_.x_q.setZero();
    port_.xdot_q.setZero();
    point_jacobian(static_cast<int>(k), at.c, at.cdot, 1, port_);
    const Mat3 e_x = at.m * at.partials.e_x, e_xdot = at.m * at.partials.e_xdot;
    effort_.noalias() = e_x * port_.x_q;
    effort_.noalias() += e_xdot * port_.xdot_q;
    r_q.noalias() -= port_.x_q.transpose() * effort_;
    effort_.noalias() = e_xdot * port_.x_q;
    r_v.noalias() -= port_.x_q.transpose() * effort_;
    if (exact) add_lever(static_cast<int>(k), at.c, at.m * at.e, r_q);
  });
}

/// The pull-back of such a field: position, velocity, attributes, and each body's m and c.
void TreePartials::pull_varying_field(const Force& force, const ResidualCotangent& out) {
  each_body_in_field(force, [&](std::size_t k, const FieldState& at) {
    const Vec3 v_w = field_at(W_[k], at.c), e = at.m * at.e;
    const Vec3 r_bar = -at.m * (at.partials.e_x.transpose() * v_w);
    const Vec3 rdot_bar = -at.m * (at.partials.e_xdot.transpose() * v_w);
    gather_point(static_cast<int>(k), at.c, at.cdot, e, r_bar, rdot_bar);
    const AttributeVector<double> bar = -at.m * (at.partials.e_p.transpose() * v_w);
    for (Eigen::Index m = 0; m < bar.size(); ++m) {
      out.p[static_cast<std::size_t>(force.attributes + m)] += bar(m);
    }
    const MassBlock& mass =
        model_.bodies()[static_cast<std::size_t>(model_.topology().nodes[k].body)].mass;
    out.p[static_cast<std::size_t>(mass.mass)] -= v_w.dot(at.e);
    body_point_cotangent(static_cast<int>(k), mass.com, e, r_bar, rdot_bar, out.p);
  });
}

/// Gradient of one output of the force tape with respect to coordinates and speeds.
void TreePartials::variable_gradient(int output) {
  std::fill(bar_outputs_.begin(), bar_outputs_.end(), 0.0);
  std::fill(bar_inputs_.begin(), bar_inputs_.end(), 0.0);
  bar_outputs_[static_cast<std::size_t>(output)] = 1;
  model_.force_tape().reverse(d_.force_input_values_, d_.force_registers_, bar_outputs_,
                              bar_registers_, bar_inputs_);
  variable_q_.setZero();
  variable_v_.setZero();
  for (std::size_t k = 0; k < model_.force_inputs().size(); ++k) {
    const double bar = bar_inputs_[static_cast<std::size_t>(model_.force_inputs()[k])];
    const SignalInput& in = d_.force_input(k);
    if (bar == 0) continue;
    if (in.kind == SignalInput::Kind::kJoint) {
      const int c = model_.joints()[static_cast<std::size_t>(in.element)].q_first + in.component;
      (in.order == 0 ? variable_q_ : variable_v_)(c) += bar;
    } else if (in.kind == SignalInput::Kind::kVector) {
      input_.x_q.setZero();
      input_.xdot_q.setZero();
      const auto& point = d_.input_points_[k];
      if (model_.vectors()[static_cast<std::size_t>(in.element)].is_point) {
        const auto s = d_.point_state(point);
        point_jacobian(point.node, s.r - x0_, s.rdot, 1, input_);
      } else {
        const auto s = d_.direction_state(point);
        direction_jacobian(point.node, s.r, s.rdot, input_);
      }
      const auto x_row = input_.x_q.row(in.component).transpose();
      if (in.order == 0) {
        variable_q_ += bar * x_row;
      } else {
        variable_q_ += bar * input_.xdot_q.row(in.component).transpose();
        variable_v_ += bar * x_row;
      }
    }
  }
}

/// [DP-5]: S_iᵀ times the wrench of w_j×e at r, for all pairs of columns before the point.
void TreePartials::add_lever(int node, const Vec3& r, const Vec3& e, MatX& r_q) const {
  for (int k = node; k >= 0; k = d_.nodes_[static_cast<std::size_t>(k)].parent) {
    const auto& nk = d_.nodes_[static_cast<std::size_t>(k)];
    for (int j = nk.q; j < nk.q + nk.nq; ++j) {
      const Twist<double> F = wrench_at(r, cross(S_.col(j).head<3>(), e));
      for (int m = node; m >= 0; m = d_.nodes_[static_cast<std::size_t>(m)].parent) {
        const auto& nm = d_.nodes_[static_cast<std::size_t>(m)];
        for (int i = nm.q; i < nm.q + nm.nq; ++i) r_q(i, j) += S_.col(i).dot(F);
      }
    }
  }
}

// ---------------------------------------------------------------------------------------------------

/// Cotangents of a point's position and velocity, and the turning of the lever of a force on it that
/// keeps its direction in the world [DP-5].
void TreePartials::gather_point(int node, const Vec3& r, const Vec3& rdot, const Vec3& lever,
                                const Vec3& r_bar, const Vec3& rdot_bar) {
  if (node < 0) return;
  Sums& s = sums_[static_cast<std::size_t>(node)];
  s.g += wrench_at(r, r_bar);
  s.g.head<3>() += cross(lever, field_at(W_[static_cast<std::size_t>(node)], r));
  s.z += wrench_at(r, rdot_bar);
  s.g.head<3>() += cross(rdot, rdot_bar);
}

void TreePartials::pullback(std::span<const double> w, const ResidualCotangent& out) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const auto& node = d_.nodes_[k];
    const Body& b = bodies_[k];
    W_[k] = node.parent < 0 ? Twist<double>::Zero() : W_[static_cast<std::size_t>(node.parent)];
    for (int c = node.q; c < node.q + node.nq; ++c) {
      W_[k] += S_.col(c) * w[static_cast<std::size_t>(c)];
    }
    sums_[k].f = b.f;
    sums_[k].y = b.I * W_[k];
    sums_[k].z = b.B.transpose() * W_[k];
    sums_[k].g.setZero();
    pull_mass(k, out.p);
  }
  pull_ports(w, out);
  for (std::size_t k = bodies_.size(); k-- > 0;) {
    pull_joint(k, out, w);
    pull_frames(k, out.p);
    const int parent = d_.nodes_[k].parent;
    if (parent < 0) continue;
    Sums& up = sums_[static_cast<std::size_t>(parent)];
    up.f += sums_[k].f;
    up.y += sums_[k].y;
    up.z += sums_[k].z;
    up.g += sums_[k].g;
  }
  pull_field(out.p);
}

/// [DP-4] for the joint's own coordinates.
void TreePartials::pull_joint(std::size_t k, const ResidualCotangent& out,
                              std::span<const double> w) const {
  const auto& node = d_.nodes_[k];
  const Sums& s = sums_[k];
  const Twist<double> W_parent =
      node.parent < 0 ? Twist<double>::Zero() : W_[static_cast<std::size_t>(node.parent)];
  const Twist<double> Wf = force_cross<double>(W_parent, s.f);
  for (int c = 0; c < node.nq; ++c) {
    const int j = node.q + c;
    const auto J = static_cast<std::size_t>(j);
    double q_bar =
        -S_.col(j).dot(Wf) + Sddot_.col(j).dot(s.y) + Sdot_.col(j).dot(s.z) + S_.col(j).dot(s.g);
    for (int b = 0; b < node.nq; ++b) {
      const Twist<double> change =
          twist_cross(S_.col(node.q + b), S_.col(j)) + column_gradient(k, b, c);
      q_bar += w[static_cast<std::size_t>(node.q + b)] * change.dot(s.f);
    }
    out.q[J] += q_bar;
    out.v[J] += 2.0 * Sdot_.col(j).dot(s.y) + S_.col(j).dot(s.z);
    out.a[J] += S_.col(j).dot(s.y);
  }
}

/// [DP-4] for the frozen columns of frames F and M: g_S is the cotangent of a column fixed in the
/// carrier with motion (V, A), and the columns are shifts and turns [K-8].
void TreePartials::pull_frames(std::size_t k, std::span<double> p_bar) const {
  const TreeNode& tree_node = model_.topology().nodes[k];
  const Joint& joint = model_.joints()[static_cast<std::size_t>(tree_node.joint)];
  const auto& node = d_.nodes_[k];
  const Sums& s = sums_[k];
  const auto side = [&](FrameBlock block, const Twist<double>& V, const Twist<double>& A,
                        const Twist<double>& W, const Mat3& R_WB, const Vec3& at, double sign) {
    const Twist<double> Vy = force_cross<double>(V, s.y);
    const Twist<double> G = -force_cross<double>(W, s.f) - force_cross<double>(A, s.y) +
                            force_cross<double>(V, Vy) - force_cross<double>(V, s.z) + s.g;
    const Vec3 shift = sign * (R_WB.transpose() * G.tail<3>());
    const Vec3 turn = sign * (R_WB.transpose() * (G.head<3>() + cross(G.tail<3>(), at)));
    const Mat3 R = frame_at(std::span<const double>(d_.p_store_), block).R;
    const Mat3 R_bar = 0.5 * (skew(turn) * R);  // ⟨R̄, φ̃R⟩ = turnᵀφ
    for (int i = 0; i < 3; ++i) {
      p_bar[static_cast<std::size_t>(block.origin() + i)] += shift(i);
      for (int j = 0; j < 3; ++j) {
        p_bar[static_cast<std::size_t>(block.rotation() + 3 * i + j)] += R_bar(i, j);
      }
    }
  };
  const Twist<double> W_parent =
      node.parent < 0 ? Twist<double>::Zero() : W_[static_cast<std::size_t>(node.parent)];
  const Pose<double> X_WF = d_.frame_in_world(k);
  side(tree_node.reversed ? joint.M : joint.F, parent_V(k), parent_A(k), W_parent,
       d_.body_rotation(node.parent), X_WF.p - x0_, 1);
  side(tree_node.reversed ? joint.F : joint.M, bodies_[k].V, bodies_[k].A, W_[k],
       d_.body_rotation(static_cast<int>(k)), d_.states_[k].r_WM - x0_, -1);
}

/// Wᵀf of a body is linear in its mass properties: with the weights' velocity v and turn w at the
/// centre of mass and its acceleration a, W·f = m v·a + w·(Jα + ω×Jω) [DP-6].
void TreePartials::pull_mass(std::size_t k, std::span<double> p_bar) const {
  const Body& b = bodies_[k];
  const auto& node = d_.nodes_[k];
  const auto& s = d_.states_[k];
  const MassBlock& block =
      model_.bodies()[static_cast<std::size_t>(model_.topology().nodes[k].body)].mass;
  const Mat3 R = d_.body_rotation(static_cast<int>(k));
  const Vec3 c = s.r_WM + s.R_WM * node.c - x0_;
  const Vec3 omega = b.V.head<3>(), alpha = b.A.head<3>(), w = W_[k].head<3>();
  const Vec3 v = field_at(W_[k], c);
  const Vec3 a = field_at(b.A, c) + cross(omega, field_at(b.V, c));  // of the centre of mass
  p_bar[static_cast<std::size_t>(block.mass)] += v.dot(a);
  const Vec3 c_bar =
      node.m * (R.transpose() * (cross(a, w) + cross(v, alpha) + cross(cross(v, omega), omega)));
  for (int i = 0; i < 3; ++i) p_bar[static_cast<std::size_t>(block.com + i)] += c_bar(i);
  const Mat3 J_bar =
      R.transpose() * (alpha * w.transpose() + omega * cross(w, omega).transpose()) * R;
  const auto J = [&](int i) -> double& {
    return p_bar[static_cast<std::size_t>(block.inertia + i)];
  };
  for (int i = 0; i < 3; ++i) J(i) += J_bar(i, i);
  J(3) += J_bar(0, 1) + J_bar(1, 0);
  J(4) += J_bar(0, 2) + J_bar(2, 0);
  J(5) += J_bar(1, 2) + J_bar(2, 1);
}

/// −ẋ_w·e of the ports: their variables, attributes and points.
void TreePartials::pull_ports(std::span<const double> w, const ResidualCotangent& out) {
  std::fill(bar_outputs_.begin(), bar_outputs_.end(), 0.0);
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const Force& force = model_.forces()[i];
    const Port& port = ports_[i];
    switch (force.type->port()) {
      case PortKind::kField:
        if (!force.type->uniform()) pull_varying_field(force, out);
        break;
      case PortKind::kJointCoordinate: {
        const auto c = static_cast<std::size_t>(
            model_.joints()[static_cast<std::size_t>(force.joint)].q_first + force.coordinate);
        out.q[c] -= w[c] * port.partials.e_x(0, 0);
        out.v[c] -= w[c] * port.partials.e_xdot(0, 0);
        pull_attributes(force, port, PortVector<double>::Constant(1, w[c]), out.p);
        break;
      }
      case PortKind::kBody: {
        const int node = d_.node_of_body_[static_cast<std::size_t>(force.body)];
        if (node < 0) break;
        const Vec3 turn = W_[static_cast<std::size_t>(node)].head<3>(), e = port.effort;
        pull_attributes(force, port, turn, out.p);
        if (!force.in_body_axes)
          sums_[static_cast<std::size_t>(node)].g.head<3>() += cross(e, turn);
        break;
      }
      default: pull_points(i, out); break;
    }
  }
  pull_variables(out);
}

/// Attributes: −e_pᵀ times the weights' port rate; those that vary go on to the force tape.
void TreePartials::pull_attributes(const Force& force, const Port& port,
                                   const PortVector<double>& weight, std::span<double> p_bar) {
  AttributeVector<double> bar = -(port.partials.e_p.transpose() * weight);
  for (const auto& [place, output] : force.variable) {
    bar_outputs_[static_cast<std::size_t>(output)] += bar(place);
    bar(place) = 0;
  }
  for (Eigen::Index m = 0; m < bar.size(); ++m) {
    p_bar[static_cast<std::size_t>(force.attributes + m)] += bar(m);
  }
}

void TreePartials::pull_points(std::size_t i, const ResidualCotangent& out) {
  const Force& force = model_.forces()[i];
  const Port& port = ports_[i];
  const auto& [first, second] = d_.force_points_[i];
  const auto a = d_.point_state(first), b = d_.point_state(second);
  const auto weight_of = [&](const auto& point, const Vec3& r) {
    return point.node < 0 ? Vec3(Vec3::Zero())
                          : field_at(W_[static_cast<std::size_t>(point.node)], r - x0_);
  };
  const Vec3 xdot_w = weight_of(second, b.r) - weight_of(first, a.r);
  const Vec3 e = port.effort;
  const Vec3 lever = force.in_body_axes ? Vec3(Vec3::Zero()) : e;
  const Vec3 x_bar = -(port.partials.e_x.transpose() * xdot_w);
  const Vec3 xdot_bar = -(port.partials.e_xdot.transpose() * xdot_w);
  pull_attributes(force, port, xdot_w, out.p);
  gather_point(first.node, a.r - x0_, a.rdot, -lever, -x_bar, -xdot_bar);
  gather_point(second.node, b.r - x0_, b.rdot, lever, x_bar, xdot_bar);
  if (force.point1 >= 0) {
    point_cotangent(force.point1, first.node, -e, -x_bar, -xdot_bar, out.p);
  }
  point_cotangent(force.point2, second.node, e, x_bar, xdot_bar, out.p);
}

/// What the varying attributes read: through the force tape to coordinates, points and parameters.
void TreePartials::pull_variables(const ResidualCotangent& out) {
  if (bar_outputs_.empty()) return;
  std::fill(bar_inputs_.begin(), bar_inputs_.end(), 0.0);
  model_.force_tape().reverse(d_.force_input_values_, d_.force_registers_, bar_outputs_,
                              bar_registers_, bar_inputs_);
  const Vec3 none = Vec3::Zero();
  for (std::size_t k = 0; k < model_.force_inputs().size(); ++k) {
    const double bar = bar_inputs_[static_cast<std::size_t>(model_.force_inputs()[k])];
    const SignalInput& in = d_.force_input(k);
    if (in.kind == SignalInput::Kind::kPhysical) {
      out.p[static_cast<std::size_t>(in.element)] += bar;
    } else if (in.kind == SignalInput::Kind::kJoint) {
      const int c = model_.joints()[static_cast<std::size_t>(in.element)].q_first + in.component;
      (in.order == 0 ? out.q : out.v)[static_cast<std::size_t>(c)] += bar;
    } else if (in.kind == SignalInput::Kind::kVector) {
      const auto& point = d_.input_points_[k];
      const Vec3 component = bar * Vec3::Unit(in.component);
      const Vec3 r_bar = in.order == 0 ? component : none;
      const Vec3 rdot_bar = in.order == 0 ? none : component;
      if (model_.vectors()[static_cast<std::size_t>(in.element)].is_point) {
        const auto s = d_.point_state(point);
        gather_point(point.node, s.r - x0_, s.rdot, none, r_bar, rdot_bar);
      } else if (point.node >= 0) {
        const auto s = d_.direction_state(point);
        Sums& sum = sums_[static_cast<std::size_t>(point.node)];
        sum.g.head<3>() += cross(s.r, r_bar) + cross(s.rdot, rdot_bar);
        sum.z.head<3>() += cross(s.r, rdot_bar);
      }
      point_cotangent(in.element, point.node, none, r_bar, rdot_bar, out.p);
    }
  }
}

/// A point's own coordinates in its body: r = … + R c, ṙ = … + ω×R c, and the lever of the force.
void TreePartials::point_cotangent(int vector, int node, const Vec3& e, const Vec3& r_bar,
                                   const Vec3& rdot_bar, std::span<double> p_bar) const {
  const int first = model_.vectors()[static_cast<std::size_t>(vector)].first;
  body_point_cotangent(node, first, e, r_bar, rdot_bar, p_bar);
}

void TreePartials::body_point_cotangent(int node, int first, const Vec3& e, const Vec3& r_bar,
                                        const Vec3& rdot_bar, std::span<double> p_bar) const {
  Vec3 c_bar = r_bar;
  if (node >= 0) {
    const auto k = static_cast<std::size_t>(node);
    const Vec3 world = r_bar + cross(rdot_bar, bodies_[k].V.head<3>()) - cross(e, W_[k].head<3>());
    c_bar = d_.body_rotation(node).transpose() * world;
  }
  for (int i = 0; i < 3; ++i) p_bar[static_cast<std::size_t>(first + i)] += c_bar(i);
}

/// Uniform fields: −Σ m v_w·g.
void TreePartials::pull_field(std::span<double> p_bar) const {
  Vec3 weight = Vec3::Zero();
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const auto& s = d_.states_[k];
    const Vec3 c = s.r_WM + s.R_WM * d_.nodes_[k].c - x0_;
    weight += d_.nodes_[k].m * field_at(W_[k], c);
  }
  for (const Force& force : model_.forces()) {
    if (force.type->port() != PortKind::kField || !force.type->uniform()) continue;
    ForcePartials partials;
    const Vec3 zero = Vec3::Zero();
    force.type->partials({zero, zero, 0.0}, d_.attributes(force), partials);
    const auto bar = (partials.e_p.transpose() * weight).eval();
    for (Eigen::Index m = 0; m < bar.size(); ++m) {
      p_bar[static_cast<std::size_t>(force.attributes + m)] -= bar(m);
    }
  }
}

}  // namespace kinegrad

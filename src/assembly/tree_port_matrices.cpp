// The parts of r_q and r_v that come from applied forces.
#include <algorithm>

#include "assembly/tree_partials_detail.hpp"

namespace kinegrad {

using la::cross;

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

/// Gradient of one output of the force tape with respect to coordinates and speeds.
void TreePartials::variable_gradient(int output) {
  std::fill(bar_outputs_.begin(), bar_outputs_.end(), 0.0);
  bar_outputs_[static_cast<std::size_t>(output)] = 1;
  variable_q_.setZero();
  variable_v_.setZero();
  pull_force_tape([&](std::size_t k, double bar) { add_input_gradient(k, bar); },
                  [](int, double) {});
}

void TreePartials::add_input_gradient(std::size_t k, double bar) {
  const SignalInput& in = d_.force_input(k);
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

}  // namespace kinegrad

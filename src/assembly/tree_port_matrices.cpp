// The parts of r_q and r_v that come from applied forces.
#include <algorithm>

#include "assembly/tree_partials_detail.hpp"

namespace kinegrad {

using la::cross;
using la::dot;

/// Adds ±∂r/∂q and ±∂ṙ/∂q of a point to the Jacobians [K-5], [K-6].
void TreePartials::point_jacobian(int node, const Vec3& r, const Vec3& rdot, double sign,
                                  PortJacobian& J) const {
  each_column(node, [&](int c) {
    const Vec3 w = S_.col(c).head<3>();
    J.x_q.col(c) += sign * field_at(S_.col(c), r);
    J.xdot_q.col(c) += sign * (field_at(Sdot_.col(c), r) + cross(w, rdot));
  });
}

/// The same for a direction fixed on a body.
void TreePartials::direction_jacobian(int node, const Vec3& e, const Vec3& edot,
                                      PortJacobian& J) const {
  each_column(node, [&](int c) {
    const Vec3 w = S_.col(c).head<3>(), wdot = Sdot_.col(c).head<3>();
    J.x_q.col(c) += cross(w, e);
    J.xdot_q.col(c) += cross(wdot, e) + cross(w, edot);
  });
}

/// ∂x/∂q (= ∂ẋ/∂v, by which the effort is applied) and ∂ẋ/∂q of a force's port; the columns that
/// the port does not depend on are left as they are.
void TreePartials::port_jacobian(std::size_t i, PortJacobian& J) const {
  const Force& force = model_.forces()[i];
  for (const int c : port_columns_[i].port) {
    J.x_q.col(c).setZero();
    J.xdot_q.col(c).setZero();
  }
  if (force.type->port() == PortKind::kJointCoordinate) {
    J.x_q(0, port_columns_[i].port.front()) = 1;
  } else if (force.type->port() == PortKind::kBody) {
    for (const int c : port_columns_[i].port) J.x_q.col(c) = S_.col(c).head<3>();
  } else {
    const auto& [first, second] = d_.force_points_[i];
    const auto a = d_.point_state(first), b = d_.point_state(second);
    point_jacobian(first.node, a.r - x0_, a.rdot, -1, J);
    point_jacobian(second.node, b.r - x0_, b.rdot, 1, J);
  }
}

/// r_q −= Jᵀ(e_x J + e_ẋ J̇), r_v −= Jᵀe_ẋJ in some columns of the port's Jacobians.
template <typename Matrix>
void TreePartials::add_point_block(std::span<const int> columns, const Mat3& e_x,
                                   const Mat3& e_xdot, Matrix& r_q, Matrix& r_v) {
  for (const int j : columns) {
    const Vec3 by_v = e_xdot * port_.x_q.col(j);
    const Vec3 by_q = e_x * port_.x_q.col(j) + e_xdot * port_.xdot_q.col(j);
    for (const int i : columns) {
      r_q(i, j) -= dot(port_.x_q.col(i), by_q);
      r_v(i, j) -= dot(port_.x_q.col(i), by_v);
    }
  }
}

/// What varying attributes add: the effort they make, applied by Jᵀ, times their gradient.
template <typename Matrix>
void TreePartials::add_varying(std::size_t i, Matrix& r_q, Matrix& r_v) {
  const Force& force = model_.forces()[i];
  const Port& port = ports_[i];
  for (std::size_t k = 0; k < force.variable.size(); ++k) {
    const auto& [place, output] = force.variable[k];
    const std::vector<int>& columns = port_columns_[i].varying[k];
    variable_gradient(output, columns);
    Vec3 by_attribute = Vec3::Zero();
    by_attribute.head(port.effort.size()) = port.partials.e_p.col(place);
    for (const int r : port_columns_[i].port) {
      const double applied = dot(port_.x_q.col(r), by_attribute);
      for (const int c : columns) {
        r_q(r, c) -= applied * variable_q_(c);
        r_v(r, c) -= applied * variable_v_(c);
      }
    }
  }
}

/// r_q = −Jᵀ(e_x J + e_ẋ J̇), r_v = −Jᵀe_ẋJ, and what varying attributes add. The turning of the
/// force's lever is in f_Σ already; what is left of it is [DP-5].
template <typename Matrix>
void TreePartials::add_port_matrices(std::size_t i, Matrix& r_q, Matrix& r_v, bool exact) {
  const Force& force = model_.forces()[i];
  const PortKind kind = force.type->port();
  if (kind == PortKind::kField) return add_field_matrices(force, r_q, r_v, exact);
  const Port& port = ports_[i];
  const std::vector<int>& columns = port_columns_[i].port;
  port_jacobian(i, port_);
  if (kind == PortKind::kJointCoordinate) {
    const int c = columns.front();
    r_q(c, c) -= port.partials.e_x(0, 0);
    r_v(c, c) -= port.partials.e_xdot(0, 0);
  } else if (kind != PortKind::kBody) {
    add_point_block<Matrix>(columns, port.partials.e_x, port.partials.e_xdot, r_q, r_v);
  }
  add_varying(i, r_q, r_v);
  if (!exact || force.in_body_axes || kind == PortKind::kJointCoordinate) return;
  const Vec3 e = port.effort;
  if (kind == PortKind::kBody) {
    for (const int c : columns) {
      const Vec3 turned = cross(port_.x_q.col(c), e);
      for (const int r : columns) r_q(r, c) += dot(port_.x_q.col(r), turned);
    }
    return;
  }
  const auto& [first, second] = d_.force_points_[i];
  add_lever(first.node, d_.point_state(first).r - x0_, -e, r_q);
  add_lever(second.node, d_.point_state(second).r - x0_, e, r_q);
}

template <typename Matrix>
void TreePartials::add_field_matrices(const Force& force, Matrix& r_q, Matrix& r_v, bool exact) {
  if (force.type->uniform()) return;
  each_body_in_field(force, [&](std::size_t k, const FieldState& at) {
    body_columns_.clear();
    each_column(static_cast<int>(k), [&](int c) {
      body_columns_.push_back(c);
      port_.x_q.col(c).setZero();
      port_.xdot_q.col(c).setZero();
    });
    point_jacobian(static_cast<int>(k), at.c, at.cdot, 1, port_);
    add_point_block<Matrix>(body_columns_, at.m * at.partials.e_x, at.m * at.partials.e_xdot, r_q,
                            r_v);
    if (exact) add_lever(static_cast<int>(k), at.c, at.m * at.e, r_q);
  });
}

/// Gradient of one output of the force tape with respect to the coordinates it depends on, and their
/// speeds; other entries are left as they are.
void TreePartials::variable_gradient(int output, std::span<const int> columns) {
  std::fill(bar_outputs_.begin(), bar_outputs_.end(), 0.0);
  bar_outputs_[static_cast<std::size_t>(output)] = 1;
  for (const int c : columns) variable_q_(c) = variable_v_(c) = 0;
  pull_force_tape([&](std::size_t k, double bar) { add_input_gradient(k, bar); },
                  [](int, double) {});
}

void TreePartials::add_input_gradient(std::size_t k, double bar) {
  const SignalInput& in = d_.force_input(k);
  if (in.kind == SignalInput::Kind::kJoint) {
    const int c = model_.joints()[static_cast<std::size_t>(in.element)].q_first + in.component;
    (in.order == 0 ? variable_q_ : variable_v_)(c) += bar;
  } else if (in.kind == SignalInput::Kind::kVector) {
    const auto& point = d_.input_points_[k];
    each_column(point.node, [&](int c) {
      input_.x_q.col(c).setZero();
      input_.xdot_q.col(c).setZero();
    });
    if (model_.vectors()[static_cast<std::size_t>(in.element)].is_point) {
      const auto s = d_.point_state(point);
      point_jacobian(point.node, s.r - x0_, s.rdot, 1, input_);
    } else {
      const auto s = d_.direction_state(point);
      direction_jacobian(point.node, s.r, s.rdot, input_);
    }
    each_column(point.node, [&](int c) {
      const double x = bar * input_.x_q(in.component, c);
      variable_q_(c) += in.order == 0 ? x : bar * input_.xdot_q(in.component, c);
      if (in.order != 0) variable_v_(c) += x;
    });
  }
}

/// [DP-5]: S_iᵀ times the wrench of w_j×e at r, for all pairs of columns before the point.
template <typename Matrix>
void TreePartials::add_lever(int node, const Vec3& r, const Vec3& e, Matrix& r_q) const {
  each_column(node, [&](int j) {
    const Twist<double> F = wrench_at(r, cross(S_.col(j).head<3>(), e));
    each_column(node, [&](int i) { r_q(i, j) += dot(S_.col(i), F); });
  });
}

template void TreePartials::add_port_matrices(std::size_t, MatX&, MatX&, bool);
template void TreePartials::add_port_matrices(std::size_t, SparseRows<double>&, SparseRows<double>&,
                                              bool);

}  // namespace kinegrad

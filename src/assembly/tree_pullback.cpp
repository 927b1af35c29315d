// The pull-back of the residual: cotangents of coordinates and parameters in O(n) [DP-4].
#include <algorithm>

#include "assembly/body_forces.hpp"
#include "assembly/tree_partials_detail.hpp"
#include "kinegrad/model/physical.hpp"

namespace kinegrad {

using la::cross;
using la::skew;

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
  open(w, out);
  close(w, out);
}

void TreePartials::open(std::span<const double> w, const ResidualCotangent& out) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const auto& node = d_.nodes_[k];
    const Body& b = bodies_[k];
    Sums& s = sums_[k];
    s.g.setZero();
    if (w.empty()) {
      W_[k].setZero();
      s.f.setZero();
      s.y.setZero();
      s.z.setZero();
      continue;
    }
    Halves<double> W = node.parent < 0 ? Halves<double>::zero()
                                       : Halves<double>(W_[static_cast<std::size_t>(node.parent)]);
    for (int c = node.q; c < node.q + node.nq; ++c) {
      W.add(Halves<double>(S_.col(c)), w[static_cast<std::size_t>(c)]);
    }
    W.store(W_[k]);
    s.f = b.f;
    momentum<ReferencePoint::kOrigin>(b.I, W).store(s.y);
    s.z.setZero();
    if (!inertia_only_) gyroscopic(b).transposed_times(W).store(s.z.head<3>());
    if (!out.p.empty() && active_[k].mass && !d_.nodes_[k].elsewhere) pull_mass(k, out.p);
  }
  if (!w.empty() && !inertia_only_) pull_ports(w, out);
}

void TreePartials::close(std::span<const double> w, const ResidualCotangent& out) {
  for (std::size_t k = bodies_.size(); k-- > 0;) {
    if (!out.q.empty()) pull_joint(k, out, w);
    if (!out.p.empty() && (active_[k].inboard || active_[k].outboard)) pull_frames(k, out.p);
    const int parent = d_.nodes_[k].parent;
    if (parent < 0) continue;
    Sums& up = sums_[static_cast<std::size_t>(parent)];
    add_halves(Halves<double>(sums_[k].f), up.f);
    add_halves(Halves<double>(sums_[k].y), up.y);
    add_halves(Halves<double>(sums_[k].z), up.z);
    add_halves(Halves<double>(sums_[k].g), up.g);
  }
  if (!w.empty() && !inertia_only_ && !out.p.empty()) pull_field(out.p);
}

/// [SG-2]: Σ W·f of the bodies, the motions W fixed in the world. What is carried along, S×*f, meets a
/// W that is not.
void TreePartials::gather_fixed_motion(const ResidualCotangent& out) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Body& b = bodies_[k];
    sums_[k].y += b.I * W_[k];
    sums_[k].z += gyroscopic_pullback(b, W_[k]);
    sums_[k].g -= force_cross<double>(W_[k], b.f);
    if (!out.p.empty()) pull_mass(k, out.p);
  }
  pull_ports({}, out);
  if (!out.p.empty()) pull_field(out.p);
}

/// [DP-7].
void TreePartials::gather_vector(const VectorState& s, const VectorCotangent& bar) {
  if (s.node < 0) return;
  Sums& sum = sums_[static_cast<std::size_t>(s.node)];
  const GatheredVector x = gathered(s, x0_, bar);
  add_halves(x.g, sum.g);
  add_halves(x.z, sum.z);
  add_halves(x.y, sum.y);
}

/// The vector's own coordinates in its body, at p[first …]: x = … + R c, and the force F on it whose
/// power F·ẋ_w in the weights' motion is part of what is pulled back.
void TreePartials::vector_cotangent(const VectorState& s, int first, const Vec3& force,
                                    const VectorCotangent& bar, std::span<double> p_bar) const {
  if (!vector_active(first)) return;
  Vec3 c_bar = bar.x;
  if (s.node >= 0) {
    const auto k = static_cast<std::size_t>(s.node);
    const Vec3 omega = bodies_[k].V.head<3>(), alpha = bodies_[k].A.head<3>();
    const Vec3 world = bar.x + cross(bar.xdot, omega) + cross(bar.xddot, alpha) +
                       cross(cross(bar.xddot, omega), omega) + cross(force, W_[k].head<3>());
    c_bar = rotation(s.node).transpose() * world;
  }
  for (int i = 0; i < 3; ++i) p_bar[static_cast<std::size_t>(first + i)] += c_bar(i);
}

const Twist<double>& TreePartials::weight_motion(int node) const {
  return node < 0 ? W_ground_ : W_[static_cast<std::size_t>(node)];
}

/// ẋ_w: the rate of the vector in the weights' motion.
Vec3 TreePartials::weight_rate(const VectorState& s) const {
  const Twist<double>& W = weight_motion(s.node);
  return s.is_point ? field_at(W, s.x - x0_) : cross(W.head<3>(), s.x);
}

/// [DP-5]: a force on a vector keeps its direction while the sweep carries it along.
void TreePartials::gather_lever(const VectorState& s, const Vec3& force) {
  if (s.node < 0) return;
  sums_[static_cast<std::size_t>(s.node)].g.head<3>() -= cross(force, weight_rate(s));
}

/// [DP-4] for the joint's own coordinates.
void TreePartials::pull_joint(std::size_t k, const ResidualCotangent& out,
                              std::span<const double> w) const {
  const auto& node = d_.nodes_[k];
  const Sums& s = sums_[k];
  const Halves<double> f(s.f), y(s.y), z(s.z);
  Halves<double> g(s.g);
  if (node.parent >= 0) {
    g -= force_cross(Halves<double>(W_[static_cast<std::size_t>(node.parent)]), f);
  }
  JointVector<double> rates = JointVector<double>::Zero(node.nq);
  if (node.nq > 1 && !w.empty()) {  // [DP-9]
    rates = column_rates(k, Eigen::Map<const VecX>(w.data() + node.q, node.nq), s.f);
  }
  for (int c = 0; c < node.nq; ++c) {
    const int j = node.q + c;
    const auto J = static_cast<std::size_t>(j);
    const Halves<double> S(S_.col(j)), Sdot(Sdot_.col(j));
    double q_bar = power(S, g) + power(Halves<double>(Sddot_.col(j)), y) + power(Sdot, z);
    q_bar += rates(c);
    out.q[J] += q_bar;
    out.v[J] += 2.0 * power(Sdot, y) + power(S, z);
    out.a[J] += power(S, y);
  }
}

/// The cotangent G of columns that are fixed in their carrier, Ṡ = V×S and S̈ = A×S + V×(V×S), in
/// [DP-4].
Halves<double> TreePartials::frozen_column(int node, const Sums& s) const {
  const Halves<double> V(V_of(node)), A(A_of(node)), y(s.y);
  Halves<double> inner = force_cross(V, y);
  inner -= Halves<double>(s.z);
  Halves<double> G = force_cross(V, inner);
  G -= force_cross(A, y);
  G += Halves<double>(s.g);
  if (node >= 0) {
    G -= force_cross(Halves<double>(W_[static_cast<std::size_t>(node)]), Halves<double>(s.f));
  }
  return G;
}

/// The columns of a frame at `at` on its body are shifts and turns [K-8]; G is their cotangent.
void TreePartials::frame_cotangent(FrameBlock block, int node, const Vec3& at,
                                   const Halves<double>& G, double sign,
                                   std::span<double> p_bar) const {
  Triple<double> shift = G.v, turn = G.w + cross(G.v, Triple<double>(at));
  if (node >= 0) {
    const Columns3<double> R_WB(bodies_[static_cast<std::size_t>(node)].R_WB);
    shift = R_WB.transposed_times(shift);
    turn = R_WB.transposed_times(turn);
  }
  double* origin = &p_bar[static_cast<std::size_t>(block.origin())];
  origin[0] += sign * shift.x;
  origin[1] += sign * shift.y;
  origin[2] += sign * shift.z;
  // R̄ = ½ turn~R, so that ⟨R̄, φ~R⟩ = turnᵀφ; R and R̄ are stored row by row
  turn = turn * (0.5 * sign);
  const double* R = &d_.p_store_[static_cast<std::size_t>(block.rotation())];
  double* R_bar = &p_bar[static_cast<std::size_t>(block.rotation())];
  for (int j = 0; j < 3; ++j) {
    const Triple<double> column = cross(turn, {R[j], R[3 + j], R[6 + j]});
    R_bar[j] += column.x;
    R_bar[3 + j] += column.y;
    R_bar[6 + j] += column.z;
  }
}

/// [DP-4] for the frozen columns of frames F and M; a shift of M moves the body back.
void TreePartials::pull_frames(std::size_t k, std::span<double> p_bar) const {
  const TreeNode& tree_node = model_.topology().nodes[k];
  const Joint& joint = model_.joints()[static_cast<std::size_t>(tree_node.joint)];
  const Sums& s = sums_[k];
  if (active_[k].inboard) {
    const int parent = d_.nodes_[k].parent;
    frame_cotangent(tree_node.reversed ? joint.M : joint.F, parent, d_.frame_in_world(k).p - x0_,
                    frozen_column(parent, s), 1, p_bar);
  }
  if (!active_[k].outboard) return;
  const auto body = static_cast<int>(k);
  frame_cotangent(tree_node.reversed ? joint.F : joint.M, body, d_.states_[k].r_WM - x0_,
                  frozen_column(body, s), -1, p_bar);
}

/// Wᵀf of a body is linear in its mass properties: with the weights' velocity v and turn w at the
/// centre of mass and its acceleration a, W·f = m v·a + w·(Jα + ω×Jω) [DP-6].
void TreePartials::pull_mass(std::size_t k, std::span<double> p_bar) const {
  const Body& b = bodies_[k];
  const auto& node = d_.nodes_[k];
  const auto& s = d_.states_[k];
  const MassBlock& block =
      model_.bodies()[static_cast<std::size_t>(model_.topology().nodes[k].body)].mass;
  // all of it in the body's axes
  const Columns3<double> R(b.R_WB);
  const auto turned = [&](const Triple<double>& x) { return R.transposed_times(x); };
  const Triple<double> c = Triple<double>(s.r_WM) - Triple<double>(x0_) +
                           Columns3<double>(s.R_WM) * Triple<double>(node.c);
  const Halves<double> V(b.V), A(b.A), W(W_[k]);
  const auto at_c = [&](const Halves<double>& X) { return X.v + cross(X.w, c); };
  const Triple<double> omega = turned(V.w), alpha = turned(A.w), w = turned(W.w);
  const Triple<double> v = turned(at_c(W));
  const Triple<double> a = turned(at_c(A) + cross(V.w, at_c(V)));  // of the centre of mass
  const Triple<double> c_bar = cross(a, w) + cross(v, alpha) + cross(cross(v, omega), omega);
  const Triple<double> gyro = cross(w, omega);
  p_bar[static_cast<std::size_t>(block.mass)] += dot(v, a);
  const auto com = static_cast<std::size_t>(block.com);
  p_bar[com] += node.m * c_bar.x;
  p_bar[com + 1] += node.m * c_bar.y;
  p_bar[com + 2] += node.m * c_bar.z;
  // J̄ = α wᵀ + ω(w×ω)ᵀ; numbers off the diagonal stand for two entries each
  double* J = &p_bar[static_cast<std::size_t>(block.inertia)];
  J[0] += alpha.x * w.x + omega.x * gyro.x;
  J[1] += alpha.y * w.y + omega.y * gyro.y;
  J[2] += alpha.z * w.z + omega.z * gyro.z;
  J[3] += alpha.x * w.y + alpha.y * w.x + omega.x * gyro.y + omega.y * gyro.x;
  J[4] += alpha.x * w.z + alpha.z * w.x + omega.x * gyro.z + omega.z * gyro.x;
  J[5] += alpha.y * w.z + alpha.z * w.y + omega.y * gyro.z + omega.z * gyro.y;
}

/// J is stored by six numbers; those off the diagonal stand for two entries each.
void TreePartials::add_inertia_cotangent(const MassBlock& block, const Mat3& J_bar,
                                         std::span<double> p_bar) const {
  const auto J = [&](int i) -> double& {
    return p_bar[static_cast<std::size_t>(block.inertia + i)];
  };
  for (int i = 0; i < 3; ++i) J(i) += J_bar(i, i);
  J(3) += J_bar(0, 1) + J_bar(1, 0);
  J(4) += J_bar(0, 2) + J_bar(2, 0);
  J(5) += J_bar(1, 2) + J_bar(2, 1);
}

/// −ẋ_w·e of the ports: their variables, attributes and points. Without w, those on bodies.
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
        if (w.empty()) break;
        const auto c = static_cast<std::size_t>(
            model_.joints()[static_cast<std::size_t>(force.joint)].q_first + force.coordinate);
        if (!out.q.empty()) {
          out.q[c] -= w[c] * port.partials.e_x(0, 0);
          out.v[c] -= w[c] * port.partials.e_xdot(0, 0);
        }
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
  attribute_cotangent(force, -(port.partials.e_p.transpose() * weight), p_bar);
}

void TreePartials::attribute_cotangent(const Force& force, AttributeVector<double> bar,
                                       std::span<double> p_bar) {
  for (const auto& [place, output] : force.variable) {
    bar_outputs_[static_cast<std::size_t>(output)] += bar(place);
    bar(place) = 0;
  }
  if (p_bar.empty()) return;
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
  pull_force_tape([&](std::size_t k, double bar) { pull_force_input(k, bar, out); },
                  [&](int element, double bar) {
                    if (!out.p.empty()) out.p[static_cast<std::size_t>(element)] += bar;
                  });
}

/// One input of the force tape that is not a parameter.
void TreePartials::pull_force_input(std::size_t k, double bar, const ResidualCotangent& out) {
  const Vec3 none = Vec3::Zero();
  const SignalInput& in = d_.force_input(k);
  if (in.kind == SignalInput::Kind::kJoint) {
    const int c = model_.joints()[static_cast<std::size_t>(in.element)].q_first + in.component;
    if (!out.q.empty()) (in.order == 0 ? out.q : out.v)[static_cast<std::size_t>(c)] += bar;
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

/// A point's own coordinates in its body: r = … + R c, ṙ = … + ω×R c, and the lever of the force.
void TreePartials::point_cotangent(int vector, int node, const Vec3& e, const Vec3& r_bar,
                                   const Vec3& rdot_bar, std::span<double> p_bar) const {
  const int first = model_.vectors()[static_cast<std::size_t>(vector)].first;
  body_point_cotangent(node, first, e, r_bar, rdot_bar, p_bar);
}

void TreePartials::body_point_cotangent(int node, int first, const Vec3& e, const Vec3& r_bar,
                                        const Vec3& rdot_bar, std::span<double> p_bar) const {
  if (p_bar.empty() || !vector_active(first)) return;
  Vec3 c_bar = r_bar;
  if (node >= 0) {
    const auto k = static_cast<std::size_t>(node);
    const Vec3 world = r_bar + cross(rdot_bar, bodies_[k].V.head<3>()) - cross(e, W_[k].head<3>());
    c_bar = rotation(node).transpose() * world;
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
  pull_field(weight, p_bar);
}

void TreePartials::pull_field(const Vec3& weight, std::span<double> p_bar) const {
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

/// The pull-back of such a field: position, velocity, attributes, and each body's m and c.
void TreePartials::pull_varying_field(const Force& force, const ResidualCotangent& out) {
  each_body_in_field(force, [&](std::size_t k, const FieldState& at) {
    const Vec3 v_w = field_at(W_[k], at.c), e = at.m * at.e;
    const Vec3 r_bar = -at.m * (at.partials.e_x.transpose() * v_w);
    const Vec3 rdot_bar = -at.m * (at.partials.e_xdot.transpose() * v_w);
    gather_point(static_cast<int>(k), at.c, at.cdot, e, r_bar, rdot_bar);
    if (out.p.empty()) return;
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

}  // namespace kinegrad

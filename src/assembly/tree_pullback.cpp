// The pull-back of the residual: cotangents of coordinates and parameters in O(n) [DP-4].
#include <algorithm>

#include "assembly/tree_partials_detail.hpp"
#include "kinegrad/model/physical.hpp"
#include "tree/body_forces.hpp"

namespace kinegrad {

using la::cross;

void TreePartials::pullback(std::span<const double> w, const ResidualCotangent& out) {
  open(w, out);
  close(w, out);
}

void TreePartials::open(std::span<const double> w, const ResidualCotangent& out) {
  for (std::size_t k = 0; k < at_.bodies.size(); ++k) {
    const auto& node = node_at(k);
    const Body& b = at_.bodies[k];
    Sums& s = sums_.beyond[k];
    s.g.setZero();
    if (w.empty()) {
      sums_.W[k].setZero();
      s.f.setZero();
      s.y.setZero();
      s.z.setZero();
      continue;
    }
    Halves<double> W = node.parent < 0
                           ? Halves<double>::zero()
                           : Halves<double>(sums_.W[static_cast<std::size_t>(node.parent)]);
    for (int c = node.q; c < node.q + node.nq; ++c) {
      W.add(Halves<double>(at_.S.col(c)), w[static_cast<std::size_t>(c)]);
    }
    W.store(sums_.W[k]);
    s.f = b.f;
    momentum<ReferencePoint::kOrigin>(b.I, W).store(s.y);
    s.z.setZero();
    if (!at_.inertia_only) gyroscopic(b).transposed_times(W).store(s.z.head<3>());
    if (!out.p.empty() && active_[k].mass && !node_at(k).elsewhere) pull_mass(k, out.p);
  }
  if (!w.empty() && !at_.inertia_only) pull_ports(w, out);
}

void TreePartials::close(std::span<const double> w, const ResidualCotangent& out) {
  for (std::size_t k = at_.bodies.size(); k-- > 0;) {
    if (!out.q.empty()) pull_joint(k, out, w);
    if (!out.p.empty() && (active_[k].inboard || active_[k].outboard)) pull_frames(k, out.p);
    const int parent = node_at(k).parent;
    if (parent < 0) continue;
    Sums& up = sums_.beyond[static_cast<std::size_t>(parent)];
    add_halves(Halves<double>(sums_.beyond[k].f), up.f);
    add_halves(Halves<double>(sums_.beyond[k].y), up.y);
    add_halves(Halves<double>(sums_.beyond[k].z), up.z);
    add_halves(Halves<double>(sums_.beyond[k].g), up.g);
  }
  if (!w.empty() && !at_.inertia_only && !out.p.empty()) pull_field(out.p);
}

/// [SG-2]: Σ W·f of the bodies, the motions W fixed in the world. What is carried along, S×*f, meets a
/// W that is not.
void TreePartials::gather_fixed_motion(const ResidualCotangent& out) {
  for (std::size_t k = 0; k < at_.bodies.size(); ++k) {
    const Body& b = at_.bodies[k];
    sums_.beyond[k].y += b.I * sums_.W[k];
    sums_.beyond[k].z += gyroscopic_pullback(b, sums_.W[k]);
    sums_.beyond[k].g -= force_cross<double>(sums_.W[k], b.f);
    if (!out.p.empty()) pull_mass(k, out.p);
  }
  pull_ports({}, out);
  if (!out.p.empty()) pull_field(out.p);
}

/// [DP-7].
void TreePartials::gather_vector(const VectorState& s, const VectorCotangent& bar) {
  if (s.node < 0) return;
  Sums& sum = sums_.beyond[static_cast<std::size_t>(s.node)];
  const GatheredVector x = gathered(s, at_.x0, bar);
  add_halves(x.g, sum.g);
  add_halves(x.z, sum.z);
  add_halves(x.y, sum.y);
}

/// The vector's own coordinates in its body, at p[first …]: x = … + R c, and the force F on it whose
/// power F·ẋ_w in the weights' motion is part of what is pulled back.
void TreePartials::vector_cotangent(const VectorState& s, int first, const Vec3& force,
                                    const VectorCotangent& bar, std::span<double> p_bar) const {
  if (!sums_.active(first, 3)) return;
  Vec3 c_bar = bar.x;
  if (s.node >= 0) {
    const auto k = static_cast<std::size_t>(s.node);
    const Vec3 omega = at_.bodies[k].V.head<3>(), alpha = at_.bodies[k].A.head<3>();
    const Vec3 world = bar.x + cross(bar.xdot, omega) + cross(bar.xddot, alpha) +
                       cross(cross(bar.xddot, omega), omega) + cross(force, sums_.W[k].head<3>());
    c_bar = at_.rotation(s.node).transpose() * world;
  }
  for (int i = 0; i < 3; ++i) p_bar[static_cast<std::size_t>(first + i)] += c_bar(i);
}

/// ẋ_w: the rate of the vector in the weights' motion.
Vec3 TreePartials::weight_rate(const VectorState& s) const {
  const Twist<double>& W = sums_.weight(s.node);
  return s.is_point ? field_at(W, s.x - at_.x0) : cross(W.head<3>(), s.x);
}

/// [DP-5]: a force on a vector keeps its direction while the sweep carries it along.
void TreePartials::gather_lever(const VectorState& s, const Vec3& force) {
  if (s.node < 0) return;
  sums_.beyond[static_cast<std::size_t>(s.node)].g.head<3>() -= cross(force, weight_rate(s));
}

/// [DP-4] for the joint's own coordinates.
void TreePartials::pull_joint(std::size_t k, const ResidualCotangent& out,
                              std::span<const double> w) const {
  const auto& node = node_at(k);
  const Sums& s = sums_.beyond[k];
  const Halves<double> f(s.f), y(s.y), z(s.z);
  Halves<double> g(s.g);
  if (node.parent >= 0) {
    g -= force_cross(Halves<double>(sums_.W[static_cast<std::size_t>(node.parent)]), f);
  }
  JointVector<double> rates = JointVector<double>::Zero(node.nq);
  if (node.nq > 1 && !w.empty()) {  // [DP-9]
    rates = column_rates(k, Eigen::Map<const VecX>(w.data() + node.q, node.nq), s.f);
  }
  for (int c = 0; c < node.nq; ++c) {
    const int j = node.q + c;
    const auto J = static_cast<std::size_t>(j);
    const Halves<double> S(at_.S.col(j)), Sdot(at_.Sdot.col(j));
    double q_bar = power(S, g) + power(Halves<double>(at_.Sddot.col(j)), y) + power(Sdot, z);
    q_bar += rates(c);
    out.q[J] += q_bar;
    out.v[J] += 2.0 * power(Sdot, y) + power(S, z);
    out.a[J] += power(S, y);
  }
}

/// [DP-4] for the frozen columns of frames F and M; a shift of M moves the body back.
void TreePartials::pull_frames(std::size_t k, std::span<double> p_bar) const {
  const TreeNode& tree_node = model_.topology().nodes[k];
  const Joint& joint = model_.joints()[static_cast<std::size_t>(tree_node.joint)];
  const Sums& s = sums_.beyond[k];
  if (active_[k].inboard) {
    const int parent = node_at(k).parent;
    accumulate_frame(at_, tree_.bodies.p, tree_node.reversed ? joint.M : joint.F, parent,
                     joint_frame(k).p - at_.x0, frozen_column(at_, sums_, parent, s), 1, p_bar);
  }
  if (!active_[k].outboard) return;
  const auto body = static_cast<int>(k);
  accumulate_frame(at_, tree_.bodies.p, tree_node.reversed ? joint.F : joint.M, body,
                   moving(k).r_WM - at_.x0, frozen_column(at_, sums_, body, s), -1, p_bar);
}

/// Wᵀf of a body is linear in its mass properties: with the weights' velocity v and turn w at the
/// centre of mass and its acceleration a, W·f = m v·a + w·(Jα + ω×Jω) [DP-6].
void TreePartials::pull_mass(std::size_t k, std::span<double> p_bar) const {
  const Body& b = at_.bodies[k];
  const auto& node = node_at(k);
  const auto& s = moving(k);
  const MassBlock& block =
      model_.bodies()[static_cast<std::size_t>(model_.topology().nodes[k].body)].mass;
  // all of it in the body's axes
  const Columns3<double> R(b.R_WB);
  const auto turned = [&](const Triple<double>& x) { return R.transposed_times(x); };
  const Triple<double> c = Triple<double>(s.r_WM) - Triple<double>(at_.x0) +
                           Columns3<double>(s.R_WM) * Triple<double>(node.c);
  const Halves<double> V(b.V), A(b.A), W(sums_.W[k]);
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
  const PortSite<double> site = port_site(tree_, state_, at_.t);
  expressions_.clear();
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    expressions_.add_cotangent(model_.forces()[i], ports_[i]->pullback(site, at_, w, sums_, out),
                               out.p);
  }
  expressions_.pullback(state_.expressions, site, at_, sums_, out);
}

/// Uniform fields: −Σ m v_w·g.
void TreePartials::pull_field(std::span<double> p_bar) const {
  Vec3 weight = Vec3::Zero();
  for (std::size_t k = 0; k < at_.bodies.size(); ++k) {
    const auto& s = moving(k);
    const Vec3 c = s.r_WM + s.R_WM * node_at(k).c - at_.x0;
    weight += node_at(k).m * field_at(sums_.W[k], c);
  }
  pull_field(weight, p_bar);
}

void TreePartials::pull_field(const Vec3& weight, std::span<double> p_bar) const {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    ports_[i]->pullback_field(attributes_of(i), weight, p_bar);
  }
}

}  // namespace kinegrad

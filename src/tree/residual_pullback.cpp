#include "kinegrad/tree/residual_pullback.hpp"

#include <algorithm>

#include "kinegrad/tree/gyroscopic.hpp"
#include "tree/body_forces.hpp"

namespace kinegrad {

using la::cross;

void set_active(const TreeParameters<double>& tree, std::span<const char> p_active,
                TreeCotangent& sums) {
  sums.p_active.assign(p_active.begin(), p_active.end());
  const auto any = [&](int first, int count) {
    return std::any_of(p_active.begin() + first, p_active.begin() + first + count,
                       [](char c) { return c != 0; });
  };
  for (std::size_t k = 0; k < sums.active_parts.size(); ++k) {
    const TreeNode& node = tree.model.topology().nodes[k];
    const Joint& joint = tree.model.joints()[static_cast<std::size_t>(node.joint)];
    const MassBlock& mass = tree.model.bodies()[static_cast<std::size_t>(node.body)].mass;
    sums.active_parts[k].mass = any(mass.mass, 1) || any(mass.com, 3) || any(mass.inertia, 6);
    sums.active_parts[k].inboard =
        any((node.reversed ? joint.M : joint.F).first, FrameBlock::kSize);
    sums.active_parts[k].outboard =
        any((node.reversed ? joint.F : joint.M).first, FrameBlock::kSize);
  }
}

namespace {

/// sum += x, for sums that are kept as vectors.
void add_halves(const Halves<double>& x, Twist<double>& sum) {
  Halves<double> all(sum);
  all += x;
  all.store(sum);
}

/// BᵀW.
Twist<double> gyroscopic_pullback(const LinearizedBody& b, const Twist<double>& W) {
  Twist<double> out = Twist<double>::Zero();
  Gyroscopic(b.I, Halves<double>(b.V)).transposed_times(Halves<double>(W)).store(out.head<3>());
  return out;
}

/// Wᵀf of a body is linear in its mass properties: with the weights' velocity v and turn w at the
/// centre of mass and its acceleration a, W·f = m v·a + w·(Jα + ω×Jω) [DP-6].
void pull_mass(const LinearizedTree& L, std::size_t k, std::span<double> p_bar) {
  const TreeLinearization& at = L.at;
  const LinearizedBody& b = at.bodies[k];
  const auto& node = L.node(k);
  const auto& s = L.moving(k);
  const MassBlock& block =
      L.tree.model.bodies()[static_cast<std::size_t>(L.tree.model.topology().nodes[k].body)].mass;
  // all of it in the body's axes
  const Columns3<double> R(b.R_WB);
  const auto turned = [&](const Triple<double>& x) { return R.transposed_times(x); };
  const Triple<double> c = Triple<double>(s.r_WM) - Triple<double>(at.x0) +
                           Columns3<double>(s.R_WM) * Triple<double>(node.c);
  const Halves<double> V(b.V), A(b.A), W(L.sums.W[k]);
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
void add_inertia_cotangent(const MassBlock& block, const Mat3& J_bar, std::span<double> p_bar) {
  const auto J = [&](int i) -> double& {
    return p_bar[static_cast<std::size_t>(block.inertia + i)];
  };
  for (int i = 0; i < 3; ++i) J(i) += J_bar(i, i);
  J(3) += J_bar(0, 1) + J_bar(1, 0);
  J(4) += J_bar(0, 2) + J_bar(2, 0);
  J(5) += J_bar(1, 2) + J_bar(2, 1);
}

/// [DP-4] for the joint's own coordinates.
void pull_joint(const LinearizedTree& L, std::size_t k, const ResidualCotangent& out,
                std::span<const double> w) {
  const TreeLinearization& at = L.at;
  const auto& node = L.node(k);
  const BeyondSums& s = L.sums.beyond[k];
  const Halves<double> f(s.f), y(s.y), z(s.z);
  Halves<double> g(s.g);
  if (node.parent >= 0) {
    g -= force_cross(Halves<double>(L.sums.W[static_cast<std::size_t>(node.parent)]), f);
  }
  JointVector<double> rates = JointVector<double>::Zero(node.nq);
  if (node.nq > 1 && !w.empty()) {  // [DP-9]
    rates = column_rates(L, k, Eigen::Map<const VecX>(w.data() + node.q, node.nq), s.f);
  }
  for (int c = 0; c < node.nq; ++c) {
    const int j = node.q + c;
    const auto J = static_cast<std::size_t>(j);
    const Halves<double> S(at.S.col(j)), Sdot(at.Sdot.col(j));
    double q_bar = power(S, g) + power(Halves<double>(at.Sddot.col(j)), y) + power(Sdot, z);
    q_bar += rates(c);
    out.q[J] += q_bar;
    out.v[J] += 2.0 * power(Sdot, y) + power(S, z);
    out.a[J] += power(S, y);
  }
}

/// [DP-4] for the frozen columns of frames F and M; a shift of M moves the body back.
void pull_frames(const LinearizedTree& L, std::size_t k, std::span<double> p_bar) {
  const TreeLinearization& at = L.at;
  const TreeNode& tree_node = L.tree.model.topology().nodes[k];
  const Joint& joint = L.tree.model.joints()[static_cast<std::size_t>(tree_node.joint)];
  const BeyondSums& s = L.sums.beyond[k];
  if (L.sums.active_parts[k].inboard) {
    const int parent = L.node(k).parent;
    accumulate_frame(at, L.tree.p, tree_node.reversed ? joint.M : joint.F, parent,
                     L.joint_frame(k).p - at.x0, frozen_column(at, L.sums, parent, s), 1, p_bar);
  }
  if (!L.sums.active_parts[k].outboard) return;
  const auto body = static_cast<int>(k);
  accumulate_frame(at, L.tree.p, tree_node.reversed ? joint.F : joint.M, body,
                   L.moving(k).r_WM - at.x0, frozen_column(at, L.sums, body, s), -1, p_bar);
}

}  // namespace

void begin_pullback(LinearizedTree& L, std::span<const double> w, std::span<double> p_bar) {
  const TreeLinearization& at = L.at;
  for (std::size_t k = 0; k < at.bodies.size(); ++k) {
    const auto& node = L.node(k);
    const LinearizedBody& b = at.bodies[k];
    BeyondSums& s = L.sums.beyond[k];
    s.g.setZero();
    if (w.empty()) {
      L.sums.W[k].setZero();
      s.f.setZero();
      s.y.setZero();
      s.z.setZero();
      continue;
    }
    Halves<double> W = node.parent < 0
                           ? Halves<double>::zero()
                           : Halves<double>(L.sums.W[static_cast<std::size_t>(node.parent)]);
    for (int c = node.q; c < node.q + node.nq; ++c) {
      W.add(Halves<double>(at.S.col(c)), w[static_cast<std::size_t>(c)]);
    }
    W.store(L.sums.W[k]);
    s.f = b.f;
    momentum<ReferencePoint::kOrigin>(b.I, W).store(s.y);
    s.z.setZero();
    if (!at.inertia_only)
      Gyroscopic(b.I, Halves<double>(b.V)).transposed_times(W).store(s.z.head<3>());
    if (!p_bar.empty() && L.sums.active_parts[k].mass && !L.node(k).elsewhere) {
      pull_mass(L, k, p_bar);
    }
  }
}

void finish_pullback(LinearizedTree& L, std::span<const double> w, const ResidualCotangent& out) {
  for (std::size_t k = L.at.bodies.size(); k-- > 0;) {
    if (!out.q.empty()) pull_joint(L, k, out, w);
    const ActiveParts& active = L.sums.active_parts[k];
    if (!out.p.empty() && (active.inboard || active.outboard)) pull_frames(L, k, out.p);
    const int parent = L.node(k).parent;
    if (parent < 0) continue;
    BeyondSums& up = L.sums.beyond[static_cast<std::size_t>(parent)];
    add_halves(Halves<double>(L.sums.beyond[k].f), up.f);
    add_halves(Halves<double>(L.sums.beyond[k].y), up.y);
    add_halves(Halves<double>(L.sums.beyond[k].z), up.z);
    add_halves(Halves<double>(L.sums.beyond[k].g), up.g);
  }
}

/// What is carried along, S×*f, meets a W that is not.
void pull_fixed_motion(LinearizedTree& L, std::span<double> p_bar) {
  for (std::size_t k = 0; k < L.at.bodies.size(); ++k) {
    const LinearizedBody& b = L.at.bodies[k];
    L.sums.beyond[k].y += b.I * L.sums.W[k];
    L.sums.beyond[k].z += gyroscopic_pullback(b, L.sums.W[k]);
    L.sums.beyond[k].g -= force_cross<double>(L.sums.W[k], b.f);
    if (!p_bar.empty()) pull_mass(L, k, p_bar);
  }
}

namespace {

void pull_kinetic_mass(const LinearizedTree& L, std::size_t k, double weight,
                       std::span<double> p_bar) {
  const TreeLinearization& at = L.at;
  const auto& node = L.node(k);
  const auto& s = L.moving(k);
  const MassBlock& block =
      L.tree.model.bodies()[static_cast<std::size_t>(L.tree.model.topology().nodes[k].body)].mass;
  const Mat3 R = at.rotation(static_cast<int>(k));
  const Vec3 omega = at.bodies[k].V.head<3>();
  const Vec3 v =
      field_at(at.bodies[k].V, s.r_WM + s.R_WM * node.c - at.x0);  // of the centre of mass
  const Vec3 c_bar = weight * node.m * (R.transpose() * cross(v, omega));
  const Vec3 w = R.transpose() * omega;
  p_bar[static_cast<std::size_t>(block.mass)] += 0.5 * weight * v.dot(v);
  for (int i = 0; i < 3; ++i) p_bar[static_cast<std::size_t>(block.com + i)] += c_bar(i);
  add_inertia_cotangent(block, 0.5 * weight * (w * w.transpose()), p_bar);
}

}  // namespace

/// What is carried along changes nothing, so only Ṡ and S see the energy, by the momentum I V.
void pull_kinetic_energy(LinearizedTree& L, double weight, std::span<double> p_bar) {
  for (std::size_t k = 0; k < L.at.bodies.size(); ++k) {
    if (L.node(k).auxiliary) continue;
    L.sums.beyond[k].z += weight * (L.at.bodies[k].I * L.at.bodies[k].V);
    if (!p_bar.empty()) pull_kinetic_mass(L, k, weight, p_bar);
  }
}

Vec3 field_weight(const LinearizedTree& L) {
  Vec3 weight = Vec3::Zero();
  for (std::size_t k = 0; k < L.at.bodies.size(); ++k) {
    const auto& s = L.moving(k);
    const Vec3 c = s.r_WM + s.R_WM * L.node(k).c - L.at.x0;
    weight += L.node(k).m * field_at(L.sums.W[k], c);
  }
  return weight;
}

VectorState vector_state(const TreeMotion<double>& motion, int node, bool is_point, const Vec3& c) {
  VectorState out{node, is_point, c, Vec3::Zero(), Vec3::Zero()};
  if (node < 0) return out;
  const BodyMotion<double>& s = motion.body(node);
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

void pull_vector(LinearizedTree& L, const VectorState& s, const VectorCotangent& bar) {
  if (s.node < 0) return;
  BeyondSums& sum = L.sums.beyond[static_cast<std::size_t>(s.node)];
  const VectorSums x = vector_sums(s, L.at.x0, bar);
  add_halves(x.g, sum.g);
  add_halves(x.z, sum.z);
  add_halves(x.y, sum.y);
}

void pull_vector_coordinates(const LinearizedTree& L, const VectorState& s, int first,
                             const Vec3& force, const VectorCotangent& bar,
                             std::span<double> p_bar) {
  const TreeLinearization& at = L.at;
  if (!L.sums.active(first, 3)) return;
  Vec3 c_bar = bar.x;
  if (s.node >= 0) {
    const auto k = static_cast<std::size_t>(s.node);
    const Vec3 omega = at.bodies[k].V.head<3>(), alpha = at.bodies[k].A.head<3>();
    const Vec3 world = bar.x + cross(bar.xdot, omega) + cross(bar.xddot, alpha) +
                       cross(cross(bar.xddot, omega), omega) + cross(force, L.sums.W[k].head<3>());
    c_bar = at.rotation(s.node).transpose() * world;
  }
  for (int i = 0; i < 3; ++i) p_bar[static_cast<std::size_t>(first + i)] += c_bar(i);
}

Vec3 weight_rate(const LinearizedTree& L, const VectorState& s) {
  const Twist<double>& W = L.sums.weight(s.node);
  return s.is_point ? field_at(W, s.x - L.at.x0) : cross(W.head<3>(), s.x);
}

void pull_lever(LinearizedTree& L, const VectorState& s, const Vec3& force) {
  if (s.node < 0) return;
  L.sums.beyond[static_cast<std::size_t>(s.node)].g.head<3>() -= cross(force, weight_rate(L, s));
}

}  // namespace kinegrad

#include "kinegrad/tree/residual_tangent.hpp"

#include <algorithm>

#include "kinegrad/tree/gyroscopic.hpp"
#include "tree/body_forces.hpp"

namespace kinegrad {

using la::cross;

void sum_forces(const LinearizedTree& L, ForcesBeyond& beyond) {
  beyond.resize(L.tree.nodes.size());
  for (std::size_t k = 0; k < beyond.size(); ++k) beyond[k] = Halves<double>(L.at.bodies[k].f);
  for (std::size_t k = beyond.size(); k-- > 0;) {
    const int parent = L.tree.nodes[k].parent;
    if (parent >= 0) beyond[static_cast<std::size_t>(parent)] += beyond[k];
  }
}

bool touches_residual(const ParameterDirection& direction, bool forces) {
  return !direction.masses.empty() || !direction.moved.empty() ||
         (forces && !direction.forces.empty());
}

namespace {

/// The frozen column of a frame [K-8] and its rates, added to the displacement of what is beyond.
void add_frame(const LinearizedTree& L, const FrameChange& change, BodyDisplacement& x) {
  const auto k = static_cast<std::size_t>(change.node);
  const int carrier = change.outboard ? change.node : L.tree.nodes[k].parent;
  const Vec3 at =
      change.outboard ? L.motion.bodies[k].r_WM : joint_frame_in_world(L.tree, L.motion, k).p;
  const Mat3 R = L.at.rotation(carrier);
  const Triple<double> w(R * change.turn), u(R * change.shift);
  const Halves<double> S(w, u + cross(Triple<double>(at) - Triple<double>(L.at.x0), w));
  const Halves<double> V(L.at.V_of(carrier)), A(L.at.A_of(carrier));
  const Halves<double> Sdot = motion_cross(V, S);
  const double sign = change.outboard ? -1 : 1;
  x.X.add(S, sign);
  x.Xdot.add(Sdot, sign);
  x.Xddot.add(motion_cross(A, S), sign);
  x.Xddot.add(motion_cross(V, Sdot), sign);
}

/// What the joint's own coordinates and speeds do to its body and all beyond [TG-10].
void add_joint(const LinearizedTree& L, const ParameterDirection& direction, int node,
               BodyDisplacement& x) {
  const TreeLinearization& at = L.at;
  const TreeBody<double>& n = L.tree.node(node);
  for (int c = n.q; c < n.q + n.nq; ++c) {
    const double dq = direction.dq[static_cast<std::size_t>(c)],
                 dv = direction.dv[static_cast<std::size_t>(c)];
    const Halves<double> S(at.S.col(c)), Sdot(at.Sdot.col(c));
    x.X.add(S, dq);
    x.Xdot.add(Sdot, dq);
    x.Xdot.add(S, dv);
    x.Xddot.add(Halves<double>(at.Sddot.col(c)), dq);
    x.Xddot.add(Sdot, 2 * dv);
  }
}

/// (∂S_i/∂q dq)ᵀf_Σ of the columns of one joint, which their frame does not carry along [TG-11].
void add_column_changes(const LinearizedTree& L, const ForcesBeyond& beyond,
                        const ParameterDirection& direction, int node, Eigen::Ref<VecX> dr) {
  const auto k = static_cast<std::size_t>(node);
  const TreeBody<double>& n = L.tree.nodes[k];
  if (n.nq == 0 || !n.general()) return;
  const JointVector<double> dq = Eigen::Map<const VecX>(direction.dq.data() + n.q, n.nq);
  Twist<double> f;
  beyond[k].store(f);
  dr.segment(n.q, n.nq) += column_rates(L, k, dq, f);
}

/// [TG-4]: what displacements do to bodies and their forces.
void add_carried(const LinearizedTree& L, TreeTangent& x) {
  for (const int node : x.displaced.direction->moved) {
    const auto k = static_cast<std::size_t>(node);
    const auto& b = L.at.bodies[k];
    const BodyDisplacement& d = x.displaced.bodies[k];
    Halves<double> f = force_cross(d.X, Halves<double>(b.f));
    f += momentum<ReferencePoint::kOrigin>(b.I, d.Xddot);
    if (!L.at.inertia_only) f += Gyroscopic(b.I, Halves<double>(b.V)) * d.Xdot;
    x.wrenches.add(node, f);
  }
}

/// [TG-7].
void add_mass(const LinearizedTree& L, const MassChange& change, TreeWrenches& wrenches) {
  const auto k = static_cast<std::size_t>(change.node);
  if (L.tree.nodes[k].elsewhere) return;
  const auto& b = L.at.bodies[k];
  const auto& s = L.motion.bodies[k];
  const Columns3<double> R(b.R_WB);
  const Triple<double> c = Triple<double>(s.r_WM) - Triple<double>(L.at.x0) +
                           Columns3<double>(s.R_WM) * Triple<double>(L.tree.nodes[k].c);
  const Halves<double> V(b.V), A(b.A);
  const auto at_c = [&](const Halves<double>& X) { return X.v + cross(X.w, c); };
  const auto turning = [&](const Triple<double>& x) {  // δJ x
    return R * (Columns3<double>(change.J) * R.transposed_times(x));
  };
  const double m = L.tree.nodes[k].m;
  const Triple<double> a = at_c(A) + cross(V.w, at_c(V));
  const Triple<double> d = R * Triple<double>(change.c);
  const Triple<double> F = a * change.m + (cross(A.w, d) + cross(V.w, cross(V.w, d))) * m;
  wrenches.add(change.node,
                {cross(c, F) + cross(d, a) * m + turning(A.w) + cross(V.w, turning(V.w)), F});
}

}  // namespace

void begin_tangent(const LinearizedTree& L, const ParameterDirection& direction, TreeTangent& x) {
  TreeDisplacement& displaced = x.displaced;
  displaced.direction = &direction;
  for (const VectorChange& change : direction.vectors) {
    displaced.own[static_cast<std::size_t>(change.vector)] = change.c;
  }
  auto frame = direction.frames.begin();
  const auto add = [&](int k, bool outboard, BodyDisplacement& body) {
    if (frame == direction.frames.end() || frame->node != k || frame->outboard != outboard) return;
    add_frame(L, *frame++, body);
  };
  for (const int k : direction.moved) {
    const int parent = L.tree.nodes[static_cast<std::size_t>(k)].parent;
    BodyDisplacement& body = displaced.bodies[static_cast<std::size_t>(k)];
    body = displaced.moves(parent) ? displaced.of(parent) : BodyDisplacement();
    displaced.moved[static_cast<std::size_t>(k)] = 1;
    add(k, false, body);
    body.X_h = body.X;
    if (direction.of_state) add_joint(L, direction, k, body);
    add(k, true, body);
  }
}

VectorTangent vector_tangent(const LinearizedTree& L, const TreeTangent& x, const VectorState& s,
                             int vector) {
  VectorTangent out;
  const Vec3& c = x.displaced.own[static_cast<std::size_t>(vector)];
  if (s.node < 0) {
    out.x = c;
    return out;
  }
  if (!c.isZero(0)) {
    const auto& b = L.at.bodies[static_cast<std::size_t>(s.node)];
    const Vec3 omega = b.V.head<3>(), alpha = b.A.head<3>();
    out.x = L.at.rotation(s.node) * c;
    out.xdot = cross(omega, out.x);
    out.xddot = cross(alpha, out.x) + cross(omega, out.xdot);
  }
  if (!x.displaced.moves(s.node)) return out;
  const BodyDisplacement& d = x.displaced.of(s.node);
  const Triple<double> r(s.is_point ? Vec3(s.x - L.at.x0) : s.x), xdot(s.xdot), xddot(s.xddot);
  Triple<double> dx = cross(d.X.w, r), dxdot = cross(d.Xdot.w, r) + cross(d.X.w, xdot),
                 dxddot = cross(d.Xddot.w, r) + cross(d.Xdot.w, xdot) * 2.0 + cross(d.X.w, xddot);
  if (s.is_point) {
    dx += d.X.v;
    dxdot += d.Xdot.v;
    dxddot += d.Xddot.v;
  }
  out.x += dx.vector();
  out.xdot += dxdot.vector();
  out.xddot += dxddot.vector();
  return out;
}

void add_force_tangent(const LinearizedTree& L, const VectorState& s, int vector, const Vec3& force,
                       const Vec3& change, TreeTangent& x) {
  if (s.node < 0) return;
  const Vec3 rest = change - x.displaced.turned(s.node, force);
  if (s.is_point) {
    x.wrenches.add_force(s.node, s.x - L.at.x0, rest);
  } else {
    x.wrenches.add_moment(s.node, cross(s.x, rest));
  }
  const Vec3& c = x.displaced.own[static_cast<std::size_t>(vector)];
  if (!c.isZero(0)) x.wrenches.add_moment(s.node, cross((L.at.rotation(s.node) * c).eval(), force));
}

void finish_tangent(const LinearizedTree& L, const ForcesBeyond& beyond, TreeTangent& x,
                    Eigen::Ref<VecX> dr) {
  const ParameterDirection& direction = *x.displaced.direction;
  add_carried(L, x);
  for (const MassChange& change : direction.masses) add_mass(L, change, x.wrenches);
  for (int node = x.wrenches.top; node >= 0; --node) {
    const auto k = static_cast<std::size_t>(node);
    const auto& n = L.tree.nodes[k];
    Halves<double> f = x.wrenches.wrench[k];
    if (n.parent >= 0) x.wrenches.wrench[static_cast<std::size_t>(n.parent)] += f;
    x.wrenches.wrench[k] = Halves<double>::zero();
    if (x.displaced.moved[k]) f -= force_cross(x.displaced.bodies[k].X_h, beyond[k]);
    if (direction.of_state) add_column_changes(L, beyond, direction, node, dr);
    for (int c = n.q; c < n.q + n.nq; ++c) dr(c) += power(Halves<double>(L.at.S.col(c)), f);
  }
  x.wrenches.top = -1;
}

void end_tangent(TreeTangent& x) {
  const ParameterDirection& direction = *x.displaced.direction;
  for (const int k : direction.moved) x.displaced.moved[static_cast<std::size_t>(k)] = 0;
  for (const VectorChange& change : direction.vectors) {
    x.displaced.own[static_cast<std::size_t>(change.vector)].setZero();
  }
}

void residual_tangent(const LinearizedTree& L, const ForcesBeyond& beyond,
                      const ParameterDirection& direction, TreeTangent& x, Eigen::Ref<VecX> dr) {
  begin_tangent(L, direction, x);
  finish_tangent(L, beyond, x, dr);
  end_tangent(x);
}

}  // namespace kinegrad

#include "kinegrad/assembly/tree_tangents.hpp"

#include <algorithm>

#include "tree/body_forces.hpp"

namespace kinegrad {

using la::cross;

TreeTangents::TreeTangents(const LinearizedTree& tree, LinearizedForces* forces)
    : L_(tree),
      forces_(forces),
      model_(tree.tree.model),
      beyond_(L_.tree.nodes.size()),
      displaced_(L_.tree.nodes.size(), model_.vectors().size()),
      wrenches_(L_.tree.nodes.size()),
      attributes_(model_.forces().size()) {
  for (std::size_t i = 0; i < attributes_.size(); ++i) {
    attributes_[i].setZero(model_.forces()[i].type->attribute_count());
  }
}

void TreeTangents::take() {
  for (std::size_t k = 0; k < beyond_.size(); ++k) {
    beyond_[k] = Halves<double>(L_.at.bodies[k].f);
  }
  for (std::size_t k = beyond_.size(); k-- > 0;) {
    const int parent = L_.tree.nodes[k].parent;
    if (parent >= 0) beyond_[static_cast<std::size_t>(parent)] += beyond_[k];
  }
}

/// The frozen column of a frame [K-8] and its rates, added to the displacement of what is beyond.
void TreeTangents::add_frame(const FrameChange& change, BodyDisplacement& x) const {
  const auto k = static_cast<std::size_t>(change.node);
  const int carrier = change.outboard ? change.node : L_.tree.nodes[k].parent;
  const Vec3 at =
      change.outboard ? L_.motion.bodies[k].r_WM : joint_frame_in_world(L_.tree, L_.motion, k).p;
  const Mat3 R = L_.at.rotation(carrier);
  const Triple<double> w(R * change.turn), u(R * change.shift);
  const Halves<double> S(w, u + cross(Triple<double>(at) - Triple<double>(L_.at.x0), w));
  const Halves<double> V(L_.at.V_of(carrier)), A(L_.at.A_of(carrier));
  const Halves<double> Sdot = motion_cross(V, S);
  const double sign = change.outboard ? -1 : 1;
  x.X.add(S, sign);
  x.Xdot.add(Sdot, sign);
  x.Xddot.add(motion_cross(A, S), sign);
  x.Xddot.add(motion_cross(V, Sdot), sign);
}

/// What the joint's own coordinates and speeds do to its body and all beyond [TG-10].
void TreeTangents::add_joint(int node, BodyDisplacement& x) const {
  const ParameterDirection& direction = *displaced_.direction;
  const TreeLinearization& at = L_.at;
  const TreeBody<double>& n = L_.tree.node(node);
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
void TreeTangents::add_column_changes(int node, Eigen::Ref<VecX> dr) const {
  const auto k = static_cast<std::size_t>(node);
  const TreeBody<double>& n = L_.tree.nodes[k];
  if (n.nq == 0 || !n.general()) return;
  const JointVector<double> dq =
      Eigen::Map<const VecX>(displaced_.direction->dq.data() + n.q, n.nq);
  Twist<double> f;
  beyond_[k].store(f);
  dr.segment(n.q, n.nq) += column_rates(L_, k, dq, f);
}

/// [TG-3].
void TreeTangents::open(const ParameterDirection& direction) {
  displaced_.direction = &direction;
  for (const VectorChange& change : direction.vectors) {
    displaced_.own[static_cast<std::size_t>(change.vector)] = change.c;
  }
  auto frame = direction.frames.begin();
  const auto add = [&](int k, bool outboard, BodyDisplacement& x) {
    if (frame == direction.frames.end() || frame->node != k || frame->outboard != outboard) return;
    add_frame(*frame++, x);
  };
  for (const int k : direction.moved) {
    const int parent = L_.tree.nodes[static_cast<std::size_t>(k)].parent;
    BodyDisplacement& x = displaced_.bodies[static_cast<std::size_t>(k)];
    x = displaced_.moves(parent) ? displaced_.of(parent) : BodyDisplacement();
    displaced_.moved[static_cast<std::size_t>(k)] = 1;
    add(k, false, x);
    x.X_h = x.X;
    if (direction.of_state) add_joint(k, x);
    add(k, true, x);
  }
}

VectorTangent TreeTangents::change_of(const VectorState& s, int vector) const {
  VectorTangent out;
  const Vec3& c = displaced_.own[static_cast<std::size_t>(vector)];
  if (s.node < 0) {
    out.x = c;
    return out;
  }
  if (!c.isZero(0)) {
    const auto& b = L_.at.bodies[static_cast<std::size_t>(s.node)];
    const Vec3 omega = b.V.head<3>(), alpha = b.A.head<3>();
    out.x = own_change(s.node, c);
    out.xdot = cross(omega, out.x);
    out.xddot = cross(alpha, out.x) + cross(omega, out.xdot);
  }
  if (!displaced_.moves(s.node)) return out;
  const BodyDisplacement& d = displaced_.of(s.node);
  const Triple<double> x(s.is_point ? Vec3(s.x - L_.at.x0) : s.x), xdot(s.xdot), xddot(s.xddot);
  Triple<double> dx = cross(d.X.w, x), dxdot = cross(d.Xdot.w, x) + cross(d.X.w, xdot),
                 dxddot = cross(d.Xddot.w, x) + cross(d.Xdot.w, xdot) * 2.0 + cross(d.X.w, xddot);
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

void TreeTangents::add_force(const VectorState& s, int vector, const Vec3& force,
                             const Vec3& change) {
  if (s.node < 0) return;
  const Vec3 rest = change - displaced_.turned(s.node, force);
  if (s.is_point) {
    wrenches_.add_force(s.node, s.x - L_.at.x0, rest);
  } else {
    wrenches_.add_moment(s.node, cross(s.x, rest));
  }
  const Vec3& c = displaced_.own[static_cast<std::size_t>(vector)];
  if (!c.isZero(0)) wrenches_.add_moment(s.node, cross(own_change(s.node, c), force));
}

/// [TG-4]: what displacements do to bodies and their forces.
void TreeTangents::add_carried() {
  for (const int node : displaced_.direction->moved) {
    const auto k = static_cast<std::size_t>(node);
    const auto& b = L_.at.bodies[k];
    const BodyDisplacement& d = displaced_.bodies[k];
    Halves<double> f = force_cross(d.X, Halves<double>(b.f));
    f += momentum<ReferencePoint::kOrigin>(b.I, d.Xddot);
    if (!L_.at.inertia_only) f += Gyroscopic(b.I, Halves<double>(b.V)) * d.Xdot;
    wrenches_.add(node, f);
  }
}

/// [TG-7].
void TreeTangents::add_mass(const MassChange& change) {
  const auto k = static_cast<std::size_t>(change.node);
  if (L_.tree.nodes[k].elsewhere) return;
  const auto& b = L_.at.bodies[k];
  const auto& s = L_.motion.bodies[k];
  const Columns3<double> R(b.R_WB);
  const Triple<double> c = Triple<double>(s.r_WM) - Triple<double>(L_.at.x0) +
                           Columns3<double>(s.R_WM) * Triple<double>(L_.tree.nodes[k].c);
  const Halves<double> V(b.V), A(b.A);
  const auto at_c = [&](const Halves<double>& X) { return X.v + cross(X.w, c); };
  const auto turning = [&](const Triple<double>& x) {  // δJ x
    return R * (Columns3<double>(change.J) * R.transposed_times(x));
  };
  const double m = L_.tree.nodes[k].m;
  const Triple<double> a = at_c(A) + cross(V.w, at_c(V));
  const Triple<double> d = R * Triple<double>(change.c);
  const Triple<double> F = a * change.m + (cross(A.w, d) + cross(V.w, cross(V.w, d))) * m;
  wrenches_.add(change.node,
                {cross(c, F) + cross(d, a) * m + turning(A.w) + cross(V.w, turning(V.w)), F});
}

void TreeTangents::close(Eigen::Ref<VecX> dr) {
  add_carried();
  for (const MassChange& change : displaced_.direction->masses) add_mass(change);
  if (!L_.at.inertia_only && !displaced_.direction->forces.empty()) add_ports(dr);
  for (int node = wrenches_.top; node >= 0; --node) {
    const auto k = static_cast<std::size_t>(node);
    const auto& n = L_.tree.nodes[k];
    Halves<double> f = wrenches_.wrench[k];
    if (n.parent >= 0) wrenches_.wrench[static_cast<std::size_t>(n.parent)] += f;
    wrenches_.wrench[k] = Halves<double>::zero();
    if (displaced_.moved[k]) f -= force_cross(displaced_.bodies[k].X_h, beyond_[k]);
    if (displaced_.direction->of_state) add_column_changes(node, dr);
    for (int c = n.q; c < n.q + n.nq; ++c) dr(c) += power(Halves<double>(L_.at.S.col(c)), f);
  }
  wrenches_.top = -1;
}

bool TreeTangents::touches(const ParameterDirection& direction) const {
  return !direction.masses.empty() || !direction.moved.empty() ||
         (!L_.at.inertia_only && !direction.forces.empty());
}

void TreeTangents::leave() {
  for (const int k : displaced_.direction->moved) displaced_.moved[static_cast<std::size_t>(k)] = 0;
  for (const VectorChange& change : displaced_.direction->vectors) {
    displaced_.own[static_cast<std::size_t>(change.vector)].setZero();
  }
}

}  // namespace kinegrad

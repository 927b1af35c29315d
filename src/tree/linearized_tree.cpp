#include "kinegrad/tree/linearized_tree.hpp"

#include "tree/body_forces.hpp"

namespace kinegrad {

LinearizedTree::LinearizedTree(const TreeParameters<double>& of, const TreeMotion<double>& moving)
    : tree(of), motion(moving), at(of), sums(of.nodes.size()) {}

void LinearizedTree::add_force(int node, const Halves<double>& F) {
  Halves<double> sum(at.body(node).f);
  sum += F;
  sum.store(at.bodies[static_cast<std::size_t>(node)].f);
}

namespace {

/// V and A of a body at the common point, and its axes.
void move_body(std::size_t k, LinearizedTree& L) {
  TreeLinearization& at = L.at;
  const auto& s = L.moving(k);
  LinearizedBody& b = at.bodies[k];
  const Triple<double> d = Triple<double>(at.x0) - Triple<double>(s.o);
  Halves<double> V(s.V), A(s.A);
  V.shift_motion(d);
  A.shift_motion(d);
  V.store(b.V);
  A.store(b.A);
  (Columns3<double>(s.R_WM) * Columns3<double>(L.tree.X_MB[k].R)).store(b.R_WB);
}

/// S′ and S″ of a joint whose columns are not fixed in F.
void general_rates(std::size_t k, std::span<const double> q, std::span<const double> v,
                   std::span<const double> a, LinearizedTree& L) {
  TreeLinearization& at = L.at;
  const auto& node = L.node(k);
  const auto part = [&](std::span<const double> x) {
    return JointVector<double>(Eigen::Map<const VecX>(x.data() + node.q, node.nq));
  };
  const Pose<double> X = L.joint_frame(k);
  const Pose<double> X_F{X.R, X.p - at.x0};
  const JointColumns<double> H1 = node.joint->motion_dot(part(q), part(v));
  const JointColumns<double> H2 = node.joint->motion_ddot(part(q), part(v), part(a));
  for (int c = 0; c < node.nq; ++c) {
    at.S1.col(node.q + c) = transform_twist(X_F, H1.col(c));
    at.S2.col(node.q + c) = transform_twist(X_F, H2.col(c));
  }
}

/// S, Ṡ and S̈ at the common point.
void columns_at(std::size_t k, std::span<const double> q, std::span<const double> v,
                std::span<const double> a, LinearizedTree& L) {
  TreeLinearization& at = L.at;
  const auto& node = L.node(k);
  const bool general = node.general();
  if (general && node.nq > 0) general_rates(k, q, v, a, L);
  const Halves<double> V(at.V_of(L.node(k).parent)), A(at.A_of(L.node(k).parent));
  const Triple<double> d = Triple<double>(at.x0) - Triple<double>(L.moving(k).o);
  for (int c = node.q; c < node.q + node.nq; ++c) {
    Halves<double> S(L.motion.S.col(c));
    S.shift_motion(d);
    Halves<double> Sdot = motion_cross(V, S), Sddot = motion_cross(A, S);
    if (general) {
      const Halves<double> S1(at.S1.col(c));
      Sdot += S1;
      Sddot += motion_cross(V, S1);
      Sddot += Halves<double>(at.S2.col(c));
    }
    Sddot += motion_cross(V, Sdot);
    S.store(at.S.col(c));
    Sdot.store(at.Sdot.col(c));
    Sddot.store(at.Sddot.col(c));
  }
}

/// The common point is the reference point of the first body.
void start(std::span<const double> q, LinearizedTree& L) {
  TreeLinearization& at = L.at;
  at.q.assign(q.begin(), q.end());
  at.inertia_only = false;
  at.x0 = L.tree.nodes.empty() ? Vec3(Vec3::Zero()) : L.moving(0).o;
  at.field = L.motion.field;
}

}  // namespace

void linearize_bodies(std::span<const double> q, std::span<const double> v,
                      std::span<const double> a, LinearizedTree& L) {
  TreeLinearization& at = L.at;
  start(q, L);
  for (std::size_t k = 0; k < at.bodies.size(); ++k) {
    const auto& s = L.moving(k);
    LinearizedBody& b = at.bodies[k];
    move_body(k, L);
    b.I = s.I;
    b.I.shift_back(s.o - at.x0);
    const Halves<double> V(b.V);
    Halves<double> f = gyroscopic_force<ReferencePoint::kOrigin>(b.I, V);
    f += momentum<ReferencePoint::kOrigin>(b.I, Halves<double>(b.A));
    f.store(b.f);
    columns_at(k, q, v, a, L);
  }
}

void linearize_motion(std::span<const double> q, std::span<const double> v,
                      std::span<const double> a, LinearizedTree& L) {
  start(q, L);
  for (std::size_t k = 0; k < L.at.bodies.size(); ++k) {
    move_body(k, L);
    columns_at(k, q, v, a, L);
  }
}

void linearize_configuration(const TreeLinearization& other, LinearizedTree& L) {
  TreeLinearization& at = L.at;
  at.q = other.q;
  at.inertia_only = true;
  at.x0 = other.x0;
  at.S = other.S;
  for (std::size_t k = 0; k < at.bodies.size(); ++k) {
    LinearizedBody& b = at.bodies[k];
    b.V.setZero();
    b.I = L.moving(k).I;
    b.I.shift_back(L.moving(k).o - at.x0);
    b.R_WB = other.bodies[k].R_WB;
  }
  at.Sdot.setZero();
}

void linearize_inertia(std::span<const double> u, LinearizedTree& L) {
  TreeLinearization& at = L.at;
  for (std::size_t k = 0; k < at.bodies.size(); ++k) {
    const auto& node = L.node(k);
    LinearizedBody& b = at.bodies[k];
    const Halves<double> carrier(at.A_of(L.node(k).parent));
    Halves<double> A = carrier;
    for (int c = node.q; c < node.q + node.nq; ++c) {
      const Halves<double> S(at.S.col(c));
      A.add(S, u[static_cast<std::size_t>(c)]);
      motion_cross(carrier, S).store(at.Sddot.col(c));
    }
    A.store(b.A);
    momentum<ReferencePoint::kOrigin>(b.I, A).store(b.f);
    if (node.nq == 0 || !node.general()) continue;
    // at rest the second rate of a column is its first rate along u
    const JointVector<double> q = Eigen::Map<const VecX>(at.q.data() + node.q, node.nq);
    const JointVector<double> part = Eigen::Map<const VecX>(u.data() + node.q, node.nq);
    const Pose<double> X = L.joint_frame(k);
    const JointColumns<double> H = node.joint->motion_dot(q, part);
    for (int c = 0; c < node.nq; ++c) {
      at.Sddot.col(node.q + c) += transform_twist(Pose<double>{X.R, X.p - at.x0}, H.col(c));
    }
  }
}

/// From Ḣ, which is linear in the speeds.
JointVector<double> column_gradients(const LinearizedTree& L, std::size_t k, int by,
                                     const Twist<double>& f) {
  const auto& node = L.node(k);
  JointVector<double> unit = JointVector<double>::Zero(node.nq);
  if (!node.general()) return unit;
  unit(by) = 1;
  return column_rates(L, k, unit, f);
}

JointVector<double> column_rates(const LinearizedTree& L, std::size_t k,
                                 const JointVector<double>& w, const Twist<double>& f) {
  const auto& node = L.node(k);
  const JointVector<double> q = Eigen::Map<const VecX>(L.at.q.data() + node.q, node.nq);
  const Pose<double> X = L.joint_frame(k);
  const Vec3 force = f.tail<3>(), moment = f.head<3>() - la::cross(X.p - L.at.x0, force);
  Twist<double> in_F;  // f at the origin of F, in its axes
  in_F << X.R.transpose() * moment, X.R.transpose() * force;
  return node.joint->motion_dot(q, w).transpose() * in_F;
}

}  // namespace kinegrad
